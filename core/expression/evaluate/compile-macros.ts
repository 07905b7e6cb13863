import type { BindNode, MacroNode } from '../parse/ast.ts'
import { notBool, turnPrice, type Compiler, type EvaluationFrame, type CompiledNode } from './frame.ts'
import { Fault, type Span } from '../values/errors.ts'
import { finishByKey } from './by-key.ts'
import { optionalArgument } from '../functions/optionals.ts'
import { isMap } from '../values/operators.ts'
import { shorten } from '../values/time.ts'
import {
  entryOf,
  isList,
  keysOfMap,
  kindOfValue,
  mapOf,
  Optional,
  type MapKey,
  type MapValue,
  type ObjectValue,
  type Value,
} from '../values/values.ts'

function withVariable(compiler: Compiler, name: string, slot: number): Compiler {
  return { ...compiler, variables: new Map([...compiler.variables, [name, slot]]) }
}

/** `cel.bind(variable, value, body)`. */
export function compileBind(node: BindNode, compiler: Compiler): CompiledNode {
  const slot = compiler.takeSlot()
  const value = compiler.compile(node.value, compiler)
  const body = compiler.compile(node.body, withVariable(compiler, node.variable, slot))
  return (frame) => {
    frame.slots[slot] = value(frame)
    return body(frame)
  }
}

/** The macros that loop, and those over optionals. */
export function compileMacro(node: MacroNode, compiler: Compiler): CompiledNode {
  const slot = compiler.takeSlot()
  const operand = compiler.compile(node.operand, compiler)
  const inner = withVariable(compiler, node.variable, slot)
  if (node.second !== undefined) return compileTwoVariables(node, inner, slot, operand)
  const body = compiler.compile(node.body, inner)
  if (node.name === 'optMap' || node.name === 'optFlatMap') {
    return (frame) => {
      const target = optionalArgument(operand(frame), node)
      if (target.value === undefined) return target
      frame.slots[slot] = target.value
      const value = body(frame)
      return node.name === 'optMap' ? new Optional(value) : optionalArgument(value, node)
    }
  }
  const filter = node.filter && compiler.compile(node.filter, inner)
  return compileLoop({ node, operand, slot, body, filter, turn: turnOf(node) })
}

const turnOf = ({ body, filter }: MacroNode): number => turnPrice(body, ...(filter ? [filter] : []))

/**
 * Iterates over the indexes of a list or the keys of a map, and looks the second variable up in each
 * iteration.
 */
function compileTwoVariables(
  node: MacroNode,
  compiler: Compiler,
  slot: number,
  operand: CompiledNode,
): CompiledNode {
  const holder = compiler.takeSlot()
  const second = compiler.takeSlot()
  const inner = withVariable(compiler, node.second!, second)
  const lookUp = (next: CompiledNode): CompiledNode => {
    return (frame) => {
      const container = frame.slots[holder]!
      const key = frame.slots[slot]! as MapKey
      frame.slots[second] = isList(container)
        ? container[Number(key)]!
        : entryOf(container as ObjectValue | MapValue, key)!
      return next(frame)
    }
  }
  const keys: CompiledNode = (frame) => {
    const value = operand(frame)
    frame.slots[holder] = value
    if (!isList(value)) return value
    frame.allocate(16 + value.length * 16, node)
    frame.spend(value.length >>> 3, node)
    return Array.from(value, (_, at) => BigInt(at))
  }
  const body = compiler.compile(node.body, inner)
  const filter = node.filter && lookUp(compiler.compile(node.filter, inner))
  const first = filter ? body : lookUp(body)
  return compileLoop({ node, operand: keys, slot, body: first, filter, turn: turnOf(node) })
}

function compileLoop(loop: Loop): CompiledNode {
  switch (loop.node.name) {
    case 'all':
      return compileQuantifier(loop, false)
    case 'exists':
      return compileQuantifier(loop, true)
    case 'exists_one':
      return compileExistsOne(loop)
    case 'filter':
      return compileFilter(loop)
    case 'map':
    case 'transformList':
      return compileMapMacro(loop)
    case 'transformMap':
    case 'transformMapEntry':
      return compileTransformMap(loop)
    case 'sortBy':
    case 'groupBy':
    case 'indexBy':
      return compileByKey(loop)
    case 'optMap':
    case 'optFlatMap':
      throw new Error('an optional is no loop')
  }
}

interface Loop {
  readonly node: MacroNode
  readonly operand: CompiledNode
  readonly slot: number
  readonly body: CompiledNode
  readonly filter: CompiledNode | undefined
  /** Fuel per iteration. */
  readonly turn: number
}

/** The items of a macro: the elements of a list or the keys of a map. */
function itemsOf(loop: Loop, frame: EvaluationFrame): readonly Value[] {
  const value = loop.operand(frame)
  if (isList(value)) return value
  if (isMap(value)) {
    const keys = keysOfMap(value)
    frame.listKeys(keys.length, loop.node)
    return keys
  }
  throw new Fault(
    'expression_wrong_type',
    `${loop.node.name} works on a list or a map, found ${kindOfValue(value)}`,
    loop.node.operand,
  )
}

/**
 * `all` and `exists`: the first deciding element ends the loop; faults of other elements are then ignored.
 */
function compileQuantifier(loop: Loop, decisive: boolean): CompiledNode {
  const { node, slot, body, turn } = loop
  return (frame) => {
    const items = itemsOf(loop, frame)
    let fault: Fault | undefined
    for (let at = 0; at < items.length; at++) {
      frame.spend(turn, node)
      frame.slots[slot] = items[at]!
      try {
        const value = body(frame)
        if (value === decisive) return decisive
        if (typeof value !== 'boolean') fault ??= notBool(node.name, value, node.body)
      } catch (thrown) {
        if (!(thrown instanceof Fault) || thrown.fatal) throw thrown
        frame.absorb(node)
        fault ??= thrown
      }
    }
    if (fault) throw fault
    return !decisive
  }
}

function compileExistsOne(loop: Loop): CompiledNode {
  const { node, slot, body, turn } = loop
  return (frame) => {
    const items = itemsOf(loop, frame)
    let found = 0
    for (let at = 0; at < items.length; at++) {
      frame.spend(turn, node)
      frame.slots[slot] = items[at]!
      if (truth(loop, body(frame))) found++
    }
    return found === 1
  }
}

function compileFilter(loop: Loop): CompiledNode {
  const { node, slot, body, turn } = loop
  return (frame) => {
    const items = itemsOf(loop, frame)
    const result: Value[] = []
    for (let at = 0; at < items.length; at++) {
      const item = items[at]!
      frame.spend(turn, node)
      frame.slots[slot] = item
      if (truth(loop, body(frame))) result.push(item)
    }
    frame.allocate(16 + result.length * 16, node)
    return result
  }
}

function compileMapMacro(loop: Loop): CompiledNode {
  const { node, slot, body, filter, turn } = loop
  return (frame) => {
    const items = itemsOf(loop, frame)
    const result: Value[] = []
    frame.allocate(16 + items.length * 16, node)
    for (let at = 0; at < items.length; at++) {
      frame.spend(turn, node)
      frame.slots[slot] = items[at]!
      if (filter === undefined || truth(loop, filter(frame))) result.push(body(frame))
    }
    return result
  }
}

function compileTransformMap(loop: Loop): CompiledNode {
  const { node, slot, body, filter, turn } = loop
  const isEntry = node.name === 'transformMapEntry'
  return (frame) => {
    const items = itemsOf(loop, frame)
    const result = new Map<MapKey, Value>()
    frame.allocate(32 + items.length * 48, node)
    for (let at = 0; at < items.length; at++) {
      frame.spend(turn + 1, node)
      frame.slots[slot] = items[at]!
      if (filter !== undefined && !truth(loop, filter(frame))) continue
      const value = body(frame)
      if (isEntry) addEntries(result, value, loop, frame)
      else result.set(items[at]! as MapKey, value)
    }
    return mapOf(result)
  }
}

function addEntries(result: Map<MapKey, Value>, value: Value, { node }: Loop, frame: EvaluationFrame): void {
  if (!isMap(value)) {
    const message = `transformMapEntry needs a map such as {key: value}, found ${kindOfValue(value)}`
    throw new Fault('expression_wrong_type', message, node.body)
  }
  const keys = keysOfMap(value)
  frame.listKeys(keys.length, node)
  frame.allocate(keys.length * 48, node)
  for (const key of keys) {
    if (result.has(key)) throw twice(key, node.body)
    result.set(key, entryOf(value, key)!)
  }
}

const twice = (key: MapKey, span: Span): Fault =>
  new Fault('expression_duplicate_key', `the key '${shorten(String(key))}' occurs twice`, span)

/** `sortBy`, `groupBy` and `indexBy`: the body gives a key for each element of a list. */
function compileByKey(loop: Loop): CompiledNode {
  const { node, operand, slot, body, turn } = loop
  const finish = finishByKey[node.name]!
  return (frame) => {
    const items = operand(frame)
    if (!isList(items)) {
      const message = `${node.name} works on a list, found ${kindOfValue(items)}`
      throw new Fault('expression_wrong_type', message, node.operand)
    }
    frame.allocate(16 + items.length * 16, node)
    const keys = items.map((item) => {
      frame.spend(turn, node)
      frame.slots[slot] = item
      return body(frame)
    })
    return finish(items, keys, frame, node)
  }
}

function truth(loop: Loop, value: Value): boolean {
  if (typeof value === 'boolean') return value
  throw notBool(loop.node.name, value, loop.node.filter ?? loop.node.body)
}
