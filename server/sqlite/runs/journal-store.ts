import QuickLRU from 'quick-lru'
import { theRun, type AuditAction } from '../../../core/domain/audit.ts'
import type { DestructiveOutcome } from '../../../core/destructive/containment.ts'
import type { HeldUses } from '../../../core/domain/destructive-use.ts'
import type { StepMasks } from '../../../core/domain/mask.ts'
import type { RatedStart } from '../../../core/common/rates.ts'
import type { FailedAttempt, JournalEntry, StoredError } from '../../../core/domain/run.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type {
  ExcerptLimits,
  JournalBegin,
  JournalEnd,
  JournalExcerpt,
  JournalStore,
  NewResolution,
} from '../../../core/ports/runs/journal-store.ts'
import type { ReservedUses } from '../../../core/ports/runs/destructive-use-store.ts'
import {
  endStep,
  parkStep,
  requireBegun,
  requireStep,
  decideStep,
  stepHasEnded,
  stepState,
} from '../../../core/transitions/step.ts'
import { applyState } from '../../../core/state/apply-state.ts'
import type { StateRequest } from '../../../core/state/state.ts'
import { stateAccess } from '../playbooks/state-rows.ts'
import { recordDecision, recordRun } from './audit-run.ts'
import { describeUse, destructive, noteAction } from '../cases/case-actions.ts'
import { updateRow } from '../context/rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { SqliteDestructiveUseStore } from '../checkpoints/destructive-uses.ts'
import { auditText, countUses } from '../checkpoints/count-uses.ts'
import { journalExcerpt } from './journal-excerpt.ts'
import {
  findEntryRow,
  noteFailedAttempt,
  readFailedAttempts,
  readJournal,
  toEntry,
  type EntryRow,
} from './journal-rows.ts'
import type { SqliteRates } from '../limits/rates.ts'
import { noteContainment, noteDecidedContainment } from '../containments/containment-rows.ts'
import { refreshWaiting, requireRunRow } from './run-rows.ts'
import { wakeRun } from './run-turns.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'

interface StepRow extends Pick<JournalEntry, 'state' | 'kind' | 'attempt'> {
  readonly id: number
  readonly destructive: number
}

const selectStep = 'SELECT id, state, kind, attempt, destructive FROM journal WHERE run_id = ? AND path = ?'

/** More than the number of runs with a turn. */
const maxRows = 20_000

export class SqliteJournalStore extends SqliteStore implements JournalStore {
  readonly #uses: SqliteDestructiveUseStore
  readonly #rates: SqliteRates
  /** Keys of active runs by uuid. They never change, and a run is durable before its journal is written. */
  readonly #rows = new QuickLRU<string, number>({ maxSize: maxRows })

  constructor(context: StoreContext, uses: SqliteDestructiveUseStore, rates: SqliteRates) {
    super(context)
    this.#uses = uses
    this.#rates = rates
  }

  begin(runUuid: string, entry: JournalBegin): Promise<HeldUses | undefined> {
    return this.commits.write(() => {
      const run = this.#requireRun(runUuid)
      const held = this.#countUse(run, entry)
      if (held !== undefined) return held
      const isNews = this.database.run(
        `INSERT INTO journal (run_id, path, step_id, kind, state, input, sensitive, attempt, started_at, destructive)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO UPDATE SET attempt = excluded.attempt
           WHERE state = excluded.state AND attempt < excluded.attempt`,
        run,
        entry.path,
        entry.stepId,
        entry.kind,
        stepState.started,
        this.#kept('input', entry.path, entry.input, entry.sensitive?.input !== undefined),
        toJson(entry.sensitive),
        entry.attempt,
        entry.startedAt,
        entry.destructive === undefined ? 0 : destructive.may,
      )
      if (isNews === 0 || entry.destructive === undefined) return undefined
      const { path, kind: skill, attempt } = entry
      const input = auditText(entry.destructive.input)
      this.#recordSkill(runUuid, 'skill.called', { skill, path, attempt, input })
      return undefined
    })
  }

  reserve(runUuid: string, uses: ReservedUses): Promise<HeldUses | undefined> {
    return this.commits.write(() => countUses(this.context, this.#uses, this.#requireRun(runUuid), uses))
  }

  release(runUuid: string, paths: readonly string[]): Promise<void> {
    return this.commits.write(() => this.#uses.release(this.#requireRun(runUuid), paths))
  }

  admit(runUuid: string, path: string, start: RatedStart, waits: boolean): Promise<number> {
    return this.commits.write(() => this.#rates.admit(this.#requireRun(runUuid), path, start, waits))
  }

  withdraw(runUuid: string, path: string): Promise<void> {
    return this.commits.write(() => this.#rates.withdraw(this.#requireRun(runUuid), path))
  }

  attemptFailed(runUuid: string, attempt: FailedAttempt): Promise<void> {
    return this.commits.write(() => noteFailedAttempt(this.database, this.#requireRun(runUuid), attempt))
  }

  end(runUuid: string, path: string, end: JournalEnd): Promise<void> {
    return this.commits.write(() => {
      const run = this.#requireRun(runUuid)
      const step = requireBegun(path, this.database.get<StepRow>(selectStep, run, path))
      const changes = endStep(path, step, end)
      updateRow(this.database, 'journal', step.id, {
        ...changes,
        error: errorJson(changes.error),
        output: this.#kept('output', path, end.output, end.isSensitive),
      })
      if (step.state === stepState.unknown) refreshWaiting(this.database, run)
      if (step.destructive !== destructive.may) return
      if (end.changedNothing === true) this.#takeBack(run, path, step.id)
      const { state, error, attempt } = end
      const details = { skill: step.kind, path, attempt, state, error: error?.code ?? null }
      this.#recordSkill(runUuid, 'skill.ended', details)
      this.#noteOutcome(run, path, end.call, end.changedNothing === true)
    })
  }

  record(runUuid: string, entry: JournalBegin, end: JournalEnd): Promise<void> {
    return this.commits.write(() => {
      const run = this.#requireRun(runUuid)
      this.#record(run, entry, end)
      if (end.call !== undefined)
        noteContainment(this.context, describeUse(this.context, run, entry.path, true), end.call)
    })
  }

  /** Inside of a write. */
  #record(run: number, entry: JournalBegin, end: JournalEnd): void {
    const changed = this.database.run(
      `INSERT INTO journal (run_id, path, step_id, kind, state, input, output, sensitive, error, attempt, started_at, ended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO UPDATE SET state = excluded.state, output = excluded.output,
           error = excluded.error, attempt = excluded.attempt, ended_at = excluded.ended_at WHERE state = ?`,
      run,
      entry.path,
      entry.stepId,
      entry.kind,
      end.state,
      this.#kept('input', entry.path, entry.input, entry.sensitive?.input !== undefined),
      this.#kept('output', entry.path, end.output, end.isSensitive),
      toJson(entry.sensitive),
      errorJson(end.error),
      end.attempt,
      entry.startedAt,
      end.endedAt,
      stepState.started,
    )
    if (changed === 0) throw stepHasEnded(entry.path)
  }

  recordState(runUuid: string, entry: JournalBegin, request: StateRequest): Promise<JournalEntry> {
    return this.commits.write(() => {
      const known = findEntryRow(this.database, runUuid, entry.path)
      if (known !== undefined) return toEntry(known)
      const run = this.#requireRun(runUuid)
      const now = this.clock.now()
      const access = stateAccess(this.context, organizationOf(this.database, run), request.playbook)
      const outcome = applyState(request, access, now)
      const isSensitive = entry.sensitive?.output !== undefined
      const end = { output: null, error: null, ...outcome, isSensitive, attempt: 1, endedAt: now }
      this.#record(run, entry, end)
      return toEntry(requireStep(entry.path, findEntryRow(this.database, runUuid, entry.path)))
    })
  }

  entries(runUuid: string): Promise<readonly JournalEntry[]> {
    return readJournal(this.database, runUuid)
  }

  failedAttempts(runUuid: string): Promise<readonly FailedAttempt[]> {
    return this.database.read(() => readFailedAttempts(this.database, runUuid))
  }

  excerpt(runUuid: string, limits: ExcerptLimits): Promise<JournalExcerpt> {
    return this.database.read(() => journalExcerpt(this.database, runUuid, limits))
  }

  entry(runUuid: string, path: string): Promise<JournalEntry | undefined> {
    return this.database.read(() => {
      const row = findEntryRow(this.database, runUuid, path)
      return row && toEntry(row)
    })
  }

  park(runUuid: string, path: string, tried?: FailedAttempt, call?: DestructiveOutcome): Promise<void> {
    return this.commits.write(() => {
      const run = this.#requireRun(runUuid)
      const step = this.database.get<StepRow>(selectStep, run, path)
      const state = step && parkStep(step.state)
      if (tried !== undefined) noteFailedAttempt(this.database, run, tried)
      if (step !== undefined && state !== step.state) {
        updateRow(this.database, 'journal', step.id, { state })
        if (step.destructive === destructive.may) this.#noteOutcome(run, path, call, false)
      }
      refreshWaiting(this.database, run)
    })
  }

  resolve(runUuid: string, path: string, given: NewResolution): Promise<JournalEntry> {
    return this.commits.write(() => {
      const run = this.#requireRun(runUuid)
      const row = requireStep(path, findEntryRow(this.database, runUuid, path))
      const { failedAttempt, ...resolved } = decideStep(path, row, given, this.clock.now())
      updateRow(this.database, 'journal', row.id, {
        ...resolved,
        output:
          resolved.output === null ? null : this.#kept('output', path, resolved.output, isSensitive(row)),
        resolution: toJson(resolved.resolution),
      })
      if (failedAttempt !== undefined) noteFailedAttempt(this.database, run, failedAttempt)
      if (this.database.get<StepRow>(selectStep, run, path)?.destructive === destructive.may) {
        const use = describeUse(this.context, run, path, false)
        if (failedAttempt === undefined) noteAction(this.context, use)
        noteDecidedContainment(this.context, use)
      }
      const { decision, by } = given
      const decided = { path, decision, skill: row.kind }
      recordDecision(this.context, requireRunRow(this.database, 'id', run), by, decided)
      refreshWaiting(this.database, run)
      wakeRun(this.database, run)
      return toEntry(requireStep(path, findEntryRow(this.database, runUuid, path)))
    })
  }

  #kept(what: 'input' | 'output', path: string, value: unknown, isSensitive = false): string | null {
    return this.database.kept(toJson(value), isSensitive, `${what} ${path}`)
  }

  #countUse(run: number, { path, kind: skill, destructive }: JournalBegin): HeldUses | undefined {
    if (destructive === undefined) return undefined
    const { class: kind, input, checks } = destructive
    const wanted = { skill, class: kind, paths: [path], inputs: [input], checks }
    return countUses(this.context, this.#uses, run, wanted)
  }

  /** In the case of the run, and among the containments. */
  #noteOutcome(run: number, path: string, call: DestructiveOutcome | undefined, changedNothing: boolean) {
    const use = describeUse(this.context, run, path, changedNothing)
    noteAction(this.context, use)
    if (call !== undefined) noteContainment(this.context, use, call)
  }

  /** The use is known to have changed nothing. */
  #takeBack(run: number, path: string, row: number): void {
    this.#uses.takeBack(run, path)
    updateRow(this.database, 'journal', row, { destructive: destructive.changedNothing })
  }

  #recordSkill(runUuid: string, action: AuditAction, details: Readonly<Record<string, unknown>>): void {
    const run = requireRunRow(this.database, 'uuid', runUuid)
    recordRun(this.context, action, run, theRun(run.uuid, run.playbookName), details)
  }

  #requireRun(uuid: string): number {
    const known = this.#rows.get(uuid)
    if (known !== undefined) return known
    const row = this.database.get<{ id: number }>('SELECT id FROM runs WHERE uuid = ?', uuid)
    if (row === undefined) throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
    this.#rows.set(uuid, row.id)
    return row.id
  }
}

const organizationOf = (database: Database, run: number): number =>
  database.one<{ organization: number }>('SELECT organization_id AS organization FROM runs WHERE id = ?', run)
    .organization

const isSensitive = ({ sensitive }: EntryRow): boolean =>
  sensitive !== null && fromJson<StepMasks>(sensitive).output !== undefined

function errorJson(error: StoredError | null): string | null {
  return error === null ? null : toJson(error)
}
