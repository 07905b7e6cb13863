import type { Meter } from '../../values/budget.ts'
import { Fault, type Span } from '../../values/errors.ts'
import { identityOf, type Identity } from '../../values/identity.ts'
import { isMap } from '../../values/operators.ts'
import {
  entryOf,
  keysOfMap,
  kindOfValue,
  mapOf,
  toKey,
  type MapKey,
  type MapValue,
  type ObjectValue,
  type Value,
} from '../../values/values.ts'
import {
  global,
  invalidArgument,
  listArgument,
  method,
  wrongArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'

function identities(value: Value, meter: Meter, span: Span): ReadonlySet<Identity> {
  const list = listArgument(value, span)
  meter.spend(list.length >>> 2, span)
  meter.allocate(16 + list.length * 16, span)
  return new Set(list.map((each) => identityOf(each, meter, span)))
}

const compareSets =
  (test: (left: ReadonlySet<Identity>, right: ReadonlySet<Identity>) => boolean): FunctionBody =>
  (meter, span, left, right) =>
    test(identities(left, meter, span), identities(right, meter, span))

/** A value as the key of a map. Throws a fault if it cannot be one. */
export function keyArgument(value: Value, span: Span): MapKey {
  const key = toKey(value)
  if (key !== undefined) return key
  const hint = value === null ? 'leave out nulls: .filter(x, x.name != null)' : 'convert it with string(…)'
  throw new Fault('expression_wrong_type', `${kindOfValue(value)} cannot be the key of a map`, span, hint)
}

/** The map with the keys and values of two lists, such as the columns and a row of a table. */
function zipMap(meter: Meter, span: Span, names: Value, values: Value): Value {
  const [keys, list] = [listArgument(names, span), listArgument(values, span)]
  if (keys.length !== list.length) {
    const message = `zipMap: there are ${keys.length} keys and ${list.length} values`
    throw invalidArgument(span, message, 'take(n) shortens the longer list')
  }
  meter.spend(keys.length >>> 1, span)
  meter.allocate(32 + keys.length * 48, span)
  const entries = new Map<MapKey, Value>()
  for (const [at, each] of keys.entries()) {
    if (typeof each === 'string') meter.search(each.length, span)
    const key = keyArgument(each, span)
    if (entries.has(key)) throw new Fault('expression_duplicate_key', `the key '${key}' occurs twice`, span)
    entries.set(key, list[at]!)
  }
  return mapOf(entries)
}

function mapArgument(value: Value, span: Span): ObjectValue | MapValue {
  if (isMap(value)) return value
  throw wrongArgument(span, value, 'a map')
}

/** Merges two maps; if both have a key, the value of the right map wins. */
function merge(meter: Meter, span: Span, left: Value, right: Value): Value {
  const entries = new Map<MapKey, Value>()
  for (const each of [mapArgument(left, span), mapArgument(right, span)]) {
    const keys = keysOfMap(each)
    meter.listKeys(keys.length, span)
    meter.allocate(32 + keys.length * 48, span)
    for (const key of keys) entries.set(key, entryOf(each, key)!)
  }
  return mapOf(entries)
}

const lists = ['list, list -> bool']

export const setFunctions: readonly ExpressionFunction[] = [
  global(
    'sets.contains',
    lists,
    compareSets((all, some) => some.isSubsetOf(all)),
    { price: 4 },
  ),
  global(
    'sets.equivalent',
    lists,
    compareSets((left, right) => left.size === right.size && left.isSubsetOf(right)),
    { price: 4 },
  ),
  global(
    'sets.intersects',
    lists,
    compareSets((left, right) => !left.isDisjointFrom(right)),
    { price: 4 },
  ),
  method('zipMap', ['list, list -> zipped'], zipMap, { price: 4 }),
  method('merge', ['map, map -> merged'], merge, { price: 4 }),
]
