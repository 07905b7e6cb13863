import type { Meter } from '../values/budget.ts'
import { Fault, type Span } from '../values/errors.ts'
import { isMap } from '../values/operators.ts'
import { dyn, optionalOf, union, withoutNull, type Type } from '../types/types.ts'
import { Duration, isList, keysOfMap, Optional, Timestamp, type Value } from '../values/values.ts'
import { global, method, wrongArgument, type ExpressionFunction } from './function.ts'

export function optionalArgument(value: Value, span: Span): Optional {
  if (value instanceof Optional) return value
  throw wrongArgument(span, value, 'an optional')
}

const inside = (type: Type | undefined): Type => (type?.kind === 'optional' ? type.value : dyn)

/** Zero values: false, 0, '', empty lists and maps, null, the epoch and the empty duration. */
function isZero(value: Value, meter: Meter, span: Span): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true
  if (isList(value)) return value.length === 0
  if (value instanceof Timestamp || value instanceof Duration) return value.seconds === 0 && value.nanos === 0
  if (!isMap(value)) return false
  const keys = keysOfMap(value)
  meter.listKeys(keys.length, span)
  return keys.length === 0
}

const wrap = (args: readonly Type[]): Type => optionalOf(args[0] ?? dyn)
const wrapNonZero = (args: readonly Type[]): Type => optionalOf(withoutNull(args[0] ?? dyn))
const ofParts = true

export const optionalFunctions: readonly ExpressionFunction[] = [
  global(
    'optional.of',
    [{ parameters: ['value'], result: wrap, ofParts }],
    (_meter, _span, value) => new Optional(value),
  ),
  global(
    'optional.ofNonZeroValue',
    [{ parameters: ['value'], result: wrapNonZero, ofParts }],
    (meter, span, value) => (isZero(value, meter, span) ? Optional.none : new Optional(value)),
  ),
  global('optional.none', [{ parameters: [], result: optionalOf(dyn) }], () => Optional.none),
  method(
    'hasValue',
    ['optional -> bool'],
    (_meter, span, target) => optionalArgument(target, span).value !== undefined,
  ),
  method(
    'value',
    [{ parameters: ['optional'], result: (args) => inside(args[0]), ofParts }],
    (_meter, span, target) => {
      const { value } = optionalArgument(target, span)
      if (value !== undefined) return value
      throw new Fault('expression_missing_field', 'the optional has no value', span, 'use orValue(…)')
    },
  ),
  // The compiler handles both, so that the argument is evaluated only if needed.
  method(
    'or',
    [
      {
        parameters: ['optional', 'optional'],
        result: ([left, right]) => optionalOf(union([inside(left), inside(right)])),
        ofParts,
      },
    ],
    (_meter, span, target, other) =>
      optionalArgument(target, span).value === undefined ? optionalArgument(other, span) : target,
  ),
  method(
    'orValue',
    [
      {
        parameters: ['optional', 'value'],
        result: ([left, right]) => union([inside(left), right ?? dyn]),
        ofParts,
      },
    ],
    (_meter, span, target, other) => {
      // Not `??`: an optional may contain null.
      const { value } = optionalArgument(target, span)
      return value === undefined ? other : value
    },
  ),
]
