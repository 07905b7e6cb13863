import type { Checkpoint, CheckpointAnswer, Question } from '../../../core/domain/checkpoint.ts'
import type { StoredError } from '../../../core/domain/run.ts'
import { cancelled, GroupTimeoutError } from '../../../core/engine/context/attempt.ts'
import type {
  AskWork,
  DurableContext,
  EffectWork,
  WorkOutcome,
  PureResult,
  PureWork,
  SleepWork,
  StateWork,
} from '../../../core/engine/journal/durable-context.ts'
import { failedOutcome, failedWith } from '../../../core/engine/journal/local-run.ts'
import { delayBeforeNextTry } from '../../../core/engine/context/next-try.ts'
import { plainJson } from '../../../core/engine/journal/plain-json.ts'
import { firstProgress, isHeldUp } from '../../../core/engine/journal/progress.ts'
import { mayHaveHappened } from '../../../core/engine/context/retry-class.ts'
import { toStoredError } from '../../../core/engine/journal/stored-error.ts'
import { tryOnce } from '../../../core/engine/context/try-once.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import { Crash } from './crashing-journal.ts'
import type { NamedEngine } from './named-engine.ts'

export interface NamedContextOptions {
  readonly uuid: string
  readonly startedAt: number
  readonly engine: NamedEngine
  readonly clock: Clock
  readonly log: Log
  readonly cancel?: AbortSignal
  /** Creates the id of a question. */
  readonly drawId: (path: string) => string
}

interface FailedTry {
  readonly retryAtMs: number
  readonly heldUp: boolean
  readonly crashed: boolean
  readonly doubtful: boolean
}

interface Asked {
  readonly id: string
  readonly question: Question
  readonly untilMs: number
  readonly remindAtMs: number
}

interface Answered {
  readonly state: 'answered' | 'timed_out' | 'withdrawn'
  readonly answer: CheckpointAnswer | null
}

type Decision = { readonly decision: 'ran' | 'skip' | 'run_again'; readonly output?: unknown }

const never = new AbortController().signal

/**
 * A durable context on an engine that stores results by name: a second adapter, which shows that the
 * port is sufficient to write one.
 */
export function openNamedContext(options: NamedContextOptions): DurableContext {
  const { uuid, startedAt, engine, clock, log, cancel = never } = options
  const run = { uuid, clock, log, cancel, stop: never, earlierTries: async () => [] }
  const beside = new Set<Promise<unknown>>()

  const keep = (path: string, outcome: WorkOutcome) => engine.run(path, () => outcome)
  const failed = (work: { path: string; deadlineMs: number }, error: unknown) =>
    failedOutcome(run, work, error)
  const endedBy = ({ shielded }: { shielded: boolean }) => (shielded ? never : cancel)

  function evaluated(path: string, evaluate: () => PureResult): PureResult {
    try {
      const result = evaluate()
      return result.state === 'failed' ? result : { state: result.state, output: plainJson(result.output) }
    } catch (error) {
      return failedWith(run, path, error)
    }
  }

  const remember = ({ path, evaluate }: PureWork): Promise<WorkOutcome> =>
    engine.run(path, () => ({ ...evaluated(path, evaluate), endedAt: clock.now() }))

  /** Stored before the work begins; work that cannot begin has failed. */
  async function begun<T>(work: Pick<EffectWork, 'path' | 'deadlineMs' | 'shielded'>, intent: () => T) {
    return await engine.run<{ intent: T } | { ended: WorkOutcome }>(`${work.path}/@intent`, () => {
      try {
        const result = { intent: intent() }
        if (clock.now() >= work.deadlineMs) throw new GroupTimeoutError()
        if (endedBy(work).aborted) throw cancelled()
        return result
      } catch (error) {
        return { ended: failed(work, error) }
      }
    })
  }

  /**
   * Resolves at the time, or when the promise resolves; rejects at the deadline of the work or when the run
   * is cancelled.
   */
  async function wait<T>(work: Pick<EffectWork, 'deadlineMs' | 'shielded'>, name: string, untilMs: number) {
    const atMs = Math.min(untilMs, work.deadlineMs)
    const found = await engine.promise<T>(name, atMs, endedBy(work)).catch((error: unknown) => {
      throw endedBy(work).aborted ? cancelled() : error
    })
    if (found === undefined && work.deadlineMs <= untilMs && work.deadlineMs < Infinity)
      throw new GroupTimeoutError()
    return found
  }

  async function sleep(work: SleepWork): Promise<WorkOutcome> {
    const known = engine.peek<WorkOutcome>(work.path)
    if (known) return known
    const begin = await begun({ ...work, deadlineMs: Infinity, shielded: true }, () => work.untilMs())
    if ('ended' in begin) return await keep(work.path, begin.ended)
    try {
      await wait(work, `${work.path}/@never`, begin.intent)
    } catch (error) {
      return await keep(work.path, failed(work, error))
    }
    return await keep(work.path, {
      state: 'completed',
      output: null,
      endedAt: Math.max(clock.now(), begin.intent),
    })
  }

  async function perform(work: EffectWork): Promise<WorkOutcome> {
    const { path } = work
    const known = engine.peek<WorkOutcome>(path)
    if (known) return known
    const begin = await begun(work, () => ({ input: plainJson(work.input()) }))
    if ('ended' in begin) return await keep(path, begin.ended)
    const { input } = begin.intent
    const progress = firstProgress()
    const fail = (error: unknown) => keep(path, failed(work, error))
    const noteFailure = async (error: unknown, delayMs: number, crashed: boolean) =>
      await engine.run<FailedTry & { error: StoredError }>(`${path}/@failed${progress.number}`, () => ({
        error: toStoredError(error, log, { run: uuid, path }),
        retryAtMs: clock.now() + delayMs,
        heldUp: isHeldUp(error),
        crashed,
        doubtful: (crashed && work.interrupted !== 'ask') || (!crashed && mayHaveHappened(error)),
      }))
    for (;;) {
      const before = engine.peek<FailedTry>(`${path}/@failed${progress.number}`)
      if (before !== undefined) {
        progress.number++
        if (!before.heldUp && !before.crashed) progress.failures++
        progress.readyAtMs = before.retryAtMs
        progress.doubtful ||= before.doubtful
        continue
      }
      try {
        if (progress.readyAtMs > clock.now()) await wait(work, `${path}/@never`, progress.readyAtMs)
        let isMine = false
        await engine.run(`${path}/@try${progress.number}`, () => (isMine = true))
        if (!isMine) {
          const error = new TocsinError(
            'step_interrupted',
            `the process stopped while '${work.kind}' was running`,
          )
          if (work.interrupted === 'fail') return await fail(error)
          const decided: Decision | undefined =
            work.interrupted === 'skip'
              ? { decision: 'skip' }
              : work.interrupted === 'ask'
                ? await wait<Decision>(work, `${path}/@decision${progress.number}`, Infinity)
                : undefined
          if (decided !== undefined && decided.decision !== 'run_again') {
            const state = decided.decision === 'ran' ? 'completed' : 'skipped'
            return await keep(path, { state, output: decided.output ?? null, endedAt: clock.now() })
          }
          await noteFailure(error, 0, true)
          continue
        }
        const output = await tryOnce(run, work, input, progress)
        return await keep(path, { state: 'completed', output, endedAt: clock.now() })
      } catch (error) {
        if (error instanceof Crash) throw error
        const delayMs = delayBeforeNextTry(run, work, progress, error)
        if (delayMs === undefined) return await fail(error)
        await noteFailure(error, delayMs, false)
      }
    }
  }

  async function ask(work: AskWork): Promise<WorkOutcome> {
    const { path } = work
    const answerName = `${path}/@answer`
    const begin = await begun<Asked>(work, () => {
      const { question, withinMs, remindAfterMs = Infinity } = work.question()
      const now = clock.now()
      const untilMs = now + withinMs
      const remindAtMs = Math.min(now + remindAfterMs, Number.MAX_SAFE_INTEGER)
      return { id: options.drawId(path), question: plainJson(question) as Question, untilMs, remindAtMs }
    })
    if ('ended' in begin) return await keep(path, begin.ended)
    const asked = begin.intent
    const outcome = engine.peek<WorkOutcome>(path) ?? (await keep(path, await untilAnswered()))
    const answered = engine.peek<Answered>(answerName)
    if (work.settle && answered) goOnBeside(work.settle(checkpointOf(answered)))
    return outcome

    async function untilAnswered(): Promise<WorkOutcome> {
      try {
        const storeConnection = async (connection: string) =>
          void (await engine.run(`${path}/@over`, () => connection))
        const telling = work.tell(asked.id, asked.question, storeConnection)
        const told = telling && (await perform(telling))
        if (told?.state === 'failed') {
          await engine.resolve<Answered>(answerName, { state: 'withdrawn', answer: null })
          return told
        }
        let found: Answered | undefined
        if (work.remind && asked.remindAtMs < asked.untilMs) {
          found = await wait<Answered>(work, answerName, asked.remindAtMs)
          if (found === undefined && clock.now() < asked.untilMs)
            goOnBeside(work.remind(checkpointOf(undefined)))
        }
        found ??= await wait<Answered>(work, answerName, asked.untilMs)
        found ??= await engine.resolve<Answered>(answerName, { state: 'timed_out', answer: null })
        const { answer } = found
        const result = evaluated(path, () =>
          answer ? work.answered(answer, null, checkpointOf(found)) : work.timedOut(asked.untilMs),
        )
        return { ...result, endedAt: answer ? clock.now() : Math.max(clock.now(), asked.untilMs) }
      } catch (error) {
        if (error instanceof Crash) throw error
        await engine.resolve<Answered>(answerName, { state: 'withdrawn', answer: null })
        return failed(work, error)
      }
    }

    function checkpointOf(answered: Answered | undefined): Checkpoint {
      const told = engine.peek<WorkOutcome>(`${path}/@ask`)
      return {
        id: asked.id,
        runUuid: uuid,
        organizationUuid: '',
        playbookName: '',
        alertId: null,
        caseId: null,
        path,
        stepId: work.stepId,
        question: asked.question,
        group: null,
        connection: engine.peek(`${path}/@over`) ?? null,
        reference: told?.state === 'completed' ? told.output : null,
        createdAt: startedAt,
        timeoutAt: asked.untilMs,
        onTimeout: work.onTimeout,
        state: answered?.state ?? 'waiting',
        answer: answered?.answer ?? null,
      }
    }
  }

  async function state(work: StateWork): Promise<WorkOutcome> {
    const { path } = work
    const known = engine.peek<WorkOutcome>(path)
    if (known) return known
    const begin = await begun({ ...work, deadlineMs: Infinity }, () => work.request())
    if ('ended' in begin) return await keep(path, begin.ended)
    const endedAt = clock.now()
    return await engine.commit(path, (kept) => ({ ...kept.apply(begin.intent, endedAt), endedAt }))
  }

  function goOnBeside(work: EffectWork): void {
    const mine = perform(work).finally(() => beside.delete(mine))
    mine.catch(() => {})
    beside.add(mine)
  }

  return {
    runUuid: uuid,
    startedAt,
    remember,
    perform,
    sleep,
    state,
    ask,
    async finish() {
      while (beside.size > 0) await Promise.all(beside)
    },
  }
}
