import { RequestError } from '../request/request-error.ts'
import type { Caller } from './caller.ts'

/** For what concerns every organization. Throws RequestError `key_is_scoped`. */
export function requireWholeScope(caller: Caller): void {
  if (caller.scope === 'all') return
  throw new RequestError(
    'key_is_scoped',
    'This concerns every organization, and the API key is limited to some.',
    {
      hint: 'use an administrator key without organizations',
    },
  )
}
