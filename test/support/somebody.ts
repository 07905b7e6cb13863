import { authorOf, personOf, type Actor, type Author } from '../../core/domain/audit.ts'

/** The actor of an action in a test. */
export const somebody = (name = 'ops'): Actor => ({
  kind: 'api_key',
  id: '0123456789ab',
  name,
  requestId: null,
})

/** As stored with an action. */
export const someAuthor = (name?: string): Author => authorOf(somebody(name))

export const somePerson = (id: string): Author => authorOf(personOf(id))
