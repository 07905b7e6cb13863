import type { FailedAttempt, JournalEntry, StoredError } from '../domain/run.ts'
import { ValidationError } from '../errors/errors.ts'
import { parseJson, stringifyJson } from '../json.ts'
import type { Playbook } from '../playbook/playbook.ts'
import { writeYaml } from '../playbook/write-yaml.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { showDuration } from './judge.ts'
import { reachesOut } from './run-test.ts'
import { placedSteps, withoutItems } from './placed-steps.ts'
import { traceOf } from './trace.ts'
import { withoutTimes } from './tries-before.ts'

/** A run as `GET /runs/<id>` answers it; what is read of it. */
interface RecordedRun {
  readonly run_uuid: string
  readonly playbook: string
  readonly playbook_hash: string
  readonly organization_code: string
  readonly status: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly started_at: number | null
  readonly output: unknown
  readonly error: StoredError | null
  readonly steps: readonly RecordedStep[]
}

interface RecordedStep {
  readonly path: string
  readonly step_id: string | null
  readonly kind: string
  readonly started_at: number
  readonly ended_at: number | null
  readonly state: JournalEntry['state']
  readonly input: unknown
  readonly output: unknown
  readonly error: StoredError | null
  readonly failed_attempts: readonly Pick<FailedAttempt, 'error'>[]
}

export interface RecordOptions {
  readonly catalogue: Catalogue
  /** As `GET /alerts/<id>` answers it. */
  readonly alert: unknown
  /** The playbook of that name as it is now; without it the path is not written. */
  readonly playbook: Playbook | undefined
  /** How the tests shall name the playbook. */
  readonly playbookFile: string
}

/**
 * A file of tests with one test: what the other systems answered becomes mocks, what the run did becomes expectations.
 *
 * @throws ValidationError `run_unusable` for anything but a whole run that has ended
 */
export function recordTests(given: unknown, options: RecordOptions): string {
  const run = checkedRun(given)
  const content = {
    playbook: options.playbookFile,
    fixtures: {
      ...(run.started_at === null ? {} : { now: new Date(run.started_at).toISOString() }),
      organization: { code: run.organization_code, name: run.organization_code },
      alert: alertOf(options.alert),
      inputs: run.inputs,
    },
    mocks: { ...mocksOf(run, options), ...answersOf(run, options.playbook) },
    tests: [{ name: `as in run ${run.run_uuid}`, expect: expectOf(run, options) }],
  }
  return [...notes(run, options).map((note) => `# ${note}`), writeYaml(withoutUndefined(content))].join('\n')
}

function notes(run: RecordedRun, { alert, playbook }: RecordOptions): readonly string[] {
  return [
    `Recorded from run ${run.run_uuid}. Read it before it is kept: it holds what the other systems answered.`,
    ...(alert === undefined ? ['The run does not hold its alert: write it, or record with --alert.'] : []),
    ...(playbook !== undefined && playbook.hash !== run.playbook_hash
      ? ['The playbook has changed since this run.']
      : []),
  ]
}

function checkedRun(given: unknown): RecordedRun {
  const run = given as Partial<RecordedRun> | null
  const hint = 'give the answer of GET /runs/<id>'
  const refuse = (message: string) => new ValidationError('run_unusable', message, [], { hint })
  if (
    typeof run !== 'object' ||
    run === null ||
    !Array.isArray(run.steps) ||
    typeof run.playbook !== 'string'
  )
    throw refuse('this is no run with its steps')
  if (run.status !== 'completed' && run.status !== 'failed' && run.status !== 'cancelled')
    throw refuse(`the run has not ended: it is ${String(run.status)}`)
  return run as RecordedRun
}

interface AlertView {
  readonly alert_content?: unknown
  readonly alert_provider?: unknown
  readonly alert_type?: unknown
  readonly alert_id?: unknown
  readonly alert_uuid?: unknown
  readonly created_at?: unknown
  readonly created_at_source?: unknown
}

function alertOf(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return { data: {} }
  const alert = given as AlertView
  return {
    type: alert.alert_type ?? undefined,
    provider: alert.alert_provider,
    id: alert.alert_id,
    uuid: alert.alert_uuid,
    created_at: alert.created_at,
    created_at_source: alert.created_at_source ?? undefined,
    ...bodyOf(alert.alert_content),
  }
}

/** As data where that stands for the same text. */
function bodyOf(content: unknown): { readonly data: unknown } | { readonly content: unknown } {
  if (typeof content !== 'string') return { data: {} }
  try {
    const data = parseJson(content)
    if (typeof data === 'object' && stringifyJson(data) === content) return { data }
  } catch {
    // Not JSON.
  }
  return { content }
}

/** Steps that asked another system and have its answer. The entry of a whole `foreach` has no input, its items have. */
function callsOf(run: RecordedRun, catalogue: Catalogue): readonly RecordedStep[] {
  return run.steps.filter(
    ({ path, kind, state, input }) =>
      kind.includes('.') &&
      (state === 'completed' || state === 'failed') &&
      input !== null &&
      // What becomes of a question needs no mock: the answer is one.
      !/\/@(ask|remind|settle)$/.test(path) &&
      reachesOut(catalogue, kind),
  )
}

/** What people answered; a step that nobody answered in time says so by having no `by`. */
function answersOf(run: RecordedRun, playbook: Playbook | undefined): Readonly<Record<string, unknown>> {
  const isOwn = ownSteps(playbook)
  const asked = run.steps.filter(
    ({ kind, state, step_id: id, output }) =>
      kind === 'checkpoint' && state !== 'skipped' && id !== null && isAnswer(output),
  )
  return byPlaces(
    asked,
    (step) => `steps.${isOwn(step) ? step.step_id : withoutItems(step.path)}`,
    (step) => [answerReply(step)],
    ({ input }) => (input as { readonly question?: { readonly input?: unknown } } | null)?.question?.input,
  )
}

/** The entry of all items or times together has another output. */
const isAnswer = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && 'answer' in output

function answerReply({
  output,
  started_at: from,
  ended_at: to,
}: RecordedStep): Readonly<Record<string, unknown>> {
  const { answer, by, by_kind, by_name, text } = (output ?? {}) as Readonly<Record<string, unknown>>
  if (typeof by !== 'string') return { timeout: true }
  const delay = to === null || to === from ? undefined : showDuration(to - from)
  return { answer, by, by_kind, by_name, text: text ?? undefined, delay }
}

function mocksOf(
  run: RecordedRun,
  { catalogue, playbook }: RecordOptions,
): Readonly<Record<string, unknown>> {
  const outside = callsOf(run, catalogue)
  const isOwn = ownSteps(playbook)
  return byPlaces(outside, (step) => (isOwn(step) ? `steps.${step.step_id}` : step.kind), repliesOf)
}

/**
 * Replies by the key of their mock. Those of one place come in the order of its tries, as mocks give them; where there are several
 * places, such as the items of a `foreach`, each says for which input it is. What is asked twice alike is said once.
 */
function byPlaces(
  steps: readonly RecordedStep[],
  keyOf: (step: RecordedStep) => string,
  repliesTo: (step: RecordedStep) => readonly Readonly<Record<string, unknown>>[],
  askedOf: (step: RecordedStep) => unknown = ({ input }) => input,
): Readonly<Record<string, unknown>> {
  const entries = Array.from(Map.groupBy(steps, keyOf), ([key, ofKey]) => {
    const places = [...Map.groupBy(ofKey, ({ path }) => withoutTimes(path)).values()]
    const replies = places.map((times) =>
      times.flatMap((step) =>
        repliesTo(step).map((reply) => (places.length > 1 ? { with: askedOf(step), ...reply } : reply)),
      ),
    )
    const distinct = [
      ...new Map(replies.map((each) => [stringifyJson(withoutUndefined(each)), each])).values(),
    ].flat()
    return [key, distinct.length === 1 ? distinct[0] : distinct] as const
  })
  return Object.fromEntries(entries)
}

/** Whether a step has an id of the playbook; those of called ones have ids of their own. Without the playbook nobody can tell. */
function ownSteps(playbook: Playbook | undefined): (step: RecordedStep) => boolean {
  const own = playbook && new Set(placedSteps(playbook).map(({ path }) => path))
  return ({ step_id: id, path }) => id !== null && own?.has(withoutItems(path)) !== false
}

function repliesOf(step: RecordedStep): readonly Readonly<Record<string, unknown>>[] {
  const failed = step.failed_attempts
    .filter(({ error }) => error.code !== 'step_interrupted')
    .map(({ error }) => errorReply(error, true))
  const last =
    step.error === null || step.state !== 'failed' ? { output: step.output } : errorReply(step.error, false)
  return [...failed, last]
}

function errorReply(error: StoredError, retryable: boolean): Readonly<Record<string, unknown>> {
  if (error.code === 'step_timeout') return { timeout: true }
  const { code, message, hint, details } = error
  return { error: { code, message, hint, details, ...(retryable ? { retryable } : {}) } }
}

function expectOf(
  run: RecordedRun,
  { playbook, catalogue }: RecordOptions,
): Readonly<Record<string, unknown>> {
  const entries = run.steps.map((step) => ({ path: step.path, state: step.state }) as JournalEntry)
  const ids = new Set(playbook && placedSteps(playbook).map(({ step }) => step.id))
  const path = playbook && traceOf(playbook, entries).map(({ name }) => name)
  const skipped = run.steps.filter(({ state, step_id: id }) => state === 'skipped' && id !== null)
  const writes = callsOf(run, catalogue).filter(({ kind }) => catalogue.skill(kind)?.skill.effect === 'write')
  const calls = writes.map(({ kind, input }) => ({ skill: kind, with: input }))
  const changed = caseOf(run)
  return {
    status: run.status,
    path: path?.filter((name) => ids.has(name)),
    skipped: skipped.length === 0 ? undefined : [...new Set(skipped.map(({ step_id: id }) => id))],
    calls: calls.length === 0 ? undefined : calls,
    case: Object.keys(changed).length === 0 ? undefined : changed,
    outputs: run.output ?? undefined,
    error: run.error === null ? undefined : { code: run.error.code },
  }
}

const caseFields = ['title', 'summary', 'status', 'severity', 'verdict', 'assignee']

/** What the run made of its own case. */
function caseOf(run: RecordedRun): Readonly<Record<string, unknown>> {
  const changes = run.steps.filter(({ kind, state }) => kind === 'case.update' && state === 'completed')
  const merged = Object.assign({}, ...changes.map(({ input }) => input)) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(merged).filter(([name]) => caseFields.includes(name)))
}

/** YAML would write them as null. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutUndefined(inner)]))
}
