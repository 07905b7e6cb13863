import { objectsAt, SkillError, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { fullName, idAt } from './person.ts'

export interface User {
  /** The `uuid` of a person in a booking. */
  readonly id: string
  readonly email: string | null
  /** All addresses, the primary one first. */
  readonly emails: readonly string[]
  readonly name: string | null
  readonly employee_id: string | null
  readonly active: boolean | null
  readonly department: string | null
  readonly region: string | null
  readonly manager_name: string | null
  readonly manager_email: string | null
  readonly policy_level: string | null
  readonly raw: JsonObject
}

/** Throws SkillError `bad_response` for a user without an id. */
export function decodeUser(raw: JsonObject): User {
  const id = idAt(raw, 'id') ?? idAt(raw, 'uuid')
  if (id === null) throw new SkillError('bad_response', 'the platform returned a user without an id')
  const emails = emailsOf(raw)
  const active = valueAt(raw, 'active')
  return {
    id,
    email: emails[0] ?? null,
    emails,
    name: fullName(raw) ?? textAt(raw, 'name'),
    employee_id: idAt(raw, 'employeeId'),
    active: typeof active === 'boolean' ? active : null,
    department: textAt(raw, 'department'),
    region: textAt(raw, 'region'),
    manager_name: textAt(raw, 'managerName'),
    manager_email: textAt(raw, 'managerEmail'),
    policy_level: textAt(raw, 'policyLevel'),
    raw,
  }
}

/** The user name is usually an address. */
function emailsOf(raw: JsonObject): readonly string[] {
  const listed = objectsAt(raw, 'emails').toSorted((a, b) => Number(isPrimary(b)) - Number(isPrimary(a)))
  const found = [
    ...listed.map((email) => textAt(email, 'value')),
    textAt(raw, 'email'),
    textAt(raw, 'userName'),
  ]
  const addresses = found.filter((text): text is string => text !== null && text.includes('@'))
  const plain = addresses.map((address) => address.toLowerCase())
  return addresses.filter((_, index) => plain.indexOf(plain[index] ?? '') === index)
}

const isPrimary = (email: JsonObject): boolean => valueAt(email, 'primary') === true
