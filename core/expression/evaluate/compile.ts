import type { CallNode, LogicNode, MapLiteral, AstNode } from '../parse/ast.ts'
import { compileBind, compileMacro } from './compile-macros.ts'
import { compileBinary } from './compile-binary.ts'
import { compileIndex, compilePath, compileSelect, compileHas } from './compile-access.ts'
import { Fault } from '../values/errors.ts'
import { notBool, type Compiler, type EvaluationFrame, type CompiledNode } from './frame.ts'
import { findFunction } from '../functions/standard-library.ts'
import { optionalArgument } from '../functions/optionals.ts'
import { negate } from '../values/operators.ts'
import { parseDuration, parseTimestamp } from '../values/time.ts'
import { kindOfValue, mapOf, Optional, toKey, typeValues, type MapKey, type Value } from '../values/values.ts'

/** Compiles a node into a closure; evaluation allocates only values. */
export function compile(node: AstNode, compiler: Compiler): CompiledNode {
  const run = compileNode(node, compiler)
  const time = compiler.conversions.get(node)
  if (time === undefined) return run
  const read = time === 'timestamp' ? parseTimestamp : parseDuration
  return (frame) => {
    const value = run(frame)
    if (typeof value === 'string') return read(value, node)
    const isOptional = value instanceof Optional && typeof value.value === 'string'
    return isOptional ? new Optional(read(value.value, node)) : value
  }
}

function compileNode(node: AstNode, compiler: Compiler): CompiledNode {
  switch (node.kind) {
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'ident':
      return compileIdent(node, compiler)
    case 'select':
      return compilePath(node, compiler) ?? compileSelect(node, compiler)
    case 'index':
      return compileIndex(node, compiler)
    case 'has':
      return compileHas(node, compiler)
    case 'call':
      return compileCall(node, compiler)
    case 'list':
      return compileList(node, compiler)
    case 'map':
      return compileMap(node, compiler)
    case 'logic':
      return compileLogic(node, compiler)
    case 'unary': {
      const operand = compile(node.operand, compiler)
      if (node.operator === '-') return (frame) => negate(operand(frame), node)
      return (frame) => {
        const value = operand(frame)
        if (typeof value === 'boolean') return !value
        throw notBool('!', value, node.operand)
      }
    }
    case 'binary':
      return compileBinary(node, compiler)
    case 'ternary': {
      const condition = compile(node.condition, compiler)
      const whenTrue = compile(node.whenTrue, compiler)
      const whenFalse = compile(node.whenFalse, compiler)
      return (frame) => {
        const value = condition(frame)
        if (value === true) return whenTrue(frame)
        if (value === false) return whenFalse(frame)
        throw notBool('?:', value, node.condition)
      }
    }
    case 'macro':
      return compileMacro(node, compiler)
    case 'bind':
      return compileBind(node, compiler)
    case 'bad':
      throw new Error('a broken expression cannot be compiled')
  }
}

function compileIdent(node: AstNode & { kind: 'ident' }, compiler: Compiler): CompiledNode {
  const { name } = node
  const slot = compiler.variables.get(name)
  if (slot !== undefined) return (frame) => frame.slots[slot]!
  const type = compiler.names.has(name) ? undefined : typeValues.get(name)
  return (frame) => {
    const { scope } = frame
    if (Object.hasOwn(scope, name)) {
      const value = scope[name]
      if (value !== undefined) return value as Value
    }
    if (type) return type
    throw new Fault('expression_unknown_name', `unknown name '${name}'`, node)
  }
}

function compileCall(node: CallNode, compiler: Compiler): CompiledNode {
  const found = findFunction(node.name, node.target !== undefined)
  // The checker reports unknown functions; without it they are faults.
  if (!found)
    return () =>
      fail(new Fault('expression_wrong_type', `there is no function '${node.name}'`, node.nameSpan))
  const nodes = node.target ? [node.target, ...node.args] : node.args
  const arities = found.overloads.map((overload) => overload.parameters.length)
  if (!arities.includes(nodes.length)) {
    return () => fail(new Fault('expression_wrong_type', `'${node.name}' takes other arguments`, node))
  }
  const args = nodes.map((each) => compile(each, compiler))
  const withDefault = compileDefault(node, args)
  if (withDefault) return withDefault
  const prepared = found.prepare?.(nodes.map((each) => (each.kind === 'literal' ? each.value : undefined)))
  const run = prepared ?? found.run
  const none = undefined as unknown as Value
  const [a, b, c, d] = args as [CompiledNode, CompiledNode, CompiledNode, CompiledNode]
  switch (args.length) {
    case 0:
      return (frame) => run(frame, node, none, none, none, none)
    case 1:
      return (frame) => run(frame, node, a(frame), none, none, none)
    case 2:
      // `prepared` already contains the second argument.
      if (prepared) return (frame) => prepared(frame, node, a(frame), none, none, none)
      return (frame) => run(frame, node, a(frame), b(frame), none, none)
    case 3:
      return (frame) => run(frame, node, a(frame), b(frame), c(frame), none)
    default:
      return (frame) => run(frame, node, a(frame), b(frame), c(frame), d(frame))
  }
}

function fail(fault: Fault): never {
  throw fault
}

/** Defaults of optionals are evaluated only if needed. */
function compileDefault(node: CallNode, [a, b]: readonly CompiledNode[]): CompiledNode | undefined {
  if (node.target && (node.name === 'orValue' || node.name === 'or')) {
    const keep = node.name === 'or'
    return (frame) => {
      const target = optionalArgument(a!(frame), node)
      if (target.value !== undefined) return keep ? target : target.value
      return keep ? optionalArgument(b!(frame), node) : b!(frame)
    }
  }
  return undefined
}

function compileList(node: AstNode & { kind: 'list' }, compiler: Compiler): CompiledNode {
  const elements = node.elements.map(({ value, optional: maybe }) => ({
    run: compile(value, compiler),
    maybe,
    value,
  }))
  const cost = 16 + elements.length * 16
  return (frame) => {
    frame.allocate(cost, node)
    const result: Value[] = []
    for (const { run, maybe, value: at } of elements) {
      const value = run(frame)
      if (!maybe) result.push(value)
      else if (optionalArgument(value, at).value !== undefined)
        result.push(optionalArgument(value, at).value!)
    }
    return result
  }
}

function compileMap(node: MapLiteral, compiler: Compiler): CompiledNode {
  const entries = node.entries.map((entry) => ({
    key: compile(entry.key, compiler),
    value: compile(entry.value, compiler),
    entry,
  }))
  const cost = 32 + entries.length * 48
  return (frame) => {
    frame.allocate(cost, node)
    const found = new Map<MapKey, Value>()
    for (const { key, value, entry } of entries) {
      const name = key(frame)
      const mapKey = toKey(name)
      if (mapKey === undefined) {
        throw new Fault('expression_wrong_type', `${kindOfValue(name)} cannot be the key of a map`, entry.key)
      }
      if (found.has(mapKey))
        throw new Fault('expression_duplicate_key', `the key '${mapKey}' occurs twice`, entry.key)
      const each = value(frame)
      const kept = entry.optional ? optionalArgument(each, entry.value).value : each
      if (kept !== undefined) found.set(mapKey, kept)
    }
    return mapOf(found)
  }
}

/**
 * `&&` and `||` as in CEL: if one term decides the result, faults in others are ignored; otherwise the first
 * fault is thrown.
 */
function compileLogic(node: LogicNode, compiler: Compiler): CompiledNode {
  const terms = node.terms.map((term) => ({ run: compile(term, compiler), term }))
  const decisive = node.operator === '||'
  const [first, second] = terms as [(typeof terms)[0], (typeof terms)[0]]
  const rest = (frame: EvaluationFrame, from: number, pending: Fault | undefined): boolean => {
    let fault = pending
    for (let at = from; at < terms.length; at++) {
      const { run, term } = terms[at]!
      try {
        const value = run(frame)
        if (value === decisive) return decisive
        if (typeof value !== 'boolean') fault ??= notBool(node.operator, value, term)
      } catch (thrown) {
        if (!(thrown instanceof Fault) || thrown.fatal) throw thrown
        frame.absorb(term)
        fault ??= thrown
      }
    }
    if (fault) throw fault
    return !decisive
  }
  return (frame) => {
    let value: Value
    try {
      value = first.run(frame)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.fatal) throw thrown
      frame.absorb(first.term)
      return rest(frame, 1, thrown)
    }
    if (value === decisive) return decisive
    if (typeof value !== 'boolean') return rest(frame, 1, notBool(node.operator, value, first.term))
    if (terms.length > 2) return rest(frame, 1, undefined)
    const last = second.run(frame)
    if (typeof last === 'boolean') return last
    throw notBool(node.operator, last, second.term)
  }
}
