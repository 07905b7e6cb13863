import { hintForRate, parseRate } from '../../common/rates.ts'
import type { RateLimit } from '../../plugin/index.ts'
import type { Sliced } from '../../common/sliced.ts'
import { writeDuration } from '../language/durations.ts'
import { grammar } from '../language/grammar.ts'
import type { PlaybookRate, Step, StepRate, Template } from '../language/playbook.ts'
import { quote, type Problems } from '../language/problem.ts'
import { describeLimit } from '../scope/check-times.ts'
import type { ReadContext } from '../scope/context.ts'
import type { NameScope } from '../scope/scope.ts'
import { compileValue } from '../template/expressions.ts'
import { readChoice, readFields, readText, type Fields } from '../template/fields.ts'
import type { Entry } from '../yaml/document.ts'

/** Reads the `rate` of a playbook. Its key is evaluated when a run is queued. */
export function* readPlaybookRate(
  context: ReadContext,
  entry: Entry,
  scope: NameScope,
): Sliced<PlaybookRate | undefined> {
  const { problems } = context
  const fields = formOf(problems, entry, 'playbook_rate')
  const limit = limitOf(problems, fields?.get('limit') ?? entry, fields)
  const policy = fields?.get('policy')
  const chosen = (policy && readChoice(problems, policy, ['queue', 'drop'])) ?? 'queue'
  const key = yield* keyOf(context, fields, scope)
  return limit && { limit, key, policy: chosen }
}

/** Reads the `rate` of a step. Its key sees the item of `foreach`. */
export function* readStepRate(
  context: ReadContext,
  entry: Entry | undefined,
  id: string | null,
  scope: NameScope,
): Sliced<StepRate | undefined> {
  if (entry === undefined) return undefined
  const { problems } = context
  const fields = formOf(problems, entry, 'rate')
  const limit = limitOf(problems, fields?.get('limit') ?? entry, fields)
  const policy = fields?.get('policy')
  const chosen = (policy && readChoice(problems, policy, ['wait', 'fail'])) ?? 'wait'
  const key = yield* keyOf(context, fields, scope)
  if (id === null)
    problems.add(
      'E112',
      '`rate` needs an `id` on the step: starts are counted by it, over all runs and versions',
      entry.key,
      'give the step an id',
    )
  return limit && { limit, key, policy: chosen }
}

/** The fields of the long form; undefined for the short one. */
function formOf(problems: Problems, { value }: Entry, name: 'rate' | 'playbook_rate'): Fields | undefined {
  if (value.kind !== 'map') return undefined
  return readFields(problems, value, name === 'rate' ? grammar.rate : grammar.playbookRate)
}

function limitOf(problems: Problems, entry: Entry, fields: Fields | undefined): RateLimit | undefined {
  const { name, value } = entry
  // The missing `limit` of the long form has been reported.
  if (value.kind === 'map' && name === 'rate' && (fields === undefined || !fields.has('limit')))
    return undefined
  if (value.kind === 'scalar' && typeof value.value === 'number') {
    const message = `\`${name}\` needs a time: ${value.value} in which time?`
    problems.add('E107', message, value, hintForRate(value.value))
    return undefined
  }
  const text = readText(problems, entry, undefined, noExpression)
  const limit = text === undefined ? undefined : parseRate(text)
  if (text !== undefined && limit === undefined)
    problems.add('E107', `${quote(text)} is not a rate`, value, hintForRate(text))
  return limit
}

const noExpression = 'write a literal rate such as 30/min; only its `key` takes an expression'

function* keyOf(
  context: ReadContext,
  fields: Fields | undefined,
  scope: NameScope,
): Sliced<Template | undefined> {
  const key = fields?.get('key')
  if (key === undefined) return undefined
  const { template, type } = yield* compileValue(context, scope, key.value)
  if (type.kind !== 'string' && type.kind !== 'dyn')
    context.problems.add('E211', 'expected a string for the key of `rate`', key.value, 'write string(…)')
  return template
}

/** Warns of a literal list that cannot be done within the time limit around the step. */
export function warnOfRate(
  { problems }: ReadContext,
  entry: Entry | undefined,
  { rate, foreach }: Pick<Step, 'rate' | 'foreach'>,
  { place: { timeLimit } }: NameScope,
): void {
  if (entry === undefined || rate === undefined || rate.policy !== 'wait' || timeLimit === undefined) return
  const items = foreach === undefined || rate.key !== undefined ? 1 : countOf(foreach.items)
  const { requests, perMs } = rate.limit
  const leastMs = Math.floor((items - 1) / requests) * perMs
  if (leastMs < timeLimit.ms) return
  const message = `${items} items take at least ${writeDuration(leastMs)} at this rate: ${describeLimit(timeLimit)}`
  problems.add('W407', message, entry.value, 'raise the rate or the timeout, or shorten the list')
}

/** Items of a list that is written out, else 1. */
function countOf(items: Template): number {
  if (items.kind === 'list') return items.items.length
  return items.kind === 'literal' && Array.isArray(items.value) ? items.value.length : 1
}
