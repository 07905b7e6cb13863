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
  /** Ends it before its time. */
  readonly signal: AbortSignal
  /** Gives a run its turn. Resolves when that is over. */
  readonly begin: (key: RunKey) => Promise<void>
  /** Is told how many runs are still to be watched; 0 at the end. */
  readonly onLeft: (suspects: number) => void
}

/**
 * After two crashes in a row nobody knows which of the runs that had their turn brings the process down, and to give all of them up
 * would be wrong. So they are taken up one by one, each with nothing else under way, until it ends, rests, or has been watched for long
 * enough; if the process stops meanwhile twice, that is the one. It is noted in the store before. Where they are too many for that they are
 * taken up some at a time, and fewer of them after the next crash. Never rejects.
 */
export async function takeUpAlone(options: QuarantineOptions): Promise<void> {
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
    log.error({ error }, 'runs that the process stopped in cannot be taken up one by one')
  } finally {
    onLeft(0)
  }
}

async function watch(group: readonly SuspectRun[], ms: number, options: QuarantineOptions): Promise<void> {
  const { runs, clock, log, signal, begin } = options
  for (const { uuid } of group) {
    log.warn({ run: uuid }, 'the process stopped more than once while this run was under way')
  }
  const alone = group.length === 1 ? group[0] : undefined
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

/** Once may have been anybody's kill. */
const proof = 2

/**
 * Whether the steps that a run convicted of bringing the process down has under way are to be given up: each crash ends one at least.
 *
 * Throws TocsinError `run_interrupted` where it has none under way: then the run itself is given up.
 */
export async function isToBeGivenUp(journal: JournalStore, run: Run, convictions: number): Promise<boolean> {
  if (convictions < proof) return false
  const entries = await journal.entries(run.uuid)
  if (entries.some(({ state }) => state === 'started')) return true
  throw new TocsinError(
    'run_interrupted',
    'the process stopped again and again while this run was under way',
    {
      hint: 'something about this run brings the process down: look at the step after the last one that ended',
      details: { ended_steps: entries.length },
    },
  )
}
