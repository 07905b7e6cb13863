import { TocsinError } from '../plugin/index.ts'
import type { Clock, JournalStore, Log, RunKey, RunStore } from '../ports.ts'
import type { Run } from '../domain/run.ts'

export interface QuarantineOptions {
  readonly runs: Pick<RunStore, 'suspects' | 'setAlone'>
  readonly clock: Clock
  readonly log: Log
  /** Ends it before its time. */
  readonly signal: AbortSignal
  /** Gives a run its turn. Resolves when that is over. */
  readonly begin: (key: RunKey) => Promise<void>
}

/** How long a run is watched after two crashes; twice as long after each further one. */
const firstWatchMs = 2_000
const longestWatchMs = 5 * 60_000

/**
 * After two crashes in a row nobody knows which of the runs that had their turn brings the process down, and to give all of them up
 * would be wrong. So they are taken up one by one, each with nothing else under way, until it ends, rests, or has been watched for long
 * enough; if the process stops meanwhile, that is the one. It is noted in the store before. Never rejects.
 */
export async function takeUpAlone({ runs, clock, log, signal, begin }: QuarantineOptions): Promise<void> {
  try {
    for (const { crashes, ...key } of await runs.suspects()) {
      if (signal.aborted) return
      log.warn(
        { run: key.uuid, count: crashes },
        'the process stopped more than once while this run was under way',
      )
      await runs.setAlone(key.uuid, true)
      const watchMs = Math.min(firstWatchMs * 2 ** (crashes - 2), longestWatchMs)
      await atMost(watchMs, begin(key), clock, signal)
      await runs.setAlone(key.uuid, false)
    }
  } catch (error) {
    log.error({ error }, 'runs that the process stopped in cannot be taken up one by one')
  }
}

async function atMost(ms: number, work: Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  await Promise.race([work, clock.sleep(ms, either).catch(() => {})])
  over.abort()
}

/**
 * Whether the steps that a run convicted of bringing the process down has under way are to be given up: each crash ends one at least.
 *
 * Throws TocsinError `run_interrupted` where it has none under way: then the run itself is given up.
 */
export async function isToBeGivenUp(journal: JournalStore, run: Run, convictions: number): Promise<boolean> {
  if (convictions === 0) return false
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
