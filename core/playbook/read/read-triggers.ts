import { triggerKinds } from '../../domain/run.ts'
import { ValidationError } from '../../errors/errors.ts'
import type { Type } from '../../expression/index.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { compileCondition } from '../template/expressions.ts'
import { describe, headSpan, readFields, readText } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { resolveInputs } from '../template/inputs.ts'
import { nodeAt, partsOf, plainValue } from '../yaml/plain-value.ts'
import type { EventTriggers } from '../../trigger/triggers.ts'
import type { AlertTrigger, Inputs, Playbook, Schedule } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { readCorrelate } from './read-correlate.ts'
import { readProvider, readServedOrganization } from './read-codes.ts'
import { readEvents, readOneOrMore, type EventHead } from './read-events.ts'
import { readGrouping } from './read-grouping.ts'
import { isTimeZone, nearestTimeZone } from '../../common/time-zones.ts'
import { cronProblem, defaultTimeZone } from '../../trigger/schedule.ts'
import { NameScope } from '../scope/scope.ts'

type Triggers = Pick<Playbook, 'alertTrigger' | 'schedule' | 'startedBy'> & EventTriggers

/**
 * Reads `on`.
 *
 * @param names the names visible to expressions over the alert
 */
export function readTriggers(
  context: ReadContext,
  node: Node | undefined,
  inputs: Inputs,
  names: Readonly<Record<string, Type>>,
  events: EventHead,
): Triggers {
  const { problems } = context
  const fields = node && readFields(problems, node, grammar.on)
  const alert = fields?.get('alert')
  const schedule = fields?.get('schedule')
  if (node?.kind === 'map' && node.entries.length === 0) {
    problems.add('E105', '`on` needs a trigger, such as `alert`, `schedule` or `manual`', headSpan(node))
  }
  for (const entry of ['alert', ...triggerKinds].map((name) => fields?.get(name)))
    if (entry) checkHaveDefaults(context, inputs, entry)
  const { alert: _, ...others } = names
  return {
    ...readEvents(context, fields, others, events),
    alertTrigger: alert && readAlertTrigger(context, alert, names),
    schedule: schedule && readSchedule(context, schedule, inputs),
    startedBy: {
      hand: readSwitch(context, fields?.get('manual')),
      call: readSwitch(context, fields?.get('call')),
    },
  }
}

/** Only `true` is allowed; omit the key to disable it. */
function readSwitch({ problems }: ReadContext, entry: Entry | undefined): boolean {
  if (entry === undefined) return false
  const { name, value } = entry
  if (value.kind === 'scalar' && value.value === true) return true
  const hint = value.kind === 'scalar' && value.value === false ? 'leave it out' : `write ${name}: true`
  problems.add('E106', `expected true for \`${name}\`, found ${describe(value)}`, value, hint)
  return false
}

/** Alerts and events provide no inputs. */
function checkHaveDefaults({ problems }: ReadContext, inputs: Inputs, { name: what, key }: Entry): void {
  const missing = [...inputs].filter(([, input]) => input.default === undefined).map(([name]) => name)
  if (missing.length === 0) return
  const starter = what === 'alert' ? 'an alert' : `\`on.${what}\``
  const message = `${starter} provides no inputs, but ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no default`
  problems.add('E312', message, key, 'give a default')
}

function readAlertTrigger(
  context: ReadContext,
  { key, value }: Entry,
  names: Readonly<Record<string, Type>>,
): AlertTrigger | undefined {
  const { problems } = context
  const fields = readFields(problems, value, grammar.alertTrigger)
  if (fields === undefined) return undefined
  const keys = ['type', 'provider', 'where', 'group', 'correlate']
  const [type, provider, where, group, correlate] = keys.map((name) => fields.get(name))
  const isKnown = value.kind !== 'map' || value.entries.every(({ name }) => fields.has(name))
  // An unknown key may be a misspelt one.
  if (isKnown && type === undefined && provider === undefined && where === undefined) {
    const hint = 'for all alerts, write where: true'
    problems.add('E105', 'an alert trigger needs `type`, `provider` or `where`', key, hint)
  }
  return {
    types: type && readOneOrMore(context, type, (item) => readAlertType(context, item)),
    providers: provider && readOneOrMore(context, provider, (item) => readProvider(context, item)),
    where: where && compileCondition(context, new NameScope(names, { isBefore: true }), where).program,
    group: group && readGrouping(context, group, names),
    ...(correlate && { correlate: readCorrelate(context, correlate, names) }),
  }
}

function readAlertType({ problems }: ReadContext, entry: Entry): string | undefined {
  const type = readText(problems, entry)
  if (type === undefined || !/[*]|^\/.*\/$|\|/.test(type)) return type
  const hint = 'write a list of types, or compare alert.type in `where`'
  problems.add('W405', 'alert types are compared literally, not as patterns', entry.value, hint)
  return type
}

/** Reads a cron expression, or a map with `cron`. */
function readSchedule(context: ReadContext, entry: Entry, inputs: Inputs): Schedule | undefined {
  const { problems } = context
  const isShort = entry.value.kind === 'scalar'
  const fields = isShort ? undefined : readFields(problems, entry.value, grammar.schedule)
  const cronEntry = isShort ? entry : fields?.get('cron')
  const cron = cronEntry && readText(problems, cronEntry)
  const wrong = cron === undefined ? undefined : cronProblem(cron)
  if (cronEntry && wrong !== undefined) {
    const hint = 'minute hour day month weekday: 0 8 * * 1-5'
    problems.add('E313', `invalid schedule: ${wrong}`, cronEntry.value, hint)
  }
  const timezone = readTimeZone(context, fields?.get('timezone'))
  const organizations = fields?.get('organizations')
  const overlap = fields?.get('overlap')
  const given = readScheduledInputs(context, fields?.get('inputs'), inputs, cronEntry?.value ?? entry.value)
  if (cron === undefined) return undefined
  return {
    cron,
    timezone,
    organizations: organizations && readOrganizations(context, organizations),
    inputs: given,
    overlap: readOverlap(context, overlap),
  }
}

function readTimeZone({ problems }: ReadContext, entry: Entry | undefined): string {
  const name = entry && readText(problems, entry)
  if (entry === undefined || name === undefined || isTimeZone(name)) return name ?? defaultTimeZone
  const meant = nearestTimeZone(name)
  const hint = meant === undefined ? 'write the region and a city: Europe/Berlin' : `did you mean '${meant}'?`
  problems.add('E330', `unknown time zone ${quote(name)}`, entry.value, hint)
  return defaultTimeZone
}

function readOrganizations(context: ReadContext, { name, key, value }: Entry): readonly string[] {
  const { problems } = context
  if (value.kind !== 'list') {
    problems.add(
      'E106',
      `expected a list of codes for \`${name}\`, found ${describe(value)}`,
      value,
      'write [a, b]',
    )
    return []
  }
  return value.items
    .map((item) => readServedOrganization(context, { name, key, value: item }))
    .filter((code) => code !== undefined)
}

function readOverlap({ problems }: ReadContext, entry: Entry | undefined): boolean {
  if (entry === undefined) return false
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value
  problems.add('E106', `expected true or false for \`overlap\`, found ${describe(value)}`, value)
  return false
}

function readScheduledInputs(
  { problems }: ReadContext,
  entry: Entry | undefined,
  inputs: Inputs,
  head: Node,
): Readonly<Record<string, unknown>> {
  const node: Node = entry?.value ?? { kind: 'map', entries: [], start: head.start, end: head.end }
  if (node.kind !== 'map') {
    problems.add('E106', `expected a map for \`inputs\`, found ${describe(node)}`, node)
    return {}
  }
  const given = plainValue(node) as Readonly<Record<string, unknown>>
  try {
    resolveInputs({ inputs, name: '' }, given)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    for (const { pointer, message } of error.errors) {
      problems.add('E312', `the input ${pointer.slice(1)} ${message}`, nodeAt(node, partsOf(pointer)))
    }
  }
  return given
}
