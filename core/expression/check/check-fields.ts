import type { AstNode } from '../parse/ast.ts'
import type { Checker, TypeScope } from './checker.ts'
import type { Span } from '../values/errors.ts'
import { hintForKey } from '../parse/lexer.ts'
import { accessPath } from './narrowing.ts'
import { almost, nearest } from '../../common/nearest.ts'
import {
  describeType,
  dyn,
  isSensitive,
  membersOf,
  optionalOf,
  sensitive,
  taken,
  union,
  withoutNull,
  type ObjectType,
  type Type,
} from '../types/types.ts'

/** How a field is read: `a.b`, `a.?b` or `has(a.b)`. */
export type FieldAccess = 'plain' | 'optional' | 'has'

/** A read of a field, by dot or by `["name"]`. */
export interface FieldRead {
  readonly node: AstNode
  readonly operand: AstNode
  readonly field: string
  /** The place of the field's name. */
  readonly span: Span
}

/** A field in one of the possible types of its container. */
interface Found {
  readonly type: Type
  readonly optional: boolean
}

/** `.?c` and `[?c]`, which give nothing if the optional before them is null. */
const isOptionalRead = (node: AstNode): boolean =>
  (node.kind === 'select' || node.kind === 'index') && node.optional

/** `a.b.?c` where `b` may be null. */
function hintForNull(checker: Checker, { node, operand }: FieldRead): string | undefined {
  if (!isOptionalRead(node) || operand.kind !== 'select' || operand.optional) return undefined
  return `write ${checker.text(operand.operand)}.?${operand.field}.?…, which gives nothing for null`
}

/** The type of a field; reports fields that do not exist, may be missing, or whose container may be null. */
export function selectField(
  checker: Checker,
  read: FieldRead,
  container: Type,
  scope: TypeScope,
  access: FieldAccess,
): Type {
  if (container.kind === 'optional') {
    const value = isOptionalRead(read.node) ? withoutNull(container.value) : container.value
    if (value.kind === 'null' && isOptionalRead(read.node)) return optionalOf(dyn)
    const inner = selectField(checker, read, taken(value, [container]), scope, 'optional')
    return access === 'has' || inner.kind === 'optional' ? inner : optionalOf(inner)
  }
  const isNull = checker.mayBeNull(read.operand, container, hintForNull(checker, read))
  if (isNull && container.kind === 'null') return dyn
  const members = membersOf(withoutNull(container))
  const found = members.map((member) => lookUp(member, read.field))
  const known = found.filter((each) => each !== undefined)
  if (known.length === 0) {
    // After narrowing, a field of another member of the union is not a mistake.
    const wide = checker.widened.get(read.operand)
    if (wide && membersOf(wide).some((member) => lookUp(member, read.field)))
      return selectField(checker, read, wide, scope, access)
    reportUnknown(checker, read, members)
    return access === 'optional' ? optionalOf(dyn) : dyn
  }
  if (access !== 'plain')
    checker.doubt(read.operand, container, hasFields, () => `it has no field '${read.field}'`)
  doubtUnlisted(checker, read, members)
  const path = accessPath(read.node)
  const present = path !== undefined && scope.knowledge.isPresent(path)
  const optional = known.length < found.length || known.some((each) => each.optional)
  if (optional && access === 'plain' && !present) reportOptional(checker, read)
  const type = union(known.map((each) => each.type))
  return access === 'optional' ? optionalOf(type) : type
}

/** Reports a field that an open schema does not list, if its name is almost that of a listed field. */
export function doubtUnlisted(
  checker: Checker,
  { field, span, operand }: Pick<FieldRead, 'field' | 'span' | 'operand'>,
  members: readonly Type[],
): void {
  const objects = members.filter((member): member is ObjectType => member.kind === 'object')
  const fields = objects.flatMap(({ properties }) => Array.from(properties.keys()))
  const meant = objects.length === members.length ? almost(field, fields) : undefined
  if (meant === undefined) return
  const message = `${checker.text(operand)} lists no field '${field}'`
  const hint = `did you mean ${asWritten(checker, span, meant)}?`
  checker.doubts.push({ code: 'near_field', message, hint, start: span.start, end: span.end })
}

const hasFields = ({ kind }: Type): boolean => ['object', 'map', 'dyn', 'optional'].includes(kind)

/** Parts of a sensitive value are sensitive too. */
function lookUp(type: Type, field: string): Found | undefined {
  const found = lookUpUnmarked(type, field)
  return found && type.sensitive === true ? { ...found, type: sensitive(found.type) } : found
}

function lookUpUnmarked(type: Type, field: string): Found | undefined {
  if (type.kind === 'dyn') {
    const found = type.shape
      ? membersOf(type.shape).flatMap((member) => lookUp(member, field)?.type ?? [])
      : []
    return { type: union([dyn, ...found.filter(isSensitive)]), optional: false }
  }
  if (type.kind === 'map') return { type: type.value, optional: false }
  if (type.kind !== 'object') return undefined
  const property = type.properties.get(field)
  if (property) return { type: property.type, optional: property.optional === true }
  return type.additional && { type: type.additional, optional: false }
}

function reportUnknown(
  checker: Checker,
  { field, span, operand }: FieldRead,
  members: readonly Type[],
): void {
  const objects = members.filter((member): member is ObjectType => member.kind === 'object')
  const path = checker.text(operand)
  if (objects.length === 0) {
    const type = describeType(union(members))
    const hint = /^(?:length|len|size|count)$/.test(field)
      ? `write size(${path})`
      : members.some((member) => member.kind === 'list')
        ? hintForElements(path, field)
        : undefined
    checker.problem('wrong_type', `${path} is ${type}: it has no field '${field}'`, span, hint)
    return
  }
  const fields = objects.flatMap(({ properties }) => Array.from(properties.keys()))
  const key = checker.hyphenated(span)
  const isKey = key !== undefined && fields.includes(key)
  const near = nearest(field, fields)
  const inner = near === undefined ? hintForInner(path, field, objects) : undefined
  const listed = fields.length > 0 && fields.length <= 8 ? `it has ${fields.join(', ')}` : undefined
  checker.problem(
    'unknown_field',
    `${path} has no field '${field}'`,
    span,
    isKey
      ? hintForKey(key)
      : near === undefined
        ? (inner ?? listed)
        : `did you mean ${asWritten(checker, span, near)}?`,
  )
}

/** `event.verdict` for `event.case.verdict`: the field is in exactly one of the objects inside, or may be in `data`. */
function hintForInner(path: string, field: string, objects: readonly ObjectType[]): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(field)) return undefined
  const inside = objects.flatMap(({ properties }) =>
    [...properties].filter(([, { type }]) =>
      membersOf(withoutNull(type)).some((each) => each.kind === 'object' && each.properties.has(field)),
    ),
  )
  const certain = inside.filter(([, { type }]) => type.kind === 'object')
  const [parent, second] = new Set((certain.length > 0 ? certain : inside).map(([name]) => name))
  if (parent !== undefined)
    return second === undefined ? `did you mean ${path}.${parent}.${field}?` : undefined
  const hasData = objects.some(({ properties }) => properties.get('data')?.type.kind === 'dyn')
  return hasData ? `did you mean ${path}.data.${field}?` : undefined
}

/** The name of a field in its notation: after a dot, or in the quotes of `["name"]`. */
function asWritten(checker: Checker, span: Span, name: string): string {
  const [quote = ''] = /^["']/.exec(checker.text(span)) ?? []
  return `${quote}${name}${quote}`
}

function hintForElements(list: string, field: string): string {
  if (/^\d+$/.test(field)) return `write ${list}[${field}]`
  const read = /^[A-Za-z_]\w*$/.test(field) ? `.${field}` : `[${JSON.stringify(field)}]`
  return `write ${list}[0]${read} for the first one, or ${list}.map(each, each${read}) for all`
}

function reportOptional(checker: Checker, { node, operand, field }: FieldRead): void {
  const path = checker.text(node)
  const dotted = /^[A-Za-z_]\w*$/.test(field)
  const safe = dotted ? `${checker.text(operand)}.?${field}` : `${checker.text(operand)}[?'${field}']`
  const guard = dotted && node.kind === 'select' ? `has(${path})` : `'${field}' in ${checker.text(operand)}`
  checker.problem(
    'optional_field',
    `${path} may be missing`,
    node,
    `guard it with ${guard}, or give a default: ${safe}.orValue(…)`,
  )
}
