import { extractingSkill } from '../case/observables.ts'
import { journalChunks } from '../common/journal-chunks.ts'
import { EventLoopLoad, TimeSlice } from '../common/time-slice.ts'
import type { JournalEntry } from '../domain/run.ts'
import { UnavailableError } from '../errors/errors.ts'
import { maskedEntry } from '../engine/skills/masked-run.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { UnindexedAlert, UnindexedRun } from '../ports/derived/observable-store.ts'
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
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Between two rounds when nothing is left, and after an error of the store. */
const [idleMs, retryMs] = [1_000, 10_000]
/** Milliseconds of rest for each millisecond of work: 20 % of the time in an idle process, 5 % in a busy one. */
const [idleRest, busyRest] = [4, 19]

const [alertsAtOnce, runsAtOnce, movesAtOnce] = [20, 20, 100]

/** Per step; larger steps are left out. */
const maxStepBytes = 1_048_576
const maxSteps = 5_000

export const createObservableIndexer = (options: ObservableIndexerOptions): ObservableIndexer =>
  new Indexer(options)

class Indexer implements ObservableIndexer {
  readonly #options: ObservableIndexerOptions
  readonly #stopping = new AbortController()
  readonly #load = new EventLoopLoad()
  /** Kinds of steps with observables. */
  readonly #telling: readonly string[]
  #working: Promise<void> | undefined

  constructor(options: ObservableIndexerOptions) {
    this.#options = options
    const names = options.catalogue.skills.map(({ name }) => name)
    this.#telling = [extractingSkill, ...names.filter((name) => this.#enriches(name))]
  }

  start(): void {
    this.#working ??= this.#work()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  async catchUp(): Promise<void> {
    while (await this.#indexNext());
  }

  async #work(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const rest = await this.#round()
      await clock.sleep(Math.max(1, rest), signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    }
  }

  /** Never rejects. Gives the milliseconds until the next round. */
  async #round(): Promise<number> {
    const from = performance.now()
    const { exclusive = onlyProcess } = this.#options
    try {
      if (!(await exclusive.isMine('observable_index'))) return retryMs
      if (!(await this.#indexNext())) return idleMs
      return (performance.now() - from) * (this.#load.isBusy() ? busyRest : idleRest)
    } catch (error) {
      this.#options.log.warn({ error }, 'could not index observables; trying again soon')
      return retryMs
    }
  }

  /** False: nothing is left. */
  async #indexNext(): Promise<boolean> {
    const { observables } = this.#options.stores
    const moves = await observables.followMoves(movesAtOnce)
    const alerts = await observables.nextAlerts(alertsAtOnce)
    await this.#indexAlerts(alerts)
    const runs = await observables.nextRuns(runsAtOnce)
    for (const run of runs) await this.#indexRun(run)
    return moves + alerts.length + runs.length > 0
  }

  async #indexAlerts(alerts: readonly UnindexedAlert[]): Promise<void> {
    const { stores, catalogue } = this.#options
    const slice = new TimeSlice()
    const found = []
    for (const { row, content } of alerts) {
      found.push({ row, observables: await observablesOfAlert({ content }, catalogue) })
      if (slice.isLong) await slice.yieldToOthers()
    }
    await stores.observables.indexAlerts(found)
  }

  async #indexRun({ row, uuid }: UnindexedRun): Promise<void> {
    const { stores, log } = this.#options
    const steps = await this.#stepsOf(uuid).catch((error: unknown) => {
      if (error instanceof UnavailableError) throw error
      // It must not hold up the others.
      log.warn({ error, run: uuid }, 'could not read the observables of a run')
      return []
    })
    const found = observablesOfRun(steps, (skill) => this.#enriches(skill))
    await stores.observables.indexRun(row, found)
  }

  /** Extractions and lookups, without sensitive values. */
  async #stepsOf(uuid: string): Promise<readonly JournalEntry[]> {
    const { stores, catalogue } = this.#options
    const steps: JournalEntry[] = []
    const request = { lines: 500, bytes: maxStepBytes, maxBytes: maxStepBytes, kinds: this.#telling }
    for await (const lines of journalChunks(stores.journalReader, uuid, request)) {
      for (const { entry } of lines) steps.push(shortened(maskedEntry(entry, catalogue)))
      if (steps.length >= maxSteps) break
    }
    return steps
  }

  #enriches(skill: string): boolean {
    return this.#options.catalogue.skill(skill)?.skill.enriches !== undefined
  }
}

/** Without the raw response of a lookup, which may be large. */
function shortened(entry: JournalEntry): JournalEntry {
  const { all, risk } = (entry.output ?? {}) as { readonly all?: unknown; readonly risk?: unknown }
  return { ...entry, output: { all, risk } }
}
