import { createBackground } from '../common/background.ts'
import type { SessionLimits } from '../domain/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { PrunedPiece, PrunePlace, RetentionRule } from '../ports/retention-store.ts'
import type { Stores } from '../ports/stores.ts'

/** Retention periods in milliseconds; undefined means forever. */
export interface Retention {
  /** For steps, inputs and output of a run, after its end. */
  readonly runsMs: number | undefined
  /** For an alert with its runs, after its last change. */
  readonly alertsMs: number | undefined
  /** For the files of a closed case, after the last change of the case. */
  readonly filesMs: number | undefined
}

/** Deletes expired data in the background. */
export interface Pruner {
  start(): void
  /** Resolves when the current batch is done. */
  stop(): Promise<void>
}

export interface PrunerOptions {
  readonly stores: Pick<Stores, 'retention'>
  readonly keep: Retention
  readonly sessions: SessionLimits
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Delay of the first round after the start and of the next one after a failure, and between rounds. */
const [soonMs, roundMs] = [60_000, 3_600_000]

/**
 * Pause between batches, as a multiple of the batch's duration, so that deletion takes at most a tenth of the
 * time.
 */
const restShare = 9
const leastRestMs = 10

const dayMs = 86_400_000

const ruleOf = (setting: string, keepMs: number | undefined, now: number): RetentionRule | undefined =>
  keepMs === undefined ? undefined : { before: now - keepMs, setting: `${setting}=${keepMs / dayMs}` }

/** A batch; resolves to the start of the next one, or undefined when nothing is left. */
type Piece = (from: PrunePlace | undefined) => Promise<PrunePlace | undefined>

export function createPruner({
  stores,
  keep,
  sessions,
  exclusive = onlyProcess,
  clock,
  log,
}: PrunerOptions): Pruner {
  const { retention } = stores
  const background = createBackground(clock, work)
  const { signal, rest } = background

  async function work(): Promise<void> {
    let ms = soonMs
    while (!signal.aborted) {
      await rest(ms)
      if (signal.aborted) return
      try {
        await round()
        ms = roundMs
      } catch (error) {
        log.warn({ error }, 'could not delete expired data; retrying in a minute')
        ms = soonMs
      }
    }
  }

  async function round(): Promise<void> {
    if (!(await exclusive.isMine('pruning'))) return
    await inPieces(async () => ((await retention.clearExpired(sessions)) ? { at: 0, row: 0 } : undefined))
    const now = certainTime()
    const deleted = { runs: 0, alerts: 0, files: 0 }
    const count = ({ runs, alerts, files, next }: PrunedPiece) => {
      deleted.runs += runs
      deleted.alerts += alerts
      deleted.files += files
      return next
    }
    const runRule = ruleOf('TOCSIN_KEEP_RUNS_DAYS', keep.runsMs, now)
    const fileRule = ruleOf('TOCSIN_KEEP_FILES_DAYS', keep.filesMs, now)
    const alertRule = ruleOf('TOCSIN_KEEP_ALERTS_DAYS', keep.alertsMs, now)
    try {
      if (runRule !== undefined)
        await inPieces(async (from) => count(await retention.pruneRuns(runRule, from)))
      if (alertRule !== undefined)
        await inPieces(async (from) => count(await retention.pruneAlerts(alertRule, from)))
      if (fileRule !== undefined)
        await inPieces(async (from) => count(await retention.pruneFiles(fileRule, from)))
    } finally {
      if (deleted.runs + deleted.alerts + deleted.files > 0) log.info(deleted, 'deleted expired data')
    }
  }

  async function inPieces(piece: Piece): Promise<void> {
    let from: PrunePlace | undefined
    do {
      const before = elapsed()
      from = await piece(from)
      if (from !== undefined) await rest(Math.max(leastRestMs, restShare * (elapsed() - before)))
    } while (from !== undefined && !signal.aborted)
  }

  const elapsed = () => clock.monotonic?.() ?? clock.now()
  const [startedAt, startedElapsed] = [clock.now(), elapsed()]

  /** If the clock is set forward by mistake, data must not be deleted early. */
  const certainTime = () => Math.floor(Math.min(clock.now(), startedAt + elapsed() - startedElapsed))

  return background
}
