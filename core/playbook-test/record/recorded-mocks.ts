import type { StoredError } from '../../domain/run.ts'
import { assumedOutput, sampleFromSchema } from '../../dry-run/assumed-output.ts'
import {
  askPath,
  approvalPath,
  choicePath,
  isApprovalPath,
  placeOfPerson,
  withoutInner,
} from '../../engine/journal/paths.ts'
import { stringifyJson } from '../../common/json.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { compileSchema } from '../../schema/index.ts'
import { hidden } from '../../domain/mask.ts'
import { showDuration } from '../run/judge.ts'
import { partsOf } from '../read/place.ts'
import { placedSteps, withoutItems } from '../read/placed-steps.ts'
import { reachesOut } from '../run/run-test.ts'
import { withoutTimes } from '../run/tries-before.ts'
import { withoutUndefined, type RecordedRun, type RecordedStep } from './recorded-run.ts'

type ReplyView = Readonly<Record<string, unknown>>

/** Names of mocks, and additional steps to mock. */
export interface MockStyle {
  /** By path in the run, if steps and skills do not distinguish the replies. */
  readonly byPlace: boolean
  /** Paths of steps whose skill calls no other system but has another output in a test. */
  readonly local: ReadonlySet<string>
  /** By key of the mock: for calls that the run did not make but the test does. */
  readonly further?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Steps that called another system and have its response. The entry of a whole `foreach` has no input; its
 * items have one.
 */
export function recordedCallsOf(run: RecordedRun, catalogue: Catalogue): readonly RecordedStep[] {
  return run.steps.filter((step) => isCall(step) && reachesOut(catalogue, step.kind))
}

export const isCall = ({ path, kind, state, input }: RecordedStep): boolean =>
  kind.includes('.') &&
  (state === 'completed' || state === 'failed') &&
  input !== null &&
  // Calls that close a question need no mock: the mocked answer is sufficient.
  !/\/@(ask|remind|settle)$/.test(path)

/** Replies of other systems and people, by the key of their mock. */
export function mocksOf(
  run: RecordedRun,
  playbook: Playbook | undefined,
  catalogue: Catalogue,
  style: MockStyle,
): Readonly<Record<string, unknown>> {
  const isOwn = ownSteps(playbook)
  const approvals = new Set(run.steps.map(({ path }) => path).filter(isApprovalPath))
  const isRefused = ({ path, state, input }: RecordedStep) =>
    state === 'failed' && input === null && approvals.has(approvalPath(path))
  const called = recordedCallsOf(run, catalogue).filter((step) => !isRefused(step))
  const apart = run.steps.filter((step) => isRefused(step) || style.local.has(step.path))
  const asked = run.steps.filter(isQuestion)
  // Mocked as the skill that was chosen, so that the test calls it too.
  const chosen = new Set(run.steps.map(({ path }) => path).filter((path) => path.endsWith('/@choice')))
  const isChosen = ({ path }: RecordedStep) => chosen.has(choicePath(path)) || /\/@call\[\d+\]$/.test(path)
  const placeOf = (step: RecordedStep): string =>
    isOwn(step) && !/\[\d+\]/.test(withoutInner(step.path))
      ? `steps.${step.step_id}`
      : `steps.${withoutTimes(withoutInner(step.path))}`
  const place = (step: RecordedStep) => (isChosen(step) ? step.kind : placeOf(step))
  const bySkill = (step: RecordedStep) =>
    isOwn(step) && !isChosen(step) ? `steps.${step.step_id}` : step.kind
  const byStep = (step: RecordedStep) =>
    `steps.${isOwn(step) ? step.step_id : withoutItems(withoutInner(step.path))}`
  const repliesTo = (step: RecordedStep) => repliesOf(step, catalogue)
  const answer = (step: RecordedStep) => [answerReply(step, run.steps)]
  return {
    ...style.further,
    ...byPlaces(called, style.byPlace ? place : bySkill, repliesTo),
    ...byPlaces(apart, place, repliesTo),
    ...byPlaces(asked, style.byPlace ? place : byStep, answer, questionInput),
    ...byPlaces(run.steps.filter(isEventWait), style.byPlace ? placeOf : byStep, (step) => [
      eventReply(step),
    ]),
  }
}

interface AskedQuestion {
  readonly input?: unknown
  readonly form?: JsonSchema | null
}

const questionOf = ({ input }: RecordedStep): AskedQuestion | undefined =>
  (input as { readonly question?: AskedQuestion } | null)?.question

const questionInput = (step: RecordedStep): unknown => questionOf(step)?.input

/**
 * Whether a checkpoint was answered or timed out. The entry that summarizes items or repetitions does not
 * count.
 */
function isQuestion({ path, kind, state, input, output }: RecordedStep): boolean {
  if (kind !== 'checkpoint' || isApprovalPath(path)) return false
  if (state === 'failed') return input !== null
  if (placeOfPerson(path) !== undefined && state === 'skipped') return true
  return (
    state === 'completed' &&
    typeof output === 'object' &&
    output !== null &&
    'answer' in output &&
    !('decided_by' in output)
  )
}

/** Whether a wait for an event received one or timed out. */
const isEventWait = ({ kind, state, input }: RecordedStep): boolean =>
  kind === 'event' && (state === 'completed' || (state === 'failed' && input !== null))

function eventReply({ output, started_at: from, ended_at: to }: RecordedStep): ReplyView {
  const { event } = (output ?? {}) as { readonly event?: Readonly<Record<string, unknown>> }
  if (event === undefined) return { timeout: true }
  const { type, provider, data } = event
  const { at: _, ...change } = event
  const waitedMs = (to ?? from) - from
  const delay = waitedMs > 0 ? showDuration(waitedMs) : undefined
  return { event: 'case' in event ? change : { type: type ?? undefined, provider, data }, delay }
}

/** A question that timed out has no `by`. */
function answerReply(step: RecordedStep, steps: readonly RecordedStep[]): ReplyView {
  const { path, state, input, output, error, started_at: startedAt, ended_at: to } = step
  if (state === 'failed') {
    const told = steps.find((each) => each.path === askPath(path))
    return told?.state === 'failed' && error !== null ? errorReply(error, false) : { timeout: true }
  }
  const { answer, by, by_kind, by_name, text } = (output ?? {}) as Readonly<Record<string, unknown>>
  if (typeof by !== 'string') return { timeout: true }
  // Some of several people are asked later.
  const { ask_at_ms: from = startedAt } = (input ?? {}) as { readonly ask_at_ms?: number }
  const delay = to === null || to === from ? undefined : showDuration(to - from)
  const form = questionOf(step)?.form ?? null
  return {
    answer: form === null ? answer : fitting(answer, form),
    by,
    by_kind,
    by_name: by_name ?? undefined,
    text: text ?? undefined,
    delay,
  }
}

/**
 * Replies by the key of their mock. Those of one path are in the order of attempts; with several paths, such
 * as items of a `foreach`, each reply has its input in `with`. Duplicates are written once.
 */
function byPlaces(
  steps: readonly RecordedStep[],
  keyOf: (step: RecordedStep) => string,
  repliesTo: (step: RecordedStep) => readonly ReplyView[],
  askedOf: (step: RecordedStep) => unknown = ({ input }) => input,
): Readonly<Record<string, unknown>> {
  const entries = Array.from(Map.groupBy(steps, keyOf), ([key, ofKey]) => {
    const places = [...Map.groupBy(ofKey, ({ path }) => withoutTimes(path)).values()]
    const replies = places.map((times) =>
      times.flatMap((step) =>
        repliesTo(step).map((reply) => (places.length > 1 ? { with: askedOf(step) ?? {}, ...reply } : reply)),
      ),
    )
    const distinct = [
      ...new Map(replies.map((each) => [stringifyJson(withoutUndefined(each)), each])).values(),
    ].flat()
    return [key, distinct.length === 1 ? distinct[0] : distinct] as const
  })
  return Object.fromEntries(entries)
}

/**
 * Whether a step has an id and belongs to the playbook itself, not to a called playbook. Without the
 * playbook, an id is enough.
 */
export function ownSteps(playbook: Playbook | undefined): (step: RecordedStep) => boolean {
  const own = playbook && new Set(placedSteps(playbook).map(({ path }) => path))
  return ({ step_id: id, path }) => id !== null && own?.has(withoutItems(withoutInner(path))) !== false
}

/** Shorter delays are omitted from mocks. */
const shortestDelayMs = 1_000

function repliesOf(step: RecordedStep, catalogue: Catalogue): readonly ReplyView[] {
  const failed = step.failed_attempts
    .filter(({ error }) => error.code !== 'step_interrupted')
    .filter(({ error }) => (step.resolution ?? null) === null || error.details?.['effect'] !== 'unknown')
    .map(({ error }) => errorReply(error, true))
  if (step.error !== null && step.state === 'failed') return [...failed, errorReply(step.error, false)]
  const tookMs = (step.ended_at ?? step.started_at) - step.started_at
  const isSlow = step.failed_attempts.length === 0 && tookMs >= shortestDelayMs
  const output = fittingOutput(step, catalogue)
  return [...failed, isSlow ? { output, delay: showDuration(tookMs) } : { output }]
}

/** The duration of the enclosing group or of the run. */
const timeouts: ReadonlySet<string> = new Set(['step_timeout', 'run_timeout'])

function errorReply(error: StoredError, retryable: boolean): ReplyView {
  if (timeouts.has(error.code)) return { timeout: true }
  const { code, message, hint, details } = error
  return { error: { code, message, hint, details, ...(retryable ? { retryable } : {}) } }
}

/** The output; a redacted value that does not match its schema is removed or replaced from an example. */
function fittingOutput({ kind, input, output }: RecordedStep, catalogue: Catalogue): unknown {
  const skill = catalogue.skill(kind)?.skill
  return skill === undefined
    ? output
    : fitting(output, skill.output as JsonSchema, () => assumedOutput(skill, input).output)
}

/**
 * The value; redacted parts that do not match the schema are removed or replaced from another, valid value.
 */
export function fitting(
  value: unknown,
  declared: JsonSchema,
  other: () => unknown = () => sampleFromSchema(declared),
): unknown {
  if (!stringifyJson(value ?? null).includes(hidden)) return value
  const schema = compileSchema(declared)
  const wrong = schema.problems(value)
  if (wrong.length === 0) return value
  const assumed = other()
  let fitted = value
  for (const { pointer } of wrong) {
    const parts = partsOf(pointer)
    const choices = [changed(fitted, parts, undefined), changed(fitted, parts, at(assumed, parts))]
    const before = schema.problems(fitted).length
    fitted = choices.find((choice) => schema.problems(choice).length < before) ?? fitted
  }
  return schema.problems(fitted).length === 0 ? fitted : assumed
}

function at(value: unknown, [first, ...rest]: readonly (string | number)[]): unknown {
  if (first === undefined) return value
  return typeof value === 'object' && value !== null
    ? at((value as Readonly<Record<string | number, unknown>>)[first], rest)
    : undefined
}

/** A copy with another value at a path; without the field if the value is undefined. */
function changed(value: unknown, [first, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (first === undefined) return to
  if (Array.isArray(value))
    return value.map((item, index) => (index === first ? changed(item, rest, to) : item))
  if (typeof value !== 'object' || value === null) return value
  const inner = changed((value as Readonly<Record<string, unknown>>)[first], rest, to)
  return withoutUndefined({ ...value, [first]: inner })
}
