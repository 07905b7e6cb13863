import { extractingSkill } from '../case/observables.ts'
import { EventLoopLoad } from '../common/event-loop-load.ts'
import { journalChunks } from '../common/journal-chunks.ts'
import { TimeSlice } from '../common/time-slice.ts'
import type { JournalEntry } from '../domain/run.ts'
import { UnavailableError } from '../errors/errors.ts'
import { maskedEntry } from '../engine/skills/masked-run.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { UnindexedAlert, UnindexedRun } from '../ports/observable-store.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { observablesOfAlert } from './alert-observables.ts'
import { observablesOfRun } from './run-observables.ts'

/** Fills the index of observables in the background. */
export interface ObservableIndexer {
  start(): void
  /** Resolves when the current batch is stored. */
  stop(): Promise<void>
  /** Indexes everything that has settled. */
  catchUp(): Promise<void>
}

export interface ObservableIndexerOptions {
  readonly stores: Pick<Stores, 'observables' | 'journalReader'>
  readonly catalogue: Catalogue
  readonly clock: Clock
  readonly log: Log
}

/** Between two rounds when nothing is left, and after an error of the store. */
const [idleMs, retryMs] = [1_000, 10_000]
/** Milliseconds of rest for each millisecond of work: 50 % of the time in an idle process, 5 % in a busy one. */
const [idleRest, busyRest] = [1, 19]

const [alertsAtOnce, runsAtOnce, movesAtOnce] = [20, 20, 100]

/** Per step; larger steps are left out. */
const maxStepBytes = 1_048_576
const maxSteps = 5_000

export function createObservableIndexer({
  stores: { observables, journalReader },
  catalogue,
  clock,
  log,
}: ObservableIndexerOptions): ObservableIndexer {
  const stopping = new AbortController()
  const load = new EventLoopLoad()
  const enriches = (skill: string): boolean => catalogue.skill(skill)?.skill.enriches !== undefined
  const telling = [
    extractingSkill,
    ...catalogue.skills.map(({ name }) => name).filter((name) => enriches(name)),
  ]
  let underWay: Promise<void> | undefined

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const from = performance.now()
      const rest = await indexNext().then(
        (isMore) => (isMore ? (performance.now() - from) * (load.isBusy() ? busyRest : idleRest) : idleMs),
        (error: unknown) => {
          log.warn({ error }, 'could not index observables; trying again soon')
          return retryMs
        },
      )
      await clock.sleep(Math.max(1, rest), stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error
      })
    }
  }

  /** False: nothing is left. */
  async function indexNext(): Promise<boolean> {
    const moves = await observables.followMoves(movesAtOnce)
    const alerts = await observables.nextAlerts(alertsAtOnce)
    await indexAlerts(alerts)
    const runs = await observables.nextRuns(runsAtOnce)
    for (const run of runs) await indexRun(run)
    return moves + alerts.length + runs.length > 0
  }

  async function indexAlerts(alerts: readonly UnindexedAlert[]): Promise<void> {
    const slice = new TimeSlice()
    const found = []
    for (const { row, content } of alerts) {
      found.push({ row, observables: await observablesOfAlert({ content }, catalogue) })
      if (slice.isLong) await slice.yieldToOthers()
    }
    await observables.indexAlerts(found)
  }

  async function indexRun({ row, uuid }: UnindexedRun): Promise<void> {
    const steps = await stepsOf(uuid).catch((error: unknown) => {
      if (error instanceof UnavailableError) throw error
      // It must not hold up the others.
      log.warn({ error, run: uuid }, 'could not read the observables of a run')
      return []
    })
    await observables.indexRun(row, observablesOfRun(steps, enriches))
  }

  /** Extractions and lookups, without sensitive values. */
  async function stepsOf(uuid: string): Promise<readonly JournalEntry[]> {
    const steps: JournalEntry[] = []
    const request = { lines: 500, bytes: maxStepBytes, maxBytes: maxStepBytes, kinds: telling }
    for await (const lines of journalChunks(journalReader, uuid, request)) {
      for (const { entry } of lines) steps.push(shortened(maskedEntry(entry, catalogue)))
      if (steps.length >= maxSteps) break
    }
    return steps
  }

  return {
    start() {
      underWay ??= work()
    },
    async stop() {
      stopping.abort()
      await underWay
    },
    async catchUp() {
      while (await indexNext());
    },
  }
}

/** Without the raw response of a lookup, which may be large. */
function shortened(entry: JournalEntry): JournalEntry {
  const { all, risk } = (entry.output ?? {}) as { readonly all?: unknown; readonly risk?: unknown }
  return { ...entry, output: { all, risk } }
}
