import { stringifyJson } from '../common/json.ts'
import type { SkillCaller } from '../engine/skills/skill-caller.ts'
import { covers, maskAt } from '../domain/mask.ts'
import { withoutRetries } from '../dry-run/dry-run-caller.ts'
import { withRealTimeout } from '../playbook-test/run/real-timeout.ts'
import { TocsinError } from '../plugin/index.ts'
import { resolveInputs } from '../playbook/template/inputs.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import {
  changesBetween,
  differenceFromRecorded,
  sharedActions,
  type DecisionChange,
  type SharedAction,
} from './changes.ts'
import { decisionOf, shownDecision, type ShownDecision } from './decision.ts'
import { RecordedReplies } from './recorded-replies.ts'
import type { PlaybookVersion, RecordedAlert, RecordedRunKey, Unjudged } from './recording.ts'
import { replay, type Replay, type ReplayOptions } from './replay.ts'

/** The result for one alert. */
export interface JudgedAlert extends RecordedRunKey {
  readonly result: 'same' | 'changed' | 'unjudged'
  readonly changes: readonly DecisionChange[]
  readonly actions: readonly SharedAction[]
  /** Of `unjudged`. */
  readonly reason: Unjudged | undefined
  /** The recorded run used another version than the live one, which was replayed for the comparison. */
  readonly isOtherVersion: boolean
  /** Replies of the edited version that were not recorded, for people. */
  readonly assumed: readonly string[]
  readonly before: ShownDecision | undefined
  readonly after: ShownDecision | undefined
}

/** Both runs of one alert. */
export interface ComparedRuns {
  readonly judged: JudgedAlert
  readonly before: Replay | undefined
  readonly after: Replay | undefined
}

type Surroundings = Omit<
  ReplayOptions,
  'recording' | 'replies' | 'isControl' | 'inputs' | 'playbook' | 'called' | 'signal'
>

export interface JudgeOptions extends Surroundings {
  /** The version to compare with. */
  readonly base: PlaybookVersion
  readonly candidate: PlaybookVersion
  /** The version of a recorded run. Rejects with a TocsinError if it is no longer valid. */
  readonly versionOf: (recording: RecordedAlert) => Promise<PlaybookVersion>
  /** Limits in real time: of one alert, and of one read. Default: a minute, and 30 seconds. */
  readonly limits?: RealLimits | undefined
}

export interface RealLimits {
  readonly alertMs: number
  readonly readMs: number
}

const defaultLimits: RealLimits = { alertMs: 60_000, readMs: 30_000 }

/**
 * Replays the recorded version first: an alert whose replay decides otherwise than the recorded run cannot be judged. Then compares the
 * base with the edited version. Rejects only when `signal` is aborted.
 */
export async function judgeAlert(
  key: RecordedRunKey,
  recording: RecordedAlert | Unjudged,
  options: JudgeOptions,
  signal: AbortSignal,
): Promise<ComparedRuns> {
  const isOtherVersion = 'run' in recording && recording.run.playbookHash !== options.base.playbook.hash
  const known = {
    ...key,
    isOtherVersion,
    changes: [],
    actions: [],
    assumed: [],
    before: undefined,
    after: undefined,
  }
  const unjudged = (reason: Unjudged): ComparedRuns => ({
    judged: { ...known, result: 'unjudged', reason },
    before: undefined,
    after: undefined,
  })
  if ('code' in recording) return unjudged(recording)
  const late = new AbortController()
  const { alertMs } = options.limits ?? defaultLimits
  const timer = setTimeout(() => late.abort(tooSlow(alertMs)), alertMs)
  try {
    return await compare(known, recording, options, AbortSignal.any([signal, late.signal]))
  } catch (error) {
    signal.throwIfAborted()
    return unjudged(reasonOf(error))
  } finally {
    clearTimeout(timer)
  }
}

async function compare(
  known: Omit<JudgedAlert, 'result' | 'reason'>,
  recording: RecordedAlert,
  options: JudgeOptions,
  signal: AbortSignal,
): Promise<ComparedRuns> {
  const { base, candidate, catalogue } = options
  const recorded = await options.versionOf(recording)
  const replies = new RecordedReplies(recording, catalogue)
  const live = remembering(options.live, options.limits ?? defaultLimits)
  const run = async (version: PlaybookVersion, isControl: boolean) => {
    const inputs = isControl
      ? recording.run.inputs
      : inputsFor(version.playbook, recorded.playbook, recording)
    const done = await replay({ ...options, ...version, live, recording, replies, inputs, isControl, signal })
    if (done.unjudged !== undefined) throw new TocsinError(done.unjudged.code, done.unjudged.message)
    const decision = decisionOf(
      { ...done, playbook: version.playbook, caseId: recording.run.caseId },
      catalogue,
    )
    return { done, decision }
  }
  const control = await run(recorded, true)
  const actual = {
    ...recording,
    outcome: recording.run as Pick<Replay, 'outcome'>['outcome'],
    notStarted: undefined,
  }
  const asRecorded = decisionOf(
    { ...actual, playbook: recorded.playbook, connections: new Map(), caseId: recording.run.caseId },
    catalogue,
  )
  const difference = differenceFromRecorded(asRecorded, control.decision)
  if (difference !== undefined)
    throw new TocsinError(
      'not_repeatable',
      `a replay of the recorded version does not repeat the recorded run: ${difference}`,
    )
  for (const { playbook } of [base, candidate]) requireAsSensitive(playbook, recorded.playbook)
  const before = isSame(base, recorded) ? control : await run(base, false)
  const after = await run(candidate, false)
  const changes = changesBetween(before.decision, after.decision)
  const judged: JudgedAlert = {
    ...known,
    result: changes.length === 0 ? 'same' : 'changed',
    changes,
    actions: sharedActions(before.decision, after.decision),
    reason: undefined,
    assumed: after.done.assumed,
    before: shownDecision(before.decision),
    after: shownDecision(after.decision),
  }
  return { judged, before: before.done, after: after.done }
}

/** A version that does not mark the sensitive values of the recorded run would show them. Throws `sensitive_shown`. */
function requireAsSensitive(version: Playbook, recorded: Playbook): void {
  const isShown = (name: string): boolean =>
    !covers(maskAt(version.masks.inputs, name), maskAt(recorded.masks.inputs, name))
  const inputs = [...version.inputs.keys()].filter(isShown)
  const states = [...version.state].filter(
    ([name, { sensitive }]) => !sensitive && recorded.state.get(name)?.sensitive === true,
  )
  const isAlertShown = !covers(version.masks.alert, recorded.masks.alert)
  const [first] = [
    ...inputs.map((name) => `input '${name}'`),
    ...states.map(([name]) => `state '${name}'`),
    ...(isAlertShown ? ['alert, or a field of it,'] : []),
  ]
  if (first === undefined) return
  throw new TocsinError(
    'sensitive_shown',
    `the ${first} is sensitive in the recorded version, and not in version ${version.hash.slice(0, 12)}`,
  )
}

/** The recorded inputs that differ from the defaults of the recorded version; defaults come from the new version. */
function inputsFor(
  playbook: Playbook,
  recorded: Playbook,
  { run }: RecordedAlert,
): Readonly<Record<string, unknown>> {
  const given = Object.entries(run.inputs).filter(([name, value]) => {
    const usual = recorded.inputs.get(name)?.default
    return usual === undefined || stringifyJson(usual.value ?? null) !== stringifyJson(value ?? null)
  })
  return resolveInputs(playbook, Object.fromEntries(given))
}

const isSame = (a: PlaybookVersion, b: PlaybookVersion): boolean =>
  a.playbook.hash === b.playbook.hash &&
  [...a.called].every(([name, { hash }]) => b.called.get(name)?.hash === hash)

/** Both versions get the same reply to the same call, which is made once. */
function remembering(given: SkillCaller, { readMs }: RealLimits): SkillCaller {
  const live = withoutRetries(withRealTimeout(given, readMs))
  const known = new Map<string, Promise<unknown>>()
  return (call) => {
    const key = stringifyJson([call.skill, call.connection ?? null, call.input])
    const asked = known.get(key) ?? live(call)
    known.set(key, asked)
    return asked
  }
}

const tooSlow = (ms: number): TocsinError =>
  new TocsinError('replay_too_slow', `the replay took longer than ${ms / 1_000} seconds`)

function reasonOf(error: unknown): Unjudged {
  if (error instanceof TocsinError) return { code: error.code, message: error.message }
  const { message } = error as Error
  return message === 'the run waits for something that never happens'
    ? {
        code: 'waits_for_decision',
        message: 'a step has an unknown outcome, about which a person would decide',
      }
    : { code: 'replay_failed', message: `the replay failed: ${message}` }
}
