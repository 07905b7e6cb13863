import { isObject, numberAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'

/** A person of a booking. A guest may have neither id nor address. */
export interface Person {
  readonly uuid: string | null
  readonly name: string | null
  readonly email: string | null
  readonly employee_id: string | null
}

/** Who is looked for: it is enough that one of them fits. */
export interface Wanted {
  readonly email?: string | undefined
  readonly user_id?: string | undefined
}

export function decodePerson(person: unknown): Person | null {
  if (!isObject(person)) return null
  return {
    uuid: idAt(person, 'uuid'),
    name: textAt(person, 'name') ?? fullName(person),
    email: textAt(person, 'email'),
    // One public description spells it so.
    employee_id: idAt(person, 'employeeId') ?? idAt(person, 'employeedId'),
  }
}

/** Whether it is this person: by id, or by e-mail address, ignoring letter case. */
export function isPerson(person: Pick<Person, 'uuid' | 'email'> | null, { email, user_id }: Wanted): boolean {
  if (person === null) return false
  return same(person.uuid, user_id) || same(person.email, email)
}

/** `{ givenName, familyName }` under `name`, as users have it. */
export function fullName(user: JsonObject): string | null {
  const name = valueAt(user, 'name')
  const parts = [textAt(name, 'givenName'), textAt(name, 'familyName')].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' ')
}

/** An id as text: some systems number people. */
export const idAt = (value: JsonObject, key: string): string | null =>
  textAt(value, key) ?? numberAt(value, key)?.toString() ?? null

function same(a: string | null, b: string | undefined): boolean {
  return a !== null && b !== undefined && a.trim().toLowerCase() === b.trim().toLowerCase()
}
