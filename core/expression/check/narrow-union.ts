import { admitsNull, isNumeric, membersOf, union, type Type } from '../types/types.ts'
import type { Fact, Path } from './facts.ts'

/** The kinds of types for each name that `type(value)` returns. */
const kindsOf: Readonly<Record<string, readonly Type['kind'][]>> = {
  null_type: ['null'],
  bool: ['bool'],
  // A number in data is a double, or an int beyond 2^53.
  int: ['int', 'number'],
  double: ['double', 'number'],
  string: ['string'],
  list: ['list'],
  map: ['map', 'object'],
}

/** A fact, and the rest of its path after a known prefix. */
export interface PathFact {
  readonly fact: Fact
  readonly rest: Path
}

/** Removes the members of a union that the facts rule out. Facts that rule out all of them are ignored. */
export function narrowUnion(type: Type, seen: readonly PathFact[]): Type {
  if (type.kind !== 'union' || seen.length === 0) return type
  const members = type.members.filter((member) => seen.every(({ fact, rest }) => admits(member, rest, fact)))
  return members.length === 0 || members.length === type.members.length ? type : union(members)
}

/** Whether the fact can be true for a value of this type. */
function admits(type: Type, path: Path, fact: Fact): boolean {
  const [field, ...rest] = path
  if (field !== undefined) {
    if (type.kind !== 'object' || typeof field !== 'string') return type.kind !== 'null'
    const property = type.properties.get(field)
    if (!property) return type.additional !== undefined
    return membersOf(property.type).some((member) => admits(member, rest, fact))
  }
  switch (fact.is) {
    case 'present':
      return true
    case 'not_null':
      return type.kind !== 'null'
    case 'one_of':
      return fact.values.some((value) => canBe(type, value))
    case 'none_of':
      // Rules out an enumeration only if every value is excluded.
      return type.kind !== 'string' || !type.values?.every((value) => fact.values.includes(value))
    case 'of_type':
      return type.kind === 'dyn' || isOf(type, fact.type)
    case 'not_of_type':
      // Numbers may be ints or doubles, regardless of the schema.
      return type.kind === 'dyn' || isNumeric(type) || !isOf(type, fact.type)
  }
}

const canBe = (type: Type, value: string): boolean =>
  type.kind === 'dyn' || (type.kind === 'string' && (!type.values || type.values.includes(value)))

function isOf(type: Type, name: string): boolean {
  return kindsOf[name]?.includes(type.kind) ?? true
}

/** Whether a union has several members besides null. */
export const isMixed = (type: Type): boolean =>
  type.kind === 'union' && type.members.length > (admitsNull(type) ? 2 : 1)
