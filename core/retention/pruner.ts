import type { SessionLimits } from '../domain/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { PrunedPiece, PrunePlace, RetentionRule } from '../ports/retention-store.ts'
import type { Stores } from '../ports/stores.ts'

/** How long what is over is kept, in milliseconds; undefined: for ever. */
export interface Retention {
  /** The steps, inputs and output of a run, after its end. */
  readonly runsMs: number | undefined
  /** An alert with its runs, after its last change. */
  readonly alertsMs: number | undefined
}

/** Deletes what is kept no longer, now and then, beside everything else. */
export interface Pruner {
  start(): void
  /** Resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface PrunerOptions {
  readonly stores: Pick<Stores, 'retention'>
  readonly keep: Retention
  readonly sessions: SessionLimits
  readonly clock: Clock
  readonly log: Log
}

/** After the start, while there is enough to do; and from one round to the next. */
const [firstRoundMs, roundMs] = [60_000, 3_600_000]

/** Between two pieces of the work: so many times as long as the one took, so that it takes a tenth of the time at most. */
const restShare = 9
const leastRestMs = 10

const dayMs = 86_400_000

const ruleOf = (setting: string, keepMs: number | undefined, now: number): RetentionRule | undefined =>
  keepMs === undefined ? undefined : { before: now - keepMs, setting: `${setting}=${keepMs / dayMs}` }

/** A piece of the work; gives where the next one begins, or undefined when nothing is left. */
type Piece = (from: PrunePlace | undefined) => Promise<PrunePlace | undefined>

export function createPruner({ stores, keep, sessions, clock, log }: PrunerOptions): Pruner {
  const { retention } = stores
  const stopping = new AbortController()
  let underWay: Promise<void> | undefined

  async function work(): Promise<void> {
    for (let ms = firstRoundMs; !stopping.signal.aborted; ms = roundMs) {
      await rest(ms)
      if (stopping.signal.aborted) return
      await round().catch((error: unknown) =>
        log.warn({ error }, 'what is kept no longer could not be deleted; it is tried again in an hour'),
      )
    }
  }

  async function round(): Promise<void> {
    await inPieces(async () => ((await retention.clearOutlived(sessions)) ? { at: 0, row: 0 } : undefined))
    const now = certainTime()
    const deleted = { runs: 0, alerts: 0 }
    const count = ({ runs, alerts, next }: PrunedPiece) => {
      deleted.runs += runs
      deleted.alerts += alerts
      return next
    }
    const runRule = ruleOf('TOCSIN_KEEP_RUNS_DAYS', keep.runsMs, now)
    const alertRule = ruleOf('TOCSIN_KEEP_ALERTS_DAYS', keep.alertsMs, now)
    try {
      if (runRule !== undefined)
        await inPieces(async (from) => count(await retention.pruneRuns(runRule, from)))
      if (alertRule !== undefined)
        await inPieces(async (from) => count(await retention.pruneAlerts(alertRule, from)))
    } finally {
      if (deleted.runs + deleted.alerts > 0) log.info(deleted, 'what is kept no longer was deleted')
    }
  }

  async function inPieces(piece: Piece): Promise<void> {
    let from: PrunePlace | undefined
    do {
      const before = elapsed()
      from = await piece(from)
      if (from !== undefined) await rest(Math.max(leastRestMs, restShare * (elapsed() - before)))
    } while (from !== undefined && !stopping.signal.aborted)
  }

  const elapsed = () => clock.monotonic?.() ?? clock.now()
  const [startedAt, startedElapsed] = [clock.now(), elapsed()]

  /** A clock that is set forward, for a moment or by mistake, must not delete what cannot be brought back. */
  const certainTime = () => Math.floor(Math.min(clock.now(), startedAt + elapsed() - startedElapsed))

  /** Ends early when the server stops. */
  async function rest(ms: number): Promise<void> {
    await clock.sleep(ms, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error
    })
  }

  return {
    start() {
      underWay ??= work()
    },
    async stop() {
      stopping.abort()
      await underWay
    },
  }
}
