import {
  describeType,
  isNumeric,
  isWholeType,
  membersOf,
  timeKind,
  type ObjectType,
  type Type,
} from '../types/types.ts'

/**
 * Why a value of type `from` does not fit type `to`; undefined if it fits. `dyn` fits everything and
 * everything fits `dyn`. Timestamps and durations fit strings, since JSON stores them as strings.
 *
 * @example explainMismatch(string, number) // 'expected number, found string'
 */
export function explainMismatch(from: Type, to: Type, path = ''): string | undefined {
  if (from.kind === 'dyn' || to.kind === 'dyn') return undefined
  const at = path === '' ? '' : `${path}: `
  for (const member of membersOf(from)) {
    const reasons = membersOf(to).map((target) => mismatch(member, target, path))
    if (reasons.every((reason) => reason !== undefined)) {
      if (reasons.length === 1) return reasons[0]
      return `${at}expected ${describeType(to)}, found ${describeType(member)}`
    }
  }
  return undefined
}

function mismatch(from: Type, to: Type, path: string): string | undefined {
  const at = path === '' ? '' : `${path}: `
  const plain = `${at}expected ${describeType(to)}, found ${describeType(from)}`
  if (from.kind === 'dyn' || to.kind === 'dyn') return undefined
  if (isNumeric(from) && isNumeric(to)) return numericMismatch(from, to) ? plain : undefined
  if (to.kind === 'string') {
    if (from.kind === 'timestamp' || from.kind === 'duration') return to.values ? plain : undefined
    if (from.kind !== 'string') return plain
    return stringMismatch(from.values, to.values, at) ?? undefined
  }
  if (to.kind === 'timestamp' || to.kind === 'duration') return timeKind(from) === to.kind ? undefined : plain
  if (from.kind === 'list' && to.kind === 'list')
    return explainMismatch(from.element, to.element, `${path}[]`)
  if (to.kind === 'object')
    return from.kind === 'object' ? objectMismatch(from, to, path) : mapped(from, plain)
  if (to.kind === 'map') {
    if (from.kind === 'map') return explainMismatch(from.value, to.value, `${path}[…]`)
    if (from.kind !== 'object') return plain
    for (const [name, property] of from.properties) {
      const reason = explainMismatch(property.type, to.value, join(path, name))
      if (reason !== undefined) return reason
    }
    return undefined
  }
  return from.kind === to.kind ? undefined : plain
}

const mapped = (from: Type, plain: string): string | undefined => (from.kind === 'map' ? undefined : plain)
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function numericMismatch(from: Type, to: Type): boolean {
  return isWholeType(to) && !isWholeType(from)
}

function stringMismatch(from: readonly string[] | undefined, to: readonly string[] | undefined, at: string) {
  if (!to) return undefined
  if (!from) return `${at}expected one of ${to.join(', ')}, found any string`
  const stray = from.find((value) => !to.includes(value))
  return stray === undefined ? undefined : `${at}'${stray}' is not one of ${to.join(', ')}`
}

function objectMismatch(from: ObjectType, to: ObjectType, path: string): string | undefined {
  for (const [name, wanted] of to.properties) {
    const given = from.properties.get(name)
    if (!given) {
      if (!wanted.optional && from.additional === undefined) return `${join(path, name)} is missing`
      continue
    }
    if (given.optional && !wanted.optional) return `${join(path, name)} may be missing`
    const reason = explainMismatch(given.type, wanted.type, join(path, name))
    if (reason !== undefined) return reason
  }
  for (const [name, given] of from.properties) {
    if (to.properties.has(name)) continue
    if (to.additional === undefined) return `${join(path, name)} is not a known field`
    const reason = explainMismatch(given.type, to.additional, join(path, name))
    if (reason !== undefined) return reason
  }
  return undefined
}
