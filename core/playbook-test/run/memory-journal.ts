import { stringifyJson } from '../../common/json.ts'
import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import { NotFoundError } from '../../errors/errors.ts'
import type { EndedCall } from '../containments/made-containments.ts'
import { leavesWindow, planStart, type RateLine } from '../../transitions/rate.ts'
import { finished } from '../../state/stepwise.ts'
import { endStep, parkStep, raisesAttempt, requireBegun, stepState } from '../../transitions/step.ts'
import type { StateOutcome } from '../../state/apply-state.ts'
import type { StateRequest } from '../../state/state.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  JournalBegin,
  JournalEnd,
  JournalExcerpt,
  JournalStore,
} from '../../ports/runs/journal-store.ts'

/** The journal of a run in memory, with synchronous access. */
export interface MemoryJournal {
  readonly store: JournalStore
  /** Ended calls of destructive skills, in the order in which they ended. */
  destructiveCalls(): readonly EndedCall[]
  /** In the order in which they started. */
  entries(): readonly JournalEntry[]
  failedAttempts(path: string): readonly FailedAttempt[]
  /** Removes the intent of an attempt, as if it had never started. */
  forgetIntent(path: string): void
  /** Records the result of a step whose process crashed. */
  decide(path: string, end: Pick<JournalEnd, 'output' | 'attempt' | 'endedAt'>): void
}

/** What playbooks keep between runs. */
export interface KeptState {
  apply(request: StateRequest): Promise<StateOutcome & { readonly at: number }>
}

export interface MemoryJournalOptions {
  /** Called for every ended entry. */
  readonly onEnd?: ((entry: JournalEntry) => void) | undefined
  /** The clock of rate limits. Default: there are no limits. */
  readonly clock?: Pick<Clock, 'now'> | undefined
  /** Default: playbooks with state cannot run. */
  readonly state?: KeptState | undefined
}

export function createMemoryJournal({
  onEnd = () => {},
  clock,
  state,
}: MemoryJournalOptions = {}): MemoryJournal {
  const entries = new Map<string, JournalEntry>()
  const failed: FailedAttempt[] = []
  const calls: EndedCall[] = []
  const failedAt = (path: string) => failed.filter((attempt) => attempt.path === path)

  const finish = (begun: JournalEntry, end: JournalEnd) => {
    const entry = { ...begun, output: end.output, ...endStep(begun.path, begun, end) }
    entries.set(begun.path, entry)
    const { call, changedNothing = false } = end
    if (call !== undefined) calls.push({ entry, call, changedNothing })
    onEnd(entry)
  }
  const store: JournalStore = {
    async begin(_run, begin) {
      const known = entries.get(begin.path)
      if (known === undefined) entries.set(begin.path, started(begin))
      else if (raisesAttempt(known, begin.attempt))
        entries.set(begin.path, { ...known, attempt: begin.attempt })
      return undefined
    },
    reserve: async () => undefined,
    release: async () => {},
    ...(clock === undefined ? unlimited : memoryRates(clock)),
    async attemptFailed(_run, attempt) {
      if (!failedAt(attempt.path).some((known) => known.attempt === attempt.attempt)) failed.push(attempt)
    },
    async end(_run, path, end) {
      finish(requireBegun(path, entries.get(path)), end)
    },
    async record(_run, begin, end) {
      finish(entries.get(begin.path) ?? started(begin), end)
    },
    async recordState(_run, begin, request) {
      const known = entries.get(begin.path)
      if (known !== undefined) return known
      if (state === undefined) throw new Error('there is no state here')
      const { at, ...outcome } = await state.apply(request)
      const end = { output: null, error: null, ...outcome, attempt: 1, endedAt: at }
      finish(started(begin), end)
      return entries.get(begin.path)!
    },
    entries: async () => [...entries.values()],
    failedAttempts: async () => failed,
    excerpt: async () => excerptOf([...entries.values()], failed),
    entry: async (_run, path) => entries.get(path),
    async park(_run, path, tried) {
      if (tried !== undefined) failed.push(tried)
      const entry = entries.get(path)
      if (entry !== undefined) entries.set(path, { ...entry, state: parkStep(entry.state) })
    },
    // Not used: after a crash, `decide` and `forgetIntent` are called before the next process starts.
    resolve: (_run, path) =>
      Promise.reject(new NotFoundError('step_not_found', `no person can decide about '${path}' here`)),
  }
  return {
    store,
    destructiveCalls: () => calls,
    entries: () => [...entries.values()],
    failedAttempts: failedAt,
    decide(path, end) {
      finish(entries.get(path)!, { state: 'completed', error: null, ...end })
    },
    forgetIntent(path) {
      const entry = entries.get(path)
      if (entry?.state !== stepState.started) return
      const before = failedAt(path).length
      if (before === 0) entries.delete(path)
      else entries.set(path, { ...entry, attempt: before })
    },
  }
}

const excerptOf = (
  entries: readonly JournalEntry[],
  failedAttempts: readonly FailedAttempt[],
): JournalExcerpt => ({ entries, emptied: new Set(), failedAttempts, total: entries.length })

type Rates = Pick<JournalStore, 'admit' | 'withdraw'>

const unlimited: Rates = { admit: async () => 0, withdraw: async () => {} }

/** A start of a step, or the time `at` for which a start waits. */
interface Start {
  readonly of: string
  readonly waits: boolean
  readonly at: number
}

/** The rate limits of one run. */
function memoryRates(clock: Pick<Clock, 'now'>): Rates {
  /** By path, in the order in which they asked. */
  const starts = new Map<string, Start>()

  return {
    async admit(_run, path, { limit, ...counted }, waits) {
      const of = stringifyJson(counted)
      const now = clock.now()
      const known = starts.get(path)
      const all = [...starts]
      const same = (isWaiting: boolean, within = all) =>
        within.flatMap(([at, start]) =>
          at !== path && start.of === of && start.waits === isWaiting ? [start.at] : [],
        )
      const begun = same(false).toSorted((a, b) => b - a)
      const ahead = same(
        true,
        known === undefined
          ? all
          : all.slice(
              0,
              all.findIndex(([at]) => at === path),
            ),
      )
      const line: RateLine<never, unknown> = {
        recent: begun.filter((each) => leavesWindow(each, limit) > now).length,
        ahead: ahead.length,
        plannedAt: known?.waits === true ? known.at : undefined,
        *startedAt(back) {
          return begun[back]
        },
        *waitsUntil(back) {
          return ahead.at(-1 - back)
        },
      }
      const at = finished(planStart(limit, line, now))
      if (at <= now || waits) starts.set(path, { of, waits: at > now, at })
      return Math.max(0, at - now)
    },
    async withdraw(_run, path) {
      if (starts.get(path)?.waits === true) starts.delete(path)
    },
  }
}

/** Runs in memory have no audit log. */
function started({ destructive: _, ...begin }: JournalBegin): JournalEntry {
  return { ...begin, state: stepState.started, output: null, error: null, endedAt: null }
}
