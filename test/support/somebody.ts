import type { Actor } from '../../core/domain/audit.ts'

/** Who does something in a test. */
export const somebody = (name = 'ops'): Actor => ({
  kind: 'api_key',
  id: '0123456789ab',
  name,
  requestId: null,
})
