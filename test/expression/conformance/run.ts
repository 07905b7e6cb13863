import { ExpressionError, compileExpression, dyn, type Type } from '../../../core/expression/index.ts'
import { Meter } from '../../../core/expression/values/budget.ts'
import { equals } from '../../../core/expression/values/operators.ts'
import { Optional, typeOfValue, type Value } from '../../../core/expression/values/values.ts'
import { fromProto, type ConformanceTest } from './suite.ts'

const nowhere = { start: 0, end: 0 }

/** Runs a test; undefined if it passes, else the actual result. */
export function runTest({ test }: ConformanceTest): string | undefined {
  const scope: Record<string, Value> = {}
  const names: Record<string, Type> = {}
  for (const [name, { kind }] of Object.entries(test.bindings)) {
    if (kind.case === 'value') scope[name] = fromProto(kind.value)
    names[name] = dyn
  }
  const outcome = evaluate(test.expr, names, scope)
  const matcher = test.resultMatcher
  if (matcher.case === 'evalError')
    return 'error' in outcome ? undefined : `gave ${show(outcome.value)}, not an error`
  if ('error' in outcome) return outcome.error
  const wanted =
    matcher.case === 'value'
      ? fromProto(matcher.value)
      : matcher.case === 'typedResult' && matcher.value.result
        ? fromProto(matcher.value.result)
        : true
  // The test data give the type of an optional's value.
  const value =
    outcome.value instanceof Optional && !(wanted instanceof Optional) ? outcome.value.value! : outcome.value
  return same(value, wanted) ? undefined : `gave ${show(value)}, not ${show(wanted)}`
}

function evaluate(
  expression: string,
  names: Record<string, Type>,
  scope: Record<string, Value>,
): { value: Value } | { error: string } {
  const { program, problems } = compileExpression(expression, names, { types: 'off' })
  if (!program) return { error: problems.map((problem) => problem.message).join('; ') }
  try {
    return { value: program.evaluate(scope) as Value }
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.message }
    throw error
  }
}

/** Equal and of the same type: 1 differs from 1.0, and NaN equals itself. */
function same(left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return Object.is(left, right) || left === right
  if (typeOfValue(left) !== typeOfValue(right)) return false
  return equals(left, right, new Meter(undefined), nowhere)
}

function show(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)) ?? 'nothing'
  )
}
