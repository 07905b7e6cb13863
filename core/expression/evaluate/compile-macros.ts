import type { BindNode, MacroNode } from '../parse/ast.ts'
import { notBool, turnPrice, type Compiler, type EvaluationFrame, type CompiledNode } from './frame.ts'
import { Fault } from '../values/errors.ts'
import { optionalArgument } from '../functions/optionals.ts'
import { isMap } from '../values/operators.ts'
import { isList, keysOfMap, kindOfValue, Optional, type Value } from '../values/values.ts'

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
  const body = compiler.compile(node.body, inner)
  const filter = node.filter && compiler.compile(node.filter, inner)
  if (node.name === 'optMap' || node.name === 'optFlatMap') {
    return (frame) => {
      const target = optionalArgument(operand(frame), node)
      if (target.value === undefined) return target
      frame.slots[slot] = target.value
      const value = body(frame)
      return node.name === 'optMap' ? new Optional(value) : optionalArgument(value, node)
    }
  }
  const turn = turnPrice(node.body, ...(node.filter ? [node.filter] : []))
  const loop: Loop = { node, operand, slot, body, filter, turn }
  switch (node.name) {
    case 'all':
      return compileQuantifier(loop, false)
    case 'exists':
      return compileQuantifier(loop, true)
    case 'exists_one':
      return compileExistsOne(loop)
    case 'filter':
      return compileFilter(loop)
    case 'map':
      return compileMapMacro(loop)
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

function truth(loop: Loop, value: Value): boolean {
  if (typeof value === 'boolean') return value
  throw notBool(loop.node.name, value, loop.node.filter ?? loop.node.body)
}
