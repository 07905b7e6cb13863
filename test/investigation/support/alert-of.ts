import { notInvestigated, type Alert } from '../../../core/domain/alert.ts'

/** An alert of `main` with this content, as text or to be written as JSON. */
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
