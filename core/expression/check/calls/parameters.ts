import type { AstNode } from '../../parse/ast.ts'
import type { ParameterType } from '../../functions/function.ts'
import type { Checker } from '../checker.ts'
import { describeType, isNumeric, membersOf, timeKind, union, type Type } from '../../types/types.ts'

/** Whether some of the possible types fit a parameter. */
export function accepts(parameter: ParameterType, type: Type): boolean {
  return membersOf(type).some((member) => acceptsOne(parameter, member))
}

const numeric = ['int', 'double', 'number', 'dyn'] as const

/**
 * The kinds of elements that a list must have. `strings` includes times, because times in JSON are strings.
 */
const elementKinds: Partial<Record<ParameterType, readonly Type['kind'][]>> = {
  strings: ['string', 'dyn', 'timestamp', 'duration'],
  numbers: numeric,
  summable: [...numeric, 'duration'],
  ordered: [...numeric, 'string', 'bool', 'timestamp', 'duration'],
}

const hasElements = (type: Type, kinds: readonly Type['kind'][]): boolean =>
  type.kind === 'list' && membersOf(type.element).some(({ kind }) => kinds.includes(kind))

/** The kinds of elements that these alternatives for one parameter need; undefined if a list may have any. */
export const elementsOf = (parameters: readonly ParameterType[]): readonly Type['kind'][] | undefined =>
  parameters.map((each) => elementKinds[each]).find((kinds) => kinds !== undefined)

/** A list may also contain types that are not needed, such as null. */
export function doubtElements(
  checker: Checker,
  name: string,
  node: AstNode,
  type: Type,
  kinds: readonly Type['kind'][],
): void {
  const elements = membersOf(type).flatMap((each) => (each.kind === 'list' ? membersOf(each.element) : []))
  const stray = elements.filter(({ kind }) => !kinds.includes(kind))
  if (stray.length === 0) return
  const found = describeType(union(stray))
  const message = `${checker.text(node)} may hold ${found}: ${name}() does not work on it`
  const hint = strayHint(
    stray.map(({ kind }) => kind),
    kinds,
  )
  checker.doubts.push({ code: 'mixed_type', message, hint, start: node.start, end: node.end })
}

function strayHint(stray: readonly Type['kind'][], wanted: readonly Type['kind'][]): string {
  if (stray.includes('null')) return 'leave out nulls: .filter(x, x != null)'
  if (stray.includes('optional')) return 'leave out missing values: [?x.?field]'
  return `convert its elements: .map(x, ${wanted.includes('string') ? 'string' : 'double'}(x))`
}

/** A parameter in messages. */
export const spoken = (parameter: ParameterType): string => spokenNames[parameter] ?? parameter

const spokenNames: Partial<Record<ParameterType, string>> = {
  strings: 'a list of strings',
  numbers: 'a list of numbers',
  summable: 'a list of numbers or durations',
  ordered: 'a list of numbers, strings, bools or times',
  any: 'a value',
  value: 'a value',
  int: 'a whole number',
}

/** Parameters that also accept types other than the one of the same name. */
const acceptance: Partial<Record<ParameterType, (type: Type) => boolean>> = {
  any: () => true,
  value: () => true,
  number: isNumeric,
  int: (type) => type.kind === 'int' || type.kind === 'number',
  strings: (type) => hasElements(type, ['string', 'dyn']),
  numbers: (type) => hasElements(type, elementKinds.numbers!),
  summable: (type) => hasElements(type, elementKinds.summable!),
  ordered: (type) => hasElements(type, elementKinds.ordered!),
  map: (type) => type.kind === 'map' || type.kind === 'object',
  timestamp: (type) => timeKind(type) === 'timestamp',
  duration: (type) => timeKind(type) === 'duration',
}

/** Whether a type, which is no union, fits a parameter. */
export function acceptsOne(parameter: ParameterType, type: Type): boolean {
  if (type.kind === 'dyn') return true
  const accepted = acceptance[parameter]
  return accepted ? accepted(type) : type.kind === parameter
}
