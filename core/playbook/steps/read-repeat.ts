import { isAbout, type Fact, type Type } from '../../expression/index.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry } from '../yaml/document.ts'
import { compileCondition } from '../template/expressions.ts'
import { readDuration, readFields, readNumber } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { bounds } from '../language/constants.ts'
import type { RepeatSettings } from '../language/playbook.ts'
import type { NameScope } from '../scope/scope.ts'

interface ReadRepeat {
  readonly repeat: RepeatSettings
  /** Facts after it completed. */
  readonly certain: readonly Fact[]
}

/**
 * Reads `repeat`. Its condition sees the `output` of the step, or the steps inside a group.
 *
 * @param output type of the output; undefined for groups
 */
export function readRepeat(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
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
    // `output` is not visible elsewhere.
    certain: condition.whenTrue.filter((fact) => !isAbout(fact, 'output')),
  }
}
