import { personOf } from '../../core/domain/audit.ts'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import type { FailedAttempt, JournalEntry } from '../../core/domain/run.ts'
import { skillsOf, type SkillCall } from '../../core/engine/skills/skill-caller.ts'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import { choicePath } from '../../core/engine/journal/paths.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { createMemoryCheckpoints } from '../../core/playbook-test/run/memory-checkpoints.ts'
import { createMemoryJournal } from '../../core/playbook-test/run/memory-journal.ts'
import { rehearse } from '../../core/playbook-test/run/rehearse.ts'
import { withMockedCalls } from '../../core/playbook-test/run/mocked-calls.ts'
import { VirtualClock } from '../../core/playbook-test/run/virtual-clock.ts'
import { noConnections } from '../../core/playbook-test/run/run-test.ts'
import type { ChosenCall } from '../../core/interface/choose-calls.ts'
import { createInterfaceCalls } from '../../core/interface/interface-calls.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { JournalEnd, JournalStore } from '../../core/ports/runs/journal-store.ts'
import { recordingJournal, replayWrite, type GoldenFile, type GoldenRun, type Write } from './golden-run.ts'
import { somebody } from '../support/somebody.ts'

/** The outcome of a run. */
export interface Replayed {
  readonly outcome: RunOutcome
  readonly entries: readonly JournalEntry[]
  /** Calls that were active at the cut: they begin again, so their times may differ. */
  readonly forgotten: readonly string[]
  /** Calls that the recorded run never made, and those that had ended before: what is wrong with them, in words. */
  readonly wrongCalls: readonly string[]
  /** What the current program wrote. */
  readonly written: readonly Write[]
}

const never = new AbortController().signal
const silence = { debug() {}, info() {}, warn() {}, error() {} }

/** The recorded playbooks; throws if one is no longer valid, because its runs would fail. */
export function playbooksOf({ sources }: GoldenFile, catalogue: Catalogue): readonly Playbook[] {
  const files = Object.entries(sources).map(([file, source]) => ({ file, source }))
  return parseTogether(files, { catalogue }).map(({ playbook, problems, file }) => {
    if (playbook !== undefined) return playbook
    const messages = problems.map(({ code, message }) => `${code} ${message}`)
    throw new Error(`the playbook '${file}' is refused now: ${messages.join('; ')}`)
  })
}

/**
 * Resumes a recorded run like a new process that finds these writes in its journal. Other systems answer as recorded, at the recorded
 * times.
 */
export async function replayGolden(
  golden: GoldenRun,
  playbooks: readonly Playbook[],
  earlier: readonly Write[],
  catalogue: Catalogue,
): Promise<Replayed> {
  const whole = createMemoryJournal()
  for (const write of golden.writes) await replayWrite(whole.store, write)
  const record = new Map(whole.entries().map((entry) => [entry.path, entry]))

  const journal = createMemoryJournal()
  for (const write of earlier) await replayWrite(journal.store, write)
  const inFlight = journal.entries().filter(({ path, state, kind, attempt }) => {
    const isCall = state === 'started' && kind !== 'wait' && kind !== 'checkpoint'
    return isCall && attempt > journal.failedAttempts(path).length
  })
  const begun = journal.entries()
  const clock = new VirtualClock(resumedAt(golden, begun, inFlight))
  for (const { path } of inFlight) journal.forgetIntent(path)

  const ended = new Set(begun.filter(({ endedAt }) => endedAt !== null).map(({ path }) => path))
  const wrongCalls: string[] = []
  const call = async ({ attempt, run }: SkillCall): Promise<unknown> => {
    const path = attempt.idempotencyKey.slice(run.uuid.length + 1)
    const entry = record.get(path)
    if (entry === undefined || `${run.uuid}/${path}` !== attempt.idempotencyKey) {
      wrongCalls.push(`${attempt.idempotencyKey}: was never called with this key`)
      throw new SkillError('never_called', 'the recorded run never made this call')
    }
    if (ended.has(path)) wrongCalls.push(`${attempt.idempotencyKey}: was called again`)
    const failed = whole.failedAttempts(path)[attempt.number - 1]
    const retryAfterMs = golden.retryAfterMs[`${attempt.idempotencyKey}#${attempt.number}`]
    return await answer(entry, failed && { ...failed, retryAfterMs }, clock, attempt.signal)
  }

  /** State is restored as recorded. */
  const answering: JournalStore = {
    ...journal.store,
    async recordState(uuid, begin) {
      const entry = record.get(begin.path)
      if (entry === undefined) throw new Error(`the recorded run used no state at ${begin.path}`)
      const { state, output, error, attempt, endedAt } = entry
      await journal.store.record(uuid, begin, { state, output, error, attempt, endedAt } as JournalEnd)
      return (await journal.store.entry(uuid, begin.path))!
    },
  }

  const { store, writes } = recordingJournal(answering)
  const wakeUps = createWakeUps()
  const checkpoints = createMemoryCheckpoints(clock, '', (checkpoint) => void answerQuestion(checkpoint))
  async function answerQuestion({ id, path }: Checkpoint): Promise<void> {
    const {
      answer: value,
      by,
      at,
      text,
      by_kind: byKind,
    } = (record.get(path)?.output ?? {}) as Partial<Record<string, string>>
    if (by === undefined || by === null || at === undefined) return
    await clock.sleep(Math.max(0, Date.parse(at) - clock.now()), never)
    await checkpoints.store.answer(
      id,
      { value, text: text ?? null },
      byKind === 'person' ? personOf(by) : somebody(by),
    )
    wakeUps.wake()
  }
  // Questions are numbered in the order of asking.
  for (const { path, kind, stepId, input } of begun) {
    const { question, until_ms: timeoutAt } = (input ?? {}) as {
      question?: Checkpoint['question']
      until_ms: number
    }
    if (kind !== 'checkpoint' || question === undefined) continue
    await checkpoints.store.open('', { path, stepId, question, timeoutAt })
  }

  const mocked = new Map(golden.mockedCalls.map((name) => [name, []]))
  const skills = skillsOf(catalogue, call, {
    ...createInterfaceCalls(catalogue, noConnections),
    async choose({ path }) {
      const { calls } = record.get(choicePath(path))!.output as { readonly calls: readonly ChosenCall[] }
      return calls
    },
  })
  const run = rehearse({
    playbook: withMockedCalls(playbooks[0]!, mocked),
    called: new Map(playbooks.slice(1).map((playbook) => [playbook.name, playbook])),
    fixtures: golden.fixtures,
    skills: {
      ...skills,
      interrupted: (name) => (name.startsWith('call:') ? 'repeat' : skills.interrupted(name)),
    },
    journal: store,
    clock,
    log: silence,
    caseId: golden.caseId,
    checkpoints: checkpoints.store,
    wakeUps,
  })
  const outcome = await clock.drive(run)
  return {
    outcome,
    entries: journal.entries(),
    forgotten: inFlight.map(({ path }) => path),
    wrongCalls,
    written: writes,
  }
}

/** The complete journal of the recorded run. */
export async function journalOfGolden({ writes }: GoldenRun): Promise<readonly JournalEntry[]> {
  const journal = createMemoryJournal()
  for (const write of writes) await replayWrite(journal.store, write)
  return journal.entries()
}

/** Not after the start of any active call, which begins again. */
function resumedAt(
  { fixtures }: GoldenRun,
  begun: readonly JournalEntry[],
  inFlight: readonly JournalEntry[],
): number {
  const latest = Math.max(fixtures.nowMs, ...begun.map(({ startedAt, endedAt }) => endedAt ?? startedAt))
  return Math.min(latest, ...inFlight.map(({ startedAt }) => startedAt))
}

async function answer(
  entry: JournalEntry,
  failed: (FailedAttempt & { readonly retryAfterMs: number | undefined }) | undefined,
  clock: VirtualClock,
  signal: AbortSignal,
): Promise<unknown> {
  const { endedAt } = failed ?? entry
  const error = failed?.error ?? entry.error
  // Ended by the engine itself.
  if (error?.code === 'step_timeout') return await new Promise(() => {})
  await clock.sleep(Math.max(0, (endedAt ?? 0) - clock.now()), signal)
  if (error === null) return entry.output
  const { code, message, hint, details } = error
  const options = { hint, details }
  if (failed === undefined) throw new SkillError(code, message, options)
  throw new RetryableError(code, message, { ...options, retryAfterMs: failed.retryAfterMs })
}
