import type { Account } from '../access/account.ts'
import type { Actor } from '../domain/audit.ts'
import { ValidationError } from '../errors/errors.ts'
import { personNamed } from '../notification/notifications-of.ts'

/** The assignee of a case or a task: an account, an API key, or any name, such as that of a team. */
export interface Assigned {
  /** Null: not assigned. */
  readonly name: string | null
  /** Uuid of the account, or public id of the API key; null: only a name, or not assigned. */
  readonly id: string | null
}

/** As a request names an assignee or an owner. */
export interface NamedAssignee {
  /** A name, an e-mail address, or `me`; null: not assigned. */
  readonly name?: string | null | undefined
  /** Takes precedence over the name. */
  readonly id?: string | null | undefined
}

/** In requests and filters: whoever asks. */
export const theRequester = 'me'

const isPerson = ({ kind }: Actor): boolean => kind === 'account' || kind === 'api_key'

/** The id by which cases and tasks of the requester are found; null: cases cannot be assigned to it. */
export const ownAssigneeId = (by: Actor): string | null => (isPerson(by) ? by.id : null)

/**
 * Finds the person whom a request means: by id, or by a name or an e-mail address that belongs to one person only. Undefined: the
 * request names nobody. Any other text stays a text. Throws ValidationError `person_unknown` for an id of nobody among `people`.
 *
 * @param people who may act on the cases of the organization
 */
export function assignedTo(
  { name, id }: NamedAssignee,
  people: readonly Pick<Account, 'uuid' | 'name' | 'email'>[],
  by: Actor,
): Assigned | undefined {
  if (typeof id === 'string') return byId(id, people, by)
  if (name === null || (name === undefined && id === null)) return { name: null, id: null }
  if (name === undefined) return undefined
  if (isPerson(by) && name === theRequester) return { name: by.name, id: by.id }
  const person = personNamed(people, name)
  if (person !== undefined) return { name: person.name, id: person.uuid }
  if (by.kind === 'api_key' && name === by.name) return { name, id: by.id }
  return { name, id: null }
}

function byId(id: string, people: readonly Pick<Account, 'uuid' | 'name'>[], by: Actor): Assigned {
  const person = people.find(({ uuid }) => uuid === id)
  if (person !== undefined) return { name: person.name, id }
  if (isPerson(by) && by.id === id) return { name: by.name, id }
  const message = 'is nobody who may act on the cases of the organization'
  throw new ValidationError('person_unknown', `${id.slice(0, 64)} ${message}`, [{ pointer: '', message }], {
    hint: 'GET organizations/<code>/people lists the people; a disabled person cannot be assigned',
  })
}

/** For the timeline: a playbook named somebody who has no account, or whose name several people have. */
export const unknownAssignee = (name: string): string =>
  `no single person who may act on the case has the name “${name.slice(0, 200)}”`
