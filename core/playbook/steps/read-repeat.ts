import { isAbout, type Fact, type Type } from '../../expression/index.ts'
import type { Context } from '../scope/context.ts'
import type { Entry } from '../yaml/document.ts'
import { compileCondition } from '../template/expressions.ts'
import { readDuration, readFields, readNumber } from '../template/fields.ts'
import { bounds, grammar } from '../language/grammar.ts'
import type { Repeat } from '../language/playbook.ts'
import type { Scope } from '../scope/scope.ts'

interface ReadRepeat {
  readonly repeat: Repeat
  /** What holds once it has ended well. */
  readonly certain: readonly Fact[]
}

/**
 * `repeat`: its condition sees the `output` of the step, or the steps inside of a group.
 *
 * @param output type of the output; undefined for groups
 */
export function readRepeat(
  context: Context,
  { value }: Entry,
  scope: Scope,
  output: Type | undefined,
): ReadRepeat | undefined {
  const { problems } = context
  const fields = readFields(problems, value, grammar.repeat)
  const until = fields?.get('until')
  const every = fields?.get('every')
  const max = fields?.get('max')
  const seen = output === undefined ? scope : scope.inside({ names: { output } })
  const condition = until && compileCondition(context, seen, until)
  const everyMs = every && readDuration(problems, every)
  const most = max && readNumber(problems, max, bounds.repeatMax)
  if (condition?.program === undefined || everyMs === undefined || most === undefined) return undefined
  return {
    repeat: { until: condition.program, everyMs, max: most },
    // Nobody else sees `output`.
    certain: condition.whenTrue.filter((fact) => !isAbout(fact, 'output')),
  }
}
