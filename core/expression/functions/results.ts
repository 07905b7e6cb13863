import {
  bool,
  double,
  duration,
  dyn,
  elementOfUnknown,
  int,
  isNumeric,
  list,
  map,
  membersOf,
  number,
  object,
  optionalOf,
  string,
  timestamp,
  typeType,
  union,
  type ObjectType,
  type Type,
} from '../types/types.ts'

interface Result {
  readonly result: Type | ((args: readonly Type[]) => Type)
  /** See `Overload.ofParts`. */
  readonly ofParts?: boolean
}

/** The elements of a list, the values of a map. */
function elementOf(type: Type | undefined): Type {
  if (type === undefined) return dyn
  return union(
    membersOf(type).flatMap((member) => {
      if (member.kind === 'list') return [member.element]
      if (member.kind === 'map') return [member.value]
      return member.kind === 'dyn' ? [elementOfUnknown(member)] : []
    }),
  )
}

/** Numbers keep their kind, and durations stay durations. */
function sumOf(type: Type | undefined): Type {
  const members = membersOf(elementOf(type))
  if (members.every(({ kind }) => kind === 'duration')) return duration
  if (members.some((member) => !isNumeric(member))) return dyn
  const whole = members.every((member) => member.kind === 'int')
  return whole ? int : members.some(({ kind }) => kind === 'double') ? double : number
}

/** The type after one level of lists is removed. */
const flattened = (type: Type | undefined): Type =>
  list(union(membersOf(elementOf(type)).map((each) => (each.kind === 'list' ? each.element : each))))

/** Both maps together; a field of the right one replaces one of the left. */
function merged(left: Type | undefined, right: Type | undefined): Type {
  if (left?.kind === 'object' && right?.kind === 'object') return mergedObjects(left, right)
  const members = [left, right].flatMap((type) => (type ? membersOf(type) : []))
  if (members.every(({ kind }) => kind === 'map')) return map(union([elementOf(left), elementOf(right)]))
  return dyn
}

function mergedObjects(left: ObjectType, right: ObjectType): Type {
  const properties = new Map(left.properties)
  for (const [name, property] of right.properties) {
    const before = properties.get(name)
    const isReplaced = before === undefined || property.optional !== true
    properties.set(
      name,
      isReplaced ? property : { type: union([before.type, property.type]), optional: before.optional },
    )
  }
  const additional =
    left.additional && right.additional ? union([left.additional, right.additional]) : undefined
  return { kind: 'object', properties, additional: additional ?? left.additional ?? right.additional }
}

const optionalElement = (args: readonly Type[]): Type => optionalOf(elementOf(args[0]))

/** The results that signatures may name. */
const results: ReadonlyMap<string, Result> = new Map<string, Result>([
  ['any', { result: dyn }],
  ['bool', { result: bool }],
  ['int', { result: int }],
  ['ints', { result: list(int) }],
  ['double', { result: double }],
  ['string', { result: string }],
  ['strings', { result: list(string) }],
  ['timestamp', { result: timestamp }],
  ['duration', { result: duration }],
  ['type', { result: typeType }],
  ['optional string', { result: optionalOf(string) }],
  ['map of strings', { result: map(list(string)) }],
  ['sum', { result: (args) => sumOf(args[0]) }],
  ['same', { result: (args) => args[0] ?? dyn, ofParts: true }],
  ['element', { result: (args) => elementOf(args[0]), ofParts: true }],
  ['optional element', { result: optionalElement, ofParts: true }],
  ['flattened', { result: (args) => flattened(args[0]), ofParts: true }],
  ['zipped', { result: (args) => map(elementOf(args[1]), elementOf(args[0])), ofParts: true }],
  ['merged', { result: (args) => merged(args[0], args[1]), ofParts: true }],
])

/** Throws for an unknown name. */
export function resultNamed(name: string): Result {
  const found = results.get(name)
  if (found === undefined) throw new Error(`no result is named '${name}'`)
  return found
}

/** An object of strings, each of which may be missing. */
export const optionalStrings = (names: readonly string[]): Type =>
  object(Object.fromEntries(names.map((name) => [name, { type: string, optional: true }])))
