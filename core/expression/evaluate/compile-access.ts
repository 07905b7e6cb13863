import type { HasNode, IndexNode, AstNode, SelectNode } from '../parse/ast.ts'
import { type Compiler, type EvaluationFrame, type CompiledNode } from './frame.ts'
import { Fault, type Span } from '../values/errors.ts'
import { isMap, lookUp } from '../values/operators.ts'
import { shorten } from '../values/time.ts'
import { entryOf, isPlainObject, kindOfValue, Optional, type Value } from '../values/values.ts'

/** The field of a value, undefined if missing. Throws a fault for a value without fields. */
function fieldOf(container: Value, field: string, node: SelectNode, source: string): Value | undefined {
  if (isPlainObject(container)) return Object.hasOwn(container, field) ? container[field] : undefined
  if (isMap(container)) return entryOf(container, field)
  throw noFields(container, field, node.operand, node, source)
}

function noFields(container: Value, field: string, operand: Span, node: Span, source: string): Fault {
  const path = pathText(operand, source)
  const hint = container === null ? `check ${path} != null first` : undefined
  return new Fault(
    'expression_wrong_type',
    `${path} is ${container === null ? 'null' : `a ${kindOfValue(container)}`}: it has no field '${field}'`,
    node,
    hint,
  )
}

function missing(path: string, span: Span, hint: string): Fault {
  return new Fault('expression_missing_field', `${path} is missing`, span, hint)
}

const pathText = (span: Span, source: string): string => shorten(source.slice(span.start, span.end))

/** `name.field.field`, the most common read, without a closure per dot. */
export function compilePath(node: SelectNode, compiler: Compiler): CompiledNode | undefined {
  const steps: SelectNode[] = []
  let at: AstNode = node
  while (at.kind === 'select' && !at.optional && (at === node || !compiler.conversions.has(at))) {
    steps.unshift(at)
    at = at.operand
  }
  // An optional selection is optional, and so is every field read from it.
  if (at.kind !== 'ident' || steps.length === 0) return undefined
  const root = compiler.compile(at, compiler)
  const fields = steps.map((step) => step.field)
  const { source } = compiler
  if (steps.length === 1) {
    const { field } = node
    return (frame) => read(root(frame), field, node, source)
  }
  return (frame) => {
    let value = root(frame)
    for (let index = 0; index < fields.length; index++)
      value = read(value, fields[index]!, steps[index]!, source)
    return value
  }
}

function read(container: Value, field: string, node: SelectNode, source: string): Value {
  if (container instanceof Optional) return inside(container, (value) => fieldOf(value, field, node, source))
  const value = fieldOf(container, field, node, source)
  if (value === undefined) {
    const path = pathText(node, source)
    const safe = path.replace(/\.([^.`]*|`[^`]*`)$/, '.?$1')
    throw missing(path, node, `guard it with has(${path}), or give a default: ${safe}.orValue(…)`)
  }
  return value
}

/** Continues inside an optional; missing values stay missing. */
function inside(optional: Optional, next: (value: Value) => Value | undefined): Optional {
  if (optional.value === undefined) return optional
  const value = next(optional.value)
  return value === undefined ? Optional.none : new Optional(value)
}

/** `operand.field` and `operand.?field`. */
export function compileSelect(node: SelectNode, compiler: Compiler): CompiledNode {
  const operand = compiler.compile(node.operand, compiler)
  const { field } = node
  const { source } = compiler
  if (!node.optional) return (frame) => read(operand(frame), field, node, source)
  const next = (value: Value): Value | undefined => fieldOf(value, field, node, source)
  return (frame) => {
    const container = operand(frame)
    if (container instanceof Optional) return inside(container, unlessNull(next))
    const value = next(container)
    return value === undefined ? Optional.none : new Optional(value)
  }
}

/** `a.?b.?c` gives nothing if `a.b` is null; `a` itself must not be null. */
const unlessNull =
  (next: (value: Value) => Value | undefined) =>
  (value: Value): Value | undefined =>
    value === null ? undefined : next(value)

/** `operand[index]` and `operand[?index]`. */
export function compileIndex(node: IndexNode, compiler: Compiler): CompiledNode {
  const operand = compiler.compile(node.operand, compiler)
  const index = compiler.compile(node.index, compiler)
  const { source } = compiler
  return (frame) => {
    const container = operand(frame)
    const key = index(frame)
    if (container instanceof Optional) {
      const next = (value: Value): Value | undefined => lookUp(value, key, node)
      return inside(container, node.optional ? unlessNull(next) : next)
    }
    const value = lookUp(container, key, node)
    if (node.optional) return value === undefined ? Optional.none : new Optional(value)
    if (value !== undefined) return value
    if (!Array.isArray(container)) {
      const [path, name] = [pathText(node.operand, source), pathText(node.index, source)]
      const hint = `guard it with ${name} in ${path}, or give a default: ${path}[?${name}].orValue(…)`
      throw missing(pathText(node, source), node, hint)
    }
    throw new Fault(
      'expression_index_out_of_range',
      `${pathText(node.operand, source)} has ${container.length} elements, none at ${Number(key)}`,
      node,
    )
  }
}

/** `has(operand.field)`. */
export function compileHas({ field: node }: HasNode, compiler: Compiler): CompiledNode {
  const operand = compiler.compile(node.operand, compiler)
  const { field } = node
  const { source } = compiler
  return (frame: EvaluationFrame) => {
    const container = operand(frame)
    if (container instanceof Optional) {
      return inside(container, (value) => fieldOf(value, field, node, source)).value !== undefined
    }
    return fieldOf(container, field, node, source) !== undefined
  }
}
