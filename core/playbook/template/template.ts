import {
  describeType,
  dyn,
  enumeration,
  integer,
  isSensitive,
  list,
  membersOf,
  nullType,
  number,
  bool,
  sensitive,
  string,
  toJsonValue,
  toText,
  union,
  type Program,
  type Property,
  type Type,
} from '../../expression/index.ts'
import type { Node, ScalarNode } from '../yaml/document.ts'
import { typeInWords } from './plain-words.ts'
import type { Template } from '../language/playbook.ts'
import type { ProblemCode } from '../language/problem-catalogue.ts'
import type { Span } from '../language/source-text.ts'
import { splitTemplate, type Segment } from '../yaml/template-text.ts'
import { keptType } from './type-forms.ts'
import type { Sliced } from '../../common/sliced.ts'
import type { TypedTemplate } from './typed-template.ts'

/** The dependencies of {@link compileTemplate}. */
export interface TemplateCompiler {
  /**
   * Compiles the expression at `from` to `to` of the scalar's value; undefined if invalid, which has been
   * reported.
   */
  expression(scalar: ScalarNode, from: number, to: number): Program | undefined
  /** Reports a problem in a part of the scalar's value. */
  report(
    code: ProblemCode,
    message: string,
    scalar: ScalarNode,
    from: number,
    to: number,
    hint?: string,
  ): void
  /** Whether a comment follows, so that a ` #` may have cut off the value. */
  isCutOff(scalar: ScalarNode): boolean
  /**
   * Receives the text outside of expressions, at the offsets of the scalar's value; `isWhole` if there are no
   * expressions.
   */
  plainText(scalar: ScalarNode, text: string, isWhole: boolean): void
  /** The source range of a part of the scalar's value. */
  spanOf(scalar: ScalarNode, from: number, to: number): Span
  /** Reports a problem at a place in the source. */
  reportAt(code: ProblemCode, message: string, span: Span, hint?: string): void
}

/** Compiles a YAML value with expressions. Invalid parts are reported and have type `dyn`. */
export function* compileTemplate(node: Node, compiler: TemplateCompiler): Sliced<TypedTemplate> {
  const { start, end } = node
  switch (node.kind) {
    case 'scalar':
      return { start, end, style: node.style, ...(yield* compileScalar(node, compiler)) }
    case 'list': {
      const items: TypedTemplate[] = []
      for (const item of node.items) items.push(yield* compileTemplate(item, compiler))
      return listOf(node, items)
    }
    case 'map': {
      const entries: { name: string; key: Span; value: TypedTemplate }[] = []
      for (const { name, key, value } of node.entries) {
        if (name.includes('${{')) compiler.reportAt('E107', 'keys take no expressions', key)
        entries.push({ name, key, value: yield* compileTemplate(value, compiler) })
      }
      return mapOf(node, entries)
    }
  }
}

/** A literal value without expressions. */
export function writtenValue(node: Node): TypedTemplate {
  const { start, end } = node
  switch (node.kind) {
    case 'scalar':
      return { start, end, ...literal(node.value) }
    case 'list':
      return listOf(node, node.items.map(writtenValue))
    case 'map':
      return mapOf(
        node,
        node.entries.map((entry) => ({ ...entry, value: writtenValue(entry.value) })),
      )
  }
}

function listOf({ start, end }: Span, items: readonly TypedTemplate[]): TypedTemplate {
  const template = joinList(items.map((item) => item.template))
  const type = list(items.length === 0 ? dyn : union(items.map((item) => item.type)))
  return { start, end, template, type, items }
}

function mapOf({ start, end }: Span, entries: NonNullable<TypedTemplate['entries']>): TypedTemplate {
  const properties = new Map(entries.map(({ name, value: { type } }): [string, Property] => [name, { type }]))
  const template = joinMap(entries.map(({ name, value }) => [name, value.template] as const))
  return { start, end, template, type: { kind: 'object', properties, additional: undefined }, entries }
}

type Compiled = Pick<TypedTemplate, 'template' | 'type' | 'written'>

function* compileScalar(scalar: ScalarNode, compiler: TemplateCompiler): Sliced<Compiled> {
  const { value } = scalar
  if (typeof value !== 'string') return literal(value)
  if (!value.includes('${{')) {
    compiler.plainText(scalar, value, true)
    return literal(value)
  }
  yield
  const segments = splitTemplate(value)
  compiler.plainText(scalar, withoutExpressions(value, segments), false)
  const meaningful = segments.filter((segment) => segment.kind !== 'text' || segment.text.trim() !== '')
  const [only] = meaningful
  if (meaningful.length === 1 && only!.kind === 'expression') {
    const program = compiler.expression(scalar, only!.start, only!.end)
    if (program === undefined) return { ...literal(null), type: dyn }
    const [from] = trimmed(value, only!.start, only!.end)
    const written = program.writtenTexts.map(({ text, start, end }) => ({
      text,
      ...compiler.spanOf(scalar, from + start, from + end),
    }))
    return { template: { kind: 'expression', program }, type: keptType(program.type), written }
  }
  const parts: (string | Program)[] = []
  for (const segment of segments) {
    if (segment.kind === 'text') parts.push(segment.text)
    else if (segment.kind === 'unclosed') {
      const hint = compiler.isCutOff(scalar)
        ? '" #" begins a comment: put the whole value into quotes'
        : 'close it with }}, or write $${{ for the characters themselves'
      compiler.report('E201', 'this expression is never closed', scalar, segment.start, segment.end, hint)
    } else {
      yield
      const program = compiler.expression(scalar, segment.start, segment.end)
      if (program === undefined) continue
      parts.push(program)
      checkScalar(program, scalar, segment.start, segment.end, compiler)
    }
  }
  if (parts.every((part) => typeof part === 'string')) return literal(parts.join(''))
  const template: Template = { kind: 'text', parts }
  return { template, type: isSensitiveTemplate(template) ? sensitive(string) : string }
}

/** The text with its expressions blanked out, at unchanged offsets. */
function withoutExpressions(text: string, segments: readonly Segment[]): string {
  const pieces: string[] = []
  let at = 0
  for (const segment of segments) {
    if (segment.kind === 'text') continue
    pieces.push(text.slice(at, segment.start), '\n'.repeat(segment.end - segment.start))
    at = segment.end
  }
  return pieces.join('') + text.slice(at)
}

const textual = new Set<Type['kind']>([
  'dyn',
  'bool',
  'int',
  'double',
  'number',
  'string',
  'timestamp',
  'duration',
])

function checkScalar(
  program: Program,
  scalar: ScalarNode,
  from: number,
  to: number,
  compiler: TemplateCompiler,
): void {
  const stray = membersOf(program.type).find((member) => !textual.has(member.kind))
  if (stray === undefined) return
  const { code, hint } =
    stray.kind === 'list'
      ? { code: 'E211' as const, hint: "join it: .join(', ')" }
      : stray.kind === 'null'
        ? { code: 'E207' as const, hint: nullHint(program) }
        : stray.kind === 'optional'
          ? { code: 'E206' as const, hint: 'add .orValue(…)' }
          : { code: 'E211' as const, hint: 'select a field of it, or write json(…)' }
  const [start, end] = trimmed(String(scalar.value), from, to)
  const what = code === 'E211' ? typeInWords(stray) : describeType(stray)
  compiler.report(code, `${what} cannot be inserted into text`, scalar, start, end, hint)
}

/** Names the value if it is short. */
function nullHint({ source }: Program): string {
  const value = /^[\w.[\]]{1,60}$/.test(source) ? source : 'x'
  return `write ${value} == null ? "" : ${value}`
}

/** The range without surrounding white space. */
export function trimmed(text: string, from: number, to: number): readonly [number, number] {
  const inner = text.slice(from, to)
  const start = from + (inner.length - inner.trimStart().length)
  return [start, Math.max(start + 1, from + inner.trimEnd().length)]
}

function literal(value: ScalarNode['value']): Compiled {
  return { template: { kind: 'literal', value }, type: typeOfScalar(value) }
}

function typeOfScalar(value: ScalarNode['value']): Type {
  if (value === null) return nullType
  if (typeof value === 'string') return enumeration([value])
  if (typeof value === 'boolean') return bool
  return Number.isInteger(value) ? integer : number
}

/** Whether its value is sensitive, at any depth. */
export function isSensitiveTemplate(template: Template): boolean {
  switch (template.kind) {
    case 'literal':
      return false
    case 'expression':
      return isSensitive(template.program.type)
    case 'text':
      return template.parts.some((part) => typeof part !== 'string' && isSensitive(part.type))
    case 'list':
      return template.items.some(isSensitiveTemplate)
    case 'map':
      return template.entries.some(([, value]) => isSensitiveTemplate(value))
  }
}

/** A list or map of literals is a literal, which is frozen and shared. */
function joinList(items: readonly Template[]): Template {
  const values = literals(items)
  return values ? { kind: 'literal', value: Object.freeze(values) } : { kind: 'list', items }
}

function joinMap(entries: readonly (readonly [string, Template])[]): Template {
  const values = literals(entries.map(([, value]) => value))
  if (!values) return { kind: 'map', entries }
  // fromEntries defines properties: `__proto__` is a key like any other.
  const value = Object.fromEntries(entries.map(([name], index) => [name, values[index]]))
  return { kind: 'literal', value: Object.freeze(value) }
}

function literals(templates: readonly Template[]): unknown[] | undefined {
  const values: unknown[] = []
  for (const template of templates) {
    if (template.kind !== 'literal') return undefined
    values.push(template.value)
  }
  return values
}

/**
 * Evaluates a template to a JSON value. Literal parts are frozen and shared: copy before changing.
 *
 * @throws ExpressionError
 */
export function evaluateTemplate(template: Template, scope: Readonly<Record<string, unknown>>): unknown {
  switch (template.kind) {
    case 'literal':
      return template.value
    case 'expression':
      return toJsonValue(template.program.evaluate(scope), template.program.source)
    case 'text':
      return template.parts
        .map((part) => (typeof part === 'string' ? part : toText(part.evaluate(scope))))
        .join('')
    case 'list':
      return template.items.map((item) => evaluateTemplate(item, scope))
    case 'map':
      return Object.fromEntries(
        template.entries.map(([name, value]) => [name, evaluateTemplate(value, scope)]),
      )
  }
}
