import { sortBy } from '../functions/lists/order.ts'
import { keyArgument } from '../functions/lists/sets.ts'
import type { MacroNode } from '../parse/ast.ts'
import { Fault, type Span } from '../values/errors.ts'
import { shorten } from '../values/time.ts'
import { mapOf, type MapKey, type Value } from '../values/values.ts'
import type { EvaluationFrame } from './frame.ts'

/** The result of a macro from the elements of a list and their keys. */
type Finish = (
  items: readonly Value[],
  keys: readonly Value[],
  frame: EvaluationFrame,
  node: MacroNode,
) => Value

const sortItems: Finish = (items, keys, frame, node) => sortBy(items, keys, 'sortBy', frame, node.body)

const groupBy: Finish = (items, keys, frame, { body }) => {
  const groups = new Map<MapKey, Value[]>()
  frame.spend(items.length >>> 2, body)
  for (const [at, item] of items.entries()) {
    const key = keyOf(keys[at]!, frame, body)
    const group = groups.get(key)
    frame.allocate(group ? 16 : 80, body)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return mapOf(groups)
}

const indexBy: Finish = (items, keys, frame, { body }) => {
  const index = new Map<MapKey, Value>()
  frame.spend(items.length >>> 2, body)
  frame.allocate(32 + items.length * 48, body)
  for (const [at, item] of items.entries()) {
    const key = keyOf(keys[at]!, frame, body)
    if (index.has(key)) {
      const message = `the key '${shorten(String(key))}' occurs twice`
      throw new Fault('expression_duplicate_key', message, body, 'groupBy keeps all elements of a key')
    }
    index.set(key, item)
  }
  return mapOf(index)
}

function keyOf(value: Value, frame: EvaluationFrame, span: Span): MapKey {
  if (typeof value === 'string') frame.search(value.length, span)
  return keyArgument(value, span)
}

/** How each macro uses the keys from its body. */
export const finishByKey: Readonly<Record<string, Finish>> = { sortBy: sortItems, groupBy, indexBy }
