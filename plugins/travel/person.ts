import { isObject, numberAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'

/** A person of a booking. A guest may have neither id nor address. */
export interface Traveler {
  readonly uuid: string | null
  readonly name: string | null
  readonly email: string | null
  readonly employee_id: string | null
}

/** Person to look for: matching one of the fields is enough. */
export interface WantedPerson {
  readonly email?: string | undefined
  readonly user_id?: string | undefined
}

export function decodePerson(person: unknown): Traveler | null {
  if (!isObject(person)) return null
  return {
    uuid: idAt(person, 'uuid'),
    name: textAt(person, 'name') ?? fullName(person),
    email: textAt(person, 'email'),
    // A spelling in one public description.
    employee_id: idAt(person, 'employeeId') ?? idAt(person, 'employeedId'),
  }
}

/** Whether it is this person, by id or e-mail address, ignoring case. */
export function isPerson(
  person: Pick<Traveler, 'uuid' | 'email'> | null,
  { email, user_id }: WantedPerson,
): boolean {
  if (person === null) return false
  return same(person.uuid, user_id) || same(person.email, email)
}

/** Users have `{ givenName, familyName }` under `name`. */
export function fullName(user: JsonObject): string | null {
  const name = valueAt(user, 'name')
  const parts = [textAt(name, 'givenName'), textAt(name, 'familyName')].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' ')
}

/** An id as a string: some systems use numbers. */
export const idAt = (value: JsonObject, key: string): string | null =>
  textAt(value, key) ?? numberAt(value, key)?.toString() ?? null

function same(a: string | null, b: string | undefined): boolean {
  return a !== null && b !== undefined && a.trim().toLowerCase() === b.trim().toLowerCase()
}
