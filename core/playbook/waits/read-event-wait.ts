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
import { caseChanges } from '../../domain/case.ts'
import { schemaOfChange } from '../../trigger/trigger-schema.ts'
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
import type { AwaitedEvent, CaseOfWait } from './waits.ts'

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
  if (until) problems.add('E112', '`until` and `for` cannot be combined', until.key, 'remove one of them')
  const schemaEntry = fields.get('schema')
  const schema = schemaEntry && readWrittenSchema(context, schemaEntry)
  const of = yield* readEvent(context, fields.get('for')!, scope)
  const eventType =
    of?.kind === 'case' ? caseChangeType : awaitedAlertType(schema === undefined ? dyn : typeOfSchema(schema))
  for (const name of of?.kind === 'case' ? ['schema', 'since'] : []) {
    const key = fields.get(name)?.key
    if (key) problems.add('E112', `\`${name}\` goes with \`alert\``, key, 'remove it')
  }
  const whereEntry = fields.get('where')
  const inner = scope.inside({ names: { [eventName]: eventType } })
  const where = whereEntry && compileCondition(context, inner, whereEntry).program
  const since = fields.get('since')
  const onTimeout = fields.get('on_timeout')
  const continues = onTimeout && readChoice(problems, onTimeout, ['fail', 'continue'])
  const withinMs = yield* readTimeout(context, fields, node, scope)
  const output = outputOf(eventType, continues === 'continue')
  if (of === undefined || withinMs === undefined || (whereEntry && where === undefined))
    return { part: undefined, output }
  const event: AwaitedEvent<Template>['event'] = {
    of,
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

function* readEvent(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<AwaitedEvent<Template>['event']['of'] | undefined> {
  const { problems } = context
  const event = readFields(problems, value, grammar.awaitedEvent)
  const [alert, changed] = [event?.get('alert'), event?.get('case')]
  if (alert && changed) problems.add('E112', 'an event is an `alert` or a `case`, not both', changed.key)
  if (event && !alert && !changed && event.size === 0 && (value.kind !== 'map' || value.entries.length === 0))
    problems.add('E105', 'an event needs `alert` or `case`', headSpan(value), 'write alert: { type: … }')
  if (changed) return yield* readCase(context, changed, scope)
  const fields = alert && readFields(context.problems, alert.value, grammar.awaitedAlert)
  if (fields === undefined) return undefined
  return {
    kind: 'alert',
    type: yield* readTexts(context, fields.get('type'), scope, union([string, list(string)])),
    provider: yield* readTexts(context, fields.get('provider'), scope, string),
  }
}

function* readCase(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<CaseOfWait<Template> | undefined> {
  const fields = readFields(context.problems, value, grammar.awaitedCase)
  if (fields === undefined) return undefined
  const event = fields.get('event')
  const nodes = event === undefined ? [] : event.value.kind === 'list' ? event.value.items : [event.value]
  const events = nodes.flatMap(
    (node) => readChoice(context.problems, { ...event!, value: node }, caseChanges) ?? [],
  )
  return {
    kind: 'case',
    id: yield* readTexts(context, fields.get('id'), scope, string),
    events: event && events,
  }
}

/** As the `trigger` of a playbook sees it. */
const caseChangeType: Type = typeOfSchema(schemaOfChange())

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
