import { codePattern, composeAlertId } from '../../domain/ids.ts'
import type { RunTrigger } from '../../domain/run.ts'
import { eventKindsOf, exampleTrigger, needsEvent } from '../../trigger/example-trigger.ts'
import { stringifyJson } from '../../common/json.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { readFields, readNumber, readWord } from '../../playbook/template/fields.ts'
import { suggest } from '../../playbook/language/did-you-mean.ts'
import { quote } from '../../playbook/language/problem.ts'
import { giveState, type PlainState } from '../../state/given-state.ts'
import { MemoryState } from '../../state/memory-state.ts'
import type { TestContext } from './context.ts'
import { testGrammar } from './grammar.ts'
import { plainValue } from './place.ts'
import type { AlertFixture, Fixtures, RunFixture } from './playbook-test.ts'
import { readMap, readTestString, readTime } from './read-values.ts'

/** The fixtures given by `fixtures` or by a test; fields that are not given are undefined. */
export interface GivenFixtures {
  readonly nowMs: number | undefined
  readonly alert: GivenAlert | undefined
  readonly trigger?: Readonly<Record<string, unknown>> | undefined
  readonly organization: Partial<Fixtures['organization']> | undefined
  readonly inputs: Readonly<Record<string, unknown>> | undefined
  readonly state?: PlainState | undefined
  readonly run?: RunFixture | undefined
  readonly caseId?: string | undefined
}

export interface GivenAlert {
  readonly type?: string | undefined
  readonly provider?: string | undefined
  /** Text content, or data to convert to JSON. */
  readonly body?: { readonly content: string } | { readonly data: unknown } | undefined
  readonly id?: string | undefined
  readonly uuid?: string | undefined
  readonly createdAt?: number | undefined
  readonly createdAtSource?: number | bigint | undefined
}

const epoch = [0, Number.MAX_SAFE_INTEGER] as const

/** Parses `now`, `alert`, `organization` and `inputs` among the fields. */
export function readFixtures(context: TestContext, fields: ReadonlyMap<string, Entry>): GivenFixtures {
  const { problems } = context
  const now = fields.get('now')
  const alert = fields.get('alert')
  const organization = fields.get('organization')
  const inputs = fields.get('inputs')
  const state = fields.get('state')
  const trigger = fields.get('trigger')
  const run = fields.get('run')
  const ownCase = fields.get('case')
  return {
    nowMs: now && readTime(problems, now),
    alert: alert && readAlert(context, alert.value),
    organization: organization && readOrganization(context, organization.value),
    inputs: inputs && readInputs(context, inputs),
    state: state && readPlainState(context, state),
    trigger: trigger && readTrigger(context, trigger),
    run: run && readTexts(context, run.value, testGrammar.run),
    caseId: ownCase && readTexts(context, ownCase.value, testGrammar.ownCase)['id'],
  }
}

function readAlert({ problems }: TestContext, node: Node): GivenAlert | undefined {
  const fields = readFields(problems, node, testGrammar.alert)
  if (fields === undefined) return undefined
  const text = (name: string) => {
    const entry = fields.get(name)
    return entry && readTestString(problems, entry)
  }
  const number = (name: string) => {
    const entry = fields.get(name)
    return entry && readNumber(problems, entry, epoch)
  }
  const data = fields.get('data')
  const content = fields.get('content')
  if (data && content) {
    const hint = '`data` is written as JSON; `content` is for text that is not'
    problems.add('E112', 'an alert has `content` or `data`, not both', data.key, hint)
  }
  const provider = fields.get('provider')
  return {
    type: text('type'),
    provider: provider && readWord(problems, provider, codePattern, 'use letters, digits and _'),
    body: data
      ? { data: plainValue(data.value) }
      : content && { content: readTestString(problems, content) ?? '' },
    id: text('id'),
    uuid: text('uuid'),
    createdAt: number('created_at'),
    createdAtSource: number('created_at_source'),
  }
}

/** Parses a map of strings. */
function readTexts(
  { problems }: TestContext,
  node: Node,
  table: typeof testGrammar.run | typeof testGrammar.ownCase,
): Readonly<Record<string, string>> {
  const fields = readFields(problems, node, table) ?? new Map<string, Entry>()
  return Object.fromEntries(
    Array.from(fields, ([name, entry]) => [name, readTestString(problems, entry) ?? '']),
  )
}

function readOrganization(
  { problems }: TestContext,
  node: Node,
): Partial<Fixtures['organization']> | undefined {
  const fields = readFields(problems, node, testGrammar.organization)
  const code = fields?.get('code')
  const name = fields?.get('name')
  return {
    ...(code && { code: readWord(problems, code, codePattern, 'use letters, digits and _') ?? '' }),
    ...(name && { name: readTestString(problems, name) ?? '' }),
  }
}

/** Parses the part of a trigger that differs from the example. */
function readTrigger(
  { problems, playbook }: TestContext,
  entry: Entry,
): Readonly<Record<string, unknown>> | undefined {
  const kinds = eventKindsOf(playbook)
  if (kinds.length === 0) {
    problems.add('E112', '`trigger` needs a playbook that starts for events', entry.key, 'remove it')
    return undefined
  }
  return readMap(problems, entry) ? (plainValue(entry.value) as Readonly<Record<string, unknown>>) : undefined
}

function readInputs({ problems }: TestContext, entry: Entry): Readonly<Record<string, unknown>> | undefined {
  return readMap(problems, entry) ? (plainValue(entry.value) as Readonly<Record<string, unknown>>) : undefined
}

/** Reads plain values by name, and checks them against the declarations. */
export function readPlainState({ problems, playbook }: TestContext, entry: Entry): PlainState | undefined {
  if (!readMap(problems, entry)) return undefined
  const given = plainValue(entry.value) as PlainState
  for (const { name, error } of giveState(new MemoryState(), playbook, given, defaultNowMs)) {
    const own = entry.value.kind === 'map' ? entry.value.entries.find((each) => each.name === name)! : entry
    if (error === undefined) {
      const hint = suggest(name, [...playbook.state.keys()])
      problems.add('E340', `the playbook declares no state ${quote(name)}`, own.key, hint)
    } else problems.add('E342', error.message, own.value, error.hint)
  }
  return given
}

/** The default start of a run: 2026-01-01T00:00:00Z. */
const defaultNowMs = Date.UTC(2026, 0, 1)

/** Merges fixtures, later ones taking precedence, and fills in the defaults. */
export function resolveFixtures(
  playbook: TestContext['playbook'],
  given: readonly GivenFixtures[],
): Fixtures {
  const { alertTrigger } = playbook
  const nowMs = lastOf(given, (each) => each.nowMs) ?? defaultNowMs
  const organization = Object.assign(
    playbook.organization === undefined
      ? { code: 'demo', name: 'Demo' }
      : { code: playbook.organization, name: playbook.organization },
    ...given.map((each) => each.organization),
  ) as Fixtures['organization']
  const alerts = given.map((each) => each.alert).filter((alert) => alert !== undefined)
  const trigger = resolveTrigger(playbook, given, nowMs, organization.code)
  return {
    nowMs,
    trigger,
    organization,
    inputs: Object.assign({}, ...given.map((each) => each.inputs)) as Fixtures['inputs'],
    state: Object.assign({}, ...given.map((each) => each.state)) as Fixtures['state'],
    run: lastOf(given, (each) => each.run),
    caseId: lastOf(given, (each) => each.caseId),
    alert:
      (alertTrigger === undefined || trigger !== undefined) && alerts.length === 0
        ? undefined
        : resolveAlert(alerts, alertTrigger, organization.code, nowMs),
  }
}

/** The example of an event, with the given values. Undefined: no event starts the run. */
function resolveTrigger(
  playbook: TestContext['playbook'],
  given: readonly GivenFixtures[],
  nowMs: number,
  organizationCode: string,
): RunTrigger | undefined {
  const parts = given.map((each) => each.trigger).filter((part) => part !== undefined)
  const [first] = eventKindsOf(playbook)
  if (first === undefined || (parts.length === 0 && !needsEvent(playbook))) return undefined
  const wanted = parts.map((part) => part['kind']).findLast((each) => each !== undefined)
  const kind = eventKindsOf(playbook).find((each) => each === wanted) ?? first
  let trigger: unknown = exampleTrigger(playbook, kind, { nowMs, organizationCode })
  for (const part of parts) trigger = merge(trigger, part)
  return trigger as RunTrigger
}

function resolveAlert(
  alerts: readonly GivenAlert[],
  trigger: TestContext['playbook']['alertTrigger'],
  organizationCode: string,
  nowMs: number,
): AlertFixture {
  const provider = lastOf(alerts, (alert) => alert.provider) ?? trigger?.providers?.[0] ?? 'custom'
  return {
    type: lastOf(alerts, (alert) => alert.type) ?? trigger?.types?.[0] ?? null,
    provider,
    content: contentOf(alerts),
    id: lastOf(alerts, (alert) => alert.id) ?? composeAlertId(organizationCode, provider, 1),
    uuid: lastOf(alerts, (alert) => alert.uuid) ?? '00000000-0000-4000-8000-000000000001',
    createdAt: lastOf(alerts, (alert) => alert.createdAt) ?? nowMs,
    createdAtSource: lastOf(alerts, (alert) => alert.createdAtSource) ?? null,
  }
}

/** Merges data with earlier data key by key; text replaces earlier content, and data replaces earlier text. */
function contentOf(alerts: readonly GivenAlert[]): string {
  let data: unknown
  let text = ''
  for (const { body } of alerts) {
    if (body === undefined) continue
    if ('content' in body) [data, text] = [undefined, body.content]
    else {
      data = merge(data, body.data)
      text = stringifyJson(data)
    }
  }
  return text
}

/** Merges maps recursively; replaces everything else. */
export function merge(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after)) return after
  const changed = Object.entries(after).map(([name, value]) => {
    return [name, Object.hasOwn(before, name) ? merge(before[name], value) : value] as const
  })
  return Object.fromEntries([...Object.entries(before), ...changed])
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function lastOf<T, V>(all: readonly T[], pick: (each: T) => V | undefined): V | undefined {
  return all.map(pick).findLast((value) => value !== undefined)
}
