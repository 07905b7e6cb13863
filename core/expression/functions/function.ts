import type { AstNode } from '../parse/ast.ts'
import type { Meter } from '../values/budget.ts'
import { Fault, type Span } from '../values/errors.ts'
import { dyn, list, optionalOf, string, type Type } from '../types/types.ts'
import * as types from '../types/types.ts'
import { kindOfValue, type Value } from '../values/values.ts'

/**
 * The type of a parameter. `number` is an int or a double, `strings` a list of strings, `any` everything
 * except null.
 */
export type ParameterType =
  | 'any'
  | 'value'
  | 'string'
  | 'strings'
  | 'number'
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
}

/** Runs a function. Missing arguments are undefined; `span` is the call, for faults. */
export type FunctionBody = (meter: Meter, span: Span, a: Value, b: Value, c: Value, d: Value) => Value

/** Throws a fault for a literal argument that is invalid regardless of the other arguments. */
type Try = (text: string, span: Span, args: readonly AstNode[]) => void

/** A function of the profile. */
export interface ExpressionFunction {
  readonly name: string
  /** Called as `target.name(…)`; the same name may exist without a target too. */
  readonly receiver: boolean
  readonly overloads: readonly Overload[]
  readonly run: FunctionBody
  /** For each parameter, a check of literals before the run. */
  readonly tries?: readonly (Try | undefined)[] | undefined
}

const results: Readonly<Record<string, Type>> = {
  any: dyn,
  bool: types.bool,
  int: types.int,
  double: types.double,
  string,
  strings: list(string),
  timestamp: types.timestamp,
  duration: types.duration,
  type: types.typeType,
  optional: optionalOf(dyn),
}

/** Reads signatures such as `string, int -> string`, one for each overload. */
function overloads(...signatures: readonly string[]): Overload[] {
  return signatures.map((signature) => {
    const [left = '', right = ''] = signature.split('->').map((part) => part.trim())
    return {
      parameters: left === '' ? [] : (left.split(/,\s*/) as ParameterType[]),
      result: results[right]!,
    }
  })
}

/** A function called as `target.name(…)`. */
export const method = (
  name: string,
  signatures: readonly string[],
  run: FunctionBody,
  tries?: ExpressionFunction['tries'],
): ExpressionFunction => ({ name, receiver: true, overloads: overloads(...signatures), run, tries })

/** A function called as `name(…)`. */
export const global = (
  name: string,
  signatures: readonly string[],
  run: FunctionBody,
  tries?: ExpressionFunction['tries'],
): ExpressionFunction => ({ name, receiver: false, overloads: overloads(...signatures), run, tries })

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
