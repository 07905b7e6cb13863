import { authorOf, personOf, type Actor, type Author } from '../../core/domain/audit.ts'

/** Who does something in a test. */
export const somebody = (name = 'ops'): Actor => ({
  kind: 'api_key',
  id: '0123456789ab',
  name,
  requestId: null,
})

/** As they are kept with what they did. */
export const someAuthor = (name?: string): Author => authorOf(somebody(name))

export const somePerson = (id: string): Author => authorOf(personOf(id))
