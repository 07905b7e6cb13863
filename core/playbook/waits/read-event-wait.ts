import {
  bool,
  dyn,
  explainMismatch,
  integer,
  list,
  object,
  optional,
  string,
  timestamp,
  typeOfSchema,
  union,
  type Type,
} from '../../expression/index.ts'
import type { Sliced } from '../../common/sliced.ts'
import { eventName, sinceWords } from '../language/constants.ts'
import { grammar } from '../language/grammar.ts'
import type { Template, WaitStep } from '../language/playbook.ts'
import { checkTimeFits } from '../scope/check-times.ts'
import type { ReadContext } from '../scope/context.ts'
import { awaitedAlertType, type NameScope } from '../scope/scope.ts'
import { durationTemplate, type ActionResult } from '../steps/read-actions.ts'
import { readWrittenSchema } from '../steps/read-inputs.ts'
import { compileCondition, compileValue } from '../template/expressions.ts'
import { headSpan, readChoice, readFields, type Fields } from '../template/fields.ts'
import { keptValue } from '../template/kept-value.ts'
import { typeInWords } from '../template/plain-words.ts'
import type { Entry, Node } from '../yaml/document.ts'
import type { AwaitedEvent } from './waits.ts'

type WaitPart = Pick<WaitStep, 'action' | 'wait'>

/** Reads `wait` with `for`. */
export function* readEventWait(
  context: ReadContext,
  fields: Fields,
  node: Node,
  scope: NameScope,
): Sliced<ActionResult<WaitPart>> {
  const { problems } = context
  const until = fields.get('until')
  if (until) problems.add('E112', '`until` does not go with `for`', until.key, 'remove one of them')
  const schemaEntry = fields.get('schema')
  const schema = schemaEntry && readWrittenSchema(context, schemaEntry)
  const eventType = awaitedAlertType(schema === undefined ? dyn : typeOfSchema(schema))
  const alert = yield* readAlert(context, fields.get('for')!, scope)
  const whereEntry = fields.get('where')
  const inner = scope.inside({ names: { [eventName]: eventType } })
  const where = whereEntry && compileCondition(context, inner, whereEntry).program
  const since = fields.get('since')
  const onTimeout = fields.get('on_timeout')
  const continues = onTimeout && readChoice(problems, onTimeout, ['fail', 'continue'])
  const withinMs = yield* readTimeout(context, fields, node, scope)
  const output = outputOf(eventType, continues === 'continue')
  if (alert === undefined || withinMs === undefined || (whereEntry && where === undefined))
    return { part: undefined, output }
  const event: AwaitedEvent<Template>['event'] = {
    ...alert,
    where,
    schema,
    sinceRun: since !== undefined && readChoice(problems, since, sinceWords) === 'run',
    withinMs,
    continues: continues === 'continue',
  }
  return { part: { action: 'wait', wait: { event } }, output }
}

function* readTimeout(
  context: ReadContext,
  fields: Fields,
  node: Node,
  scope: NameScope,
): Sliced<Template | undefined> {
  const timeout = fields.get('timeout')
  if (timeout === undefined) {
    const hint = 'write timeout: 2h, how long to wait'
    context.problems.add('E105', 'a `wait` for an event needs `timeout`', headSpan(node), hint)
    return undefined
  }
  const withinMs = yield* durationTemplate(context, timeout.value, scope, '`timeout`')
  if (withinMs) checkTimeFits(context, timeout.value, withinMs, scope, 'event')
  return withinMs
}

function* readAlert(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<Pick<AwaitedEvent<Template>['event'], 'type' | 'provider'> | undefined> {
  const alert = readFields(context.problems, value, grammar.awaitedEvent)?.get('alert')
  const fields = alert && readFields(context.problems, alert.value, grammar.awaitedAlert)
  if (fields === undefined) return undefined
  return {
    type: yield* readTexts(context, fields.get('type'), scope, union([string, list(string)])),
    provider: yield* readTexts(context, fields.get('provider'), scope, string),
  }
}

function* readTexts(
  context: ReadContext,
  entry: Entry | undefined,
  scope: NameScope,
  wanted: Type,
): Sliced<Template | undefined> {
  if (entry === undefined) return undefined
  const { name, value } = entry
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, value))
  if (explainMismatch(type, wanted) === undefined) return template
  const what = wanted === string ? 'a string' : 'a string or a list of strings'
  context.problems.add('E106', `expected ${what} for \`${name}\`, found ${typeInWords(type)}`, value)
  return undefined
}

/** After a timeout, there is no event. */
const outputOf = (event: Type, continues: boolean): Type =>
  object({
    timed_out: bool,
    event: continues ? optional(event) : event,
    received_at: continues ? optional(timestamp) : timestamp,
    examined: integer,
    failed: integer,
  })
