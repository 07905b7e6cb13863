import { notInvestigated, type Alert } from '../../../core/domain/alert.ts'

/** An alert of `main` with this content, given as text or as a value for JSON. */
export const alertOf = (content: unknown, more: Partial<Alert> = {}): Alert => ({
  ...notInvestigated,
  id: 'main-splunk-1',
  uuid: 'u',
  content: typeof content === 'string' ? content : JSON.stringify(content),
  provider: 'splunk',
  type: 'sign_in',
  organizationUuid: 'o',
  organizationCode: 'main',
  createdAtSource: null,
  createdBy: 'k',
  createdAt: 1,
  modifiedAt: 1,
  ...more,
})
