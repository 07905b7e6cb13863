import { codePattern } from '../../domain/ids.ts'
import { ValidationError } from '../../errors/errors.ts'
import type { Type } from '../../expression/index.ts'
import type { Context } from '../scope/context.ts'
import { suggest } from '../language/did-you-mean.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { compileCondition } from '../template/expressions.ts'
import { describe, headOf, readFields, readText, readWord } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { resolveInputs } from '../template/inputs.ts'
import { nodeAt, partsOf, plainValue } from '../yaml/plain-value.ts'
import type { AlertTrigger, Inputs, Playbook, Schedule } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { readGrouping } from './read-grouping.ts'
import { cronProblem } from '../language/schedule.ts'
import { Scope } from '../scope/scope.ts'

type Triggers = Pick<Playbook, 'alertTrigger' | 'schedule' | 'startedBy'>

/**
 * `on`: what starts the playbook.
 *
 * @param names of the alert, as its expressions see it
 */
export function readTriggers(
  context: Context,
  node: Node | undefined,
  inputs: Inputs,
  names: Readonly<Record<string, Type>>,
): Triggers {
  const { problems } = context
  const fields = node && readFields(problems, node, grammar.on)
  const alert = fields?.get('alert')
  const schedule = fields?.get('schedule')
  if (node?.kind === 'map' && node.entries.length === 0) {
    problems.add('E105', '`on` needs `alert`, `schedule`, `call` or `manual`', headOf(node))
  }
  if (alert) checkHaveDefaults(context, inputs, alert)
  return {
    alertTrigger: alert && readAlertTrigger(context, alert, names),
    schedule: schedule && readSchedule(context, schedule, inputs),
    startedBy: {
      hand: readSwitch(context, fields?.get('manual')),
      call: readSwitch(context, fields?.get('call')),
    },
  }
}

/** Only `true`: what is left out is off. */
function readSwitch({ problems }: Context, entry: Entry | undefined): boolean {
  if (entry === undefined) return false
  const { name, value } = entry
  if (value.kind === 'scalar' && value.value === true) return true
  const hint = value.kind === 'scalar' && value.value === false ? 'leave it out' : `write ${name}: true`
  problems.add('E106', `\`${name}\` must be true, not ${describe(value)}`, value, hint)
  return false
}

/** An alert brings no inputs. */
function checkHaveDefaults({ problems }: Context, inputs: Inputs, alert: Entry): void {
  const missing = [...inputs].filter(([, input]) => input.default === undefined).map(([name]) => name)
  if (missing.length === 0) return
  const message = `an alert gives no inputs, and ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no default`
  problems.add('E312', message, alert.key, 'give a default')
}

function readAlertTrigger(
  context: Context,
  { value }: Entry,
  names: Readonly<Record<string, Type>>,
): AlertTrigger | undefined {
  const { problems } = context
  const fields = readFields(problems, value, grammar.alertTrigger)
  if (fields === undefined) return undefined
  const type = fields.get('type')
  const provider = fields.get('provider')
  const where = fields.get('where')
  const group = fields.get('group')
  if (type?.value.kind === 'list') {
    const hint = 'write a playbook for each, which may all `call` one'
    problems.add('E106', '`type` must be a text: a playbook is for one type of alert', type.value, hint)
  }
  if (type?.value.kind === 'scalar' && /[*]|^\/.*\/$|\|/.test(String(type.value.value))) {
    const hint = 'write a playbook for each type, which may all `call` one'
    problems.add('W405', 'types of alerts are compared as they are: this is no pattern', type.value, hint)
  }
  const code = provider && readWord(problems, provider, codePattern, 'letters, digits and _')
  if (code !== undefined) checkProvider(context, code, provider!.value)
  return {
    type: (type && type.value.kind !== 'list' ? readText(problems, type) : undefined) ?? '',
    provider: code,
    where: where && compileCondition(context, new Scope(names, { isBefore: true }), where).program,
    group: group && readGrouping(context, group, names),
  }
}

/** Alerts of a provider that the server does not have never come. */
function checkProvider({ known, problems }: Context, code: string, at: Node): void {
  if (known === undefined || isAmong(known.providers, code)) return
  problems.add(
    'E322',
    `there is no provider ${quote(code)}`,
    at,
    suggest(code, known.providers) ?? 'create it',
  )
}

/** A schedule starts no run for an organization that the server does not have. */
function checkOrganization({ known, problems }: Context, code: string, at: Node): void {
  const codes = known?.organizations
  if (codes === undefined || isAmong(codes, code)) return
  problems.add('E323', `there is no organization ${quote(code)}`, at, suggest(code, codes) ?? 'create it')
}

const isAmong = (codes: readonly string[], code: string): boolean =>
  codes.some((each) => each.toLowerCase() === code.toLowerCase())

/** A cron expression alone, or with what its runs are given. */
function readSchedule(context: Context, entry: Entry, inputs: Inputs): Schedule | undefined {
  const { problems } = context
  const isShort = entry.value.kind === 'scalar'
  const fields = isShort ? undefined : readFields(problems, entry.value, grammar.schedule)
  const cronEntry = isShort ? entry : fields?.get('cron')
  const cron = cronEntry && readText(problems, cronEntry)
  const wrong = cron === undefined ? undefined : cronProblem(cron)
  if (cronEntry && wrong !== undefined) {
    const hint = 'minute hour day month weekday, in UTC: 0 8 * * 1-5'
    problems.add('E313', `the schedule cannot be read: ${wrong}`, cronEntry.value, hint)
  }
  const organizations = fields?.get('organizations')
  const overlap = fields?.get('overlap')
  const given = readScheduledInputs(context, fields?.get('inputs'), inputs, cronEntry?.value ?? entry.value)
  if (cron === undefined) return undefined
  return {
    cron,
    organizations: organizations && readOrganizations(context, organizations),
    inputs: given,
    overlap: readOverlap(context, overlap),
  }
}

function readOrganizations(context: Context, { name, key, value }: Entry): readonly string[] {
  const { problems } = context
  if (value.kind !== 'list') {
    problems.add('E106', `\`${name}\` must be a list of codes, not ${describe(value)}`, value, 'write [a, b]')
    return []
  }
  return value.items
    .map((item) => {
      const code = readWord(problems, { name, key, value: item }, codePattern, 'letters, digits and _')
      if (code !== undefined) checkOrganization(context, code, item)
      return code
    })
    .filter((code) => code !== undefined)
}

function readOverlap({ problems }: Context, entry: Entry | undefined): boolean {
  if (entry === undefined) return false
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value
  problems.add('E106', `\`overlap\` must be true or false, not ${describe(value)}`, value)
  return false
}

function readScheduledInputs(
  { problems }: Context,
  entry: Entry | undefined,
  inputs: Inputs,
  head: Node,
): Readonly<Record<string, unknown>> {
  const node: Node = entry?.value ?? { kind: 'map', entries: [], start: head.start, end: head.end }
  if (node.kind !== 'map') {
    problems.add('E106', `\`inputs\` must be a map, not ${describe(node)}`, node)
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
