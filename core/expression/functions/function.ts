import type { AstNode } from '../parse/ast.ts'
import type { Meter } from '../values/budget.ts'
import { Fault, type Span } from '../values/errors.ts'
import type { Type } from '../types/types.ts'
import { resultNamed } from './results.ts'
import { isList, kindOfValue, type Value } from '../values/values.ts'

/**
 * The type of a parameter. `number` is an int or a double, `any` everything except null. Lists of certain
 * elements are `strings`, `numbers`, `summable` (numbers or durations) and `ordered` (elements with an order).
 */
export type ParameterType =
  | 'any'
  | 'value'
  | 'string'
  | 'strings'
  | 'number'
  | 'numbers'
  | 'summable'
  | 'ordered'
  | 'int'
  | 'bool'
  | 'list'
  | 'map'
  | 'timestamp'
  | 'duration'
  | 'optional'

/** One way to call a function. The receiver, if there is one, is the first parameter. */
export interface Overload {
  readonly parameters: readonly ParameterType[]
  readonly result: Type | ((args: readonly Type[]) => Type)
  /** The result consists of parts of the arguments, whose types tell whether they are sensitive. */
  readonly ofParts?: boolean | undefined
}

/** Runs a function. Missing arguments are undefined; `span` is the call, for faults. */
export type FunctionBody = (meter: Meter, span: Span, a: Value, b: Value, c: Value, d: Value) => Value

/** Throws a fault for a literal argument that is invalid regardless of the other arguments. */
type Try = (text: string, span: Span, args: readonly AstNode[]) => void

interface Options {
  /** For each parameter, a check of string literals before the run. */
  readonly tries?: readonly (Try | undefined)[] | undefined
  /**
   * Fuel of one call in a loop, regardless of the arguments; default 1. What depends on their size is paid
   * with `Meter`.
   */
  readonly price?: number | undefined
  /**
   * A specialized body for calls with these literal arguments; undefined for arguments that are not
   * literals. It receives all arguments, except a literal second one of two.
   */
  readonly prepare?: ((literals: readonly (Value | undefined)[]) => FunctionBody | undefined) | undefined
}

/** A function of the profile. */
export interface ExpressionFunction extends Options {
  readonly name: string
  /** Called as `target.name(…)`; the same name may exist without a target too. */
  readonly receiver: boolean
  readonly overloads: readonly Overload[]
  readonly run: FunctionBody
}

/** `list, int -> same`: the parameters and the name of a result, see `results.ts`. Or an overload itself. */
export type WrittenOverload = string | Overload

function readSignature(signature: WrittenOverload): Overload {
  if (typeof signature !== 'string') return signature
  const [left = '', right = ''] = signature.split('->').map((part) => part.trim())
  const parameters = left === '' ? [] : (left.split(/,\s*/) as ParameterType[])
  return { parameters, ...resultNamed(right) }
}

/** A function called as `target.name(…)`. */
export const method = (
  name: string,
  signatures: readonly WrittenOverload[],
  run: FunctionBody,
  options: Options = {},
): ExpressionFunction => ({ name, receiver: true, overloads: signatures.map(readSignature), run, ...options })

/** A function called as `name(…)`. */
export const global = (
  name: string,
  signatures: readonly WrittenOverload[],
  run: FunctionBody,
  options: Options = {},
): ExpressionFunction => ({
  name,
  receiver: false,
  overloads: signatures.map(readSignature),
  run,
  ...options,
})

/** The function does not accept an argument of this type. */
export const wrongArgument = (span: Span, value: Value, wanted: string): Fault =>
  new Fault('expression_wrong_type', `expected ${wanted}, found ${kindOfValue(value)}`, span)

export const invalidArgument = (span: Span, message: string, hint?: string): Fault =>
  new Fault('expression_invalid_argument', message, span, hint)

export function stringArgument(value: Value, span: Span): string {
  if (typeof value === 'string') return value
  throw wrongArgument(span, value, 'string')
}

/** A whole number: an int, or a JSON number without a fraction. */
export function integerArgument(value: Value, span: Span): number {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw wrongArgument(span, value, 'a whole number')
}

/** The list of an argument. */
export function listArgument(value: Value, span: Span): readonly Value[] {
  if (isList(value)) return value
  throw wrongArgument(span, value, 'a list')
}

/** A number of either kind. */
export function numberArgument(value: Value, span: Span): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  throw wrongArgument(span, value, 'a number')
}
