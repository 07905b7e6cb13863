import { TocsinError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import type { RunKey, RunStore, SuspectRun } from '../../ports/runs/run-store.ts'
import type { Run } from '../../domain/run.ts'
import { planWatch } from './plan-watch.ts'

export interface QuarantineOptions {
  readonly runs: Pick<RunStore, 'suspects' | 'setAlone' | 'setCrashes'>
  readonly clock: Clock
  readonly log: Log
  /** Ends the quarantine early. */
  readonly signal: AbortSignal
  /** Gives a run its turn; resolves when that ends. */
  readonly begin: (key: RunKey) => Promise<void>
  /** Whether no other run has a turn, so that a crash can be blamed on one that is watched alone. */
  readonly isAlone: boolean
  /** Reports the number of runs left to watch; 0 at the end. */
  readonly onLeft: (suspects: number) => void
}

/**
 * After two crashes in a row, finds the run that crashes the process without giving up the others. Each
 * suspect gets a turn alone until it ends, waits, or was watched long enough; the store knows which one. If
 * the process stops twice during the same turn, that run is the cause. Too many suspects are watched in
 * groups, and in smaller groups after the next crash. Never rejects.
 */
export async function quarantineSuspects(options: QuarantineOptions): Promise<void> {
  const { runs, log, signal, onLeft } = options
  try {
    const suspects = await runs.suspects()
    const { watchMs, groups, markedCrashes } = planWatch(suspects)
    let left = suspects.length
    for (const group of groups) {
      if (signal.aborted) return
      onLeft(left)
      await Promise.all(group.map(({ uuid, crashes }) => runs.setCrashes(uuid, crashes, markedCrashes)))
      await watch(group, watchMs, options)
      await Promise.all(group.map(({ uuid, crashes }) => runs.setCrashes(uuid, markedCrashes, crashes)))
      left -= group.length
    }
  } catch (error) {
    log.error({ error }, 'cannot quarantine runs after a crash')
  } finally {
    onLeft(0)
  }
}

async function watch(group: readonly SuspectRun[], ms: number, options: QuarantineOptions): Promise<void> {
  const { runs, clock, log, signal, begin, isAlone } = options
  for (const { uuid } of group) {
    log.warn({ run: uuid }, 'the process crashed repeatedly during this run')
  }
  const alone = isAlone && group.length === 1 ? group[0] : undefined
  if (alone) await runs.setAlone(alone.uuid, true)
  await atMost(ms, Promise.all(group.map((key) => begin(key))), clock, signal)
  if (alone) await runs.setAlone(alone.uuid, false)
}

async function atMost(ms: number, work: Promise<unknown>, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  await Promise.race([work, clock.sleep(ms, either).catch(() => {})])
  over.abort()
}

/** A single crash may have been a manual kill. */
const proof = 2

/**
 * Whether the current steps of a run that crashes the process are to fail.
 *
 * @throws TocsinError `run_interrupted` if it has no current step; the run itself then fails
 */
export async function failsAfterCrashes(
  journal: JournalStore,
  run: Run,
  soloCrashes: number,
): Promise<boolean> {
  if (soloCrashes < proof) return false
  const entries = await journal.entries(run.uuid)
  if (entries.some(({ state }) => state === 'started')) return true
  throw new TocsinError('run_interrupted', 'the process crashed repeatedly during this run', {
    hint: 'check the step after the last completed one: it may crash the process',
    details: { ended_steps: entries.length },
  })
}
