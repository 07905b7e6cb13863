import type { Work } from '../database/work.ts'
import { BegunSteps, insertStep, selectStep, stepKey, type StepKey, type StepRow } from './begun-steps.ts'
import type { DestructiveOutcome } from '../../../core/destructive/containment.ts'
import type { HeldUses } from '../../../core/domain/destructive-use.ts'
import type { RatedStart } from '../../../core/common/rates.ts'
import type { FailedAttempt, JournalEntry } from '../../../core/domain/run.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type {
  ExcerptLimits,
  JournalBegin,
  JournalEnd,
  JournalExcerpt,
  JournalStore,
  NewResolution,
} from '../../../core/ports/runs/journal-store.ts'
import type { DestructiveCall, ReservedUses } from '../../../core/ports/runs/destructive-use-store.ts'
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
import { recordDecision, recordSkill } from '../runs/audit-run.ts'
import { describeUse, destructive, noteAction } from '../cases/case-actions.ts'
import { changeOne, updateRow } from '../context/rows.ts'
import { toJson, type SqlValue } from '../database/columns.ts'
import type { SqlDestructiveUseStore } from '../checkpoints/destructive-uses.ts'
import { auditText, countUses } from '../checkpoints/count-uses.ts'
import { journalExcerpt } from './journal-excerpt.ts'
import {
  errorJson,
  findEntryRow,
  isOutputSensitive,
  noteFailedAttempt,
  organizationOfRun,
  readFailedAttempts,
  readJournal,
  toEntry,
} from './journal-rows.ts'
import type { SqlRates } from '../limits/rates.ts'
import { noteContainment, noteDecidedContainment } from '../containments/containment-rows.ts'
import { noteUnknownStep } from '../triggers/run-events.ts'
import { refreshWaiting, requireRunRow } from '../runs/run-rows.ts'
import { wakeRun } from '../runs/run-turns.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

export class SqlJournalStore extends SqlStore implements JournalStore {
  readonly #uses: SqlDestructiveUseStore
  readonly #rates: SqlRates
  readonly #begun = new BegunSteps()

  constructor(context: StoreContext, uses: SqlDestructiveUseStore, rates: SqlRates) {
    super(context)
    this.#uses = uses
    this.#rates = rates
  }

  begin(runUuid: string, entry: JournalBegin): Promise<HeldUses | undefined> {
    const { destructive: call } = entry
    const key = stepKey(runUuid, entry.path)
    return call === undefined
      ? this.writeFor(runUuid, () => this.#begin(runUuid, entry, key))
      : this.writeAround(runUuid, () => this.#beginDestructive(runUuid, entry, call, key))
  }

  *#begin(runUuid: string, entry: JournalBegin, key: StepKey): Work<undefined> {
    const run = yield* this.#requireRun(runUuid)
    const note = (step: StepRow | undefined): undefined => this.#begun.note(key, step)
    yield* this.database.check<StepRow>(note, insertStep, ...this.#valuesOf(run, entry))
    return undefined
  }

  *#beginDestructive(
    runUuid: string,
    entry: JournalBegin,
    { class: kind, input, checks }: DestructiveCall,
    key: StepKey,
  ): Work<HeldUses | undefined> {
    const run = yield* this.#requireRun(runUuid)
    const { path, kind: skill, attempt } = entry
    const uses = { skill, class: kind, paths: [path], inputs: [input], checks }
    const held = yield* countUses(this.context, this.#uses, run, uses)
    if (held !== undefined) return held
    const step = yield* this.database.get<StepRow>(insertStep, ...this.#valuesOf(run, entry))
    this.#begun.note(key, step)
    const details = { skill, path, attempt, input: auditText(input) }
    if (step !== undefined) yield* recordSkill(this.context, runUuid, 'skill.called', details)
    return undefined
  }

  #valuesOf(run: number, entry: JournalBegin): readonly SqlValue[] {
    return [
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
    ]
  }

  reserve(runUuid: string, uses: ReservedUses): Promise<HeldUses | undefined> {
    return this.writeAround(runUuid, function* () {
      return yield* countUses(this.context, this.#uses, yield* this.#requireRun(runUuid), uses)
    })
  }

  release(runUuid: string, paths: readonly string[]): Promise<void> {
    return this.writeAround(runUuid, function* () {
      return yield* this.#uses.release(yield* this.#requireRun(runUuid), paths)
    })
  }

  admit(runUuid: string, path: string, start: RatedStart, waits: boolean): Promise<number> {
    return this.writeAround(runUuid, function* () {
      return yield* this.#rates.admit(yield* this.#requireRun(runUuid), path, start, waits)
    })
  }

  withdraw(runUuid: string, path: string): Promise<void> {
    return this.writeAround(runUuid, function* () {
      return yield* this.#rates.withdraw(yield* this.#requireRun(runUuid), path)
    })
  }

  attemptFailed(runUuid: string, attempt: FailedAttempt): Promise<void> {
    return this.writeFor(runUuid, function* () {
      return yield* noteFailedAttempt(this.database, yield* this.#requireRun(runUuid), attempt)
    })
  }

  end(runUuid: string, path: string, end: JournalEnd): Promise<void> {
    const key = stepKey(runUuid, path)
    return this.writeFor(runUuid, () => this.#end(runUuid, path, end, key))
  }

  *#end(runUuid: string, path: string, end: JournalEnd, key: StepKey): Work<void> {
    const run = yield* this.#requireRun(runUuid)
    const begun = this.#begun.take(key)
    const step = requireBegun(path, begun ?? (yield* this.database.get<StepRow>(selectStep, run, path)))
    const changes = endStep(path, step, end)
    yield* changeOne(this.database, 'journal', step.id, {
      ...changes,
      error: errorJson(changes.error),
      output: this.#kept('output', path, end.output, end.isSensitive),
    })
    if (step.state === stepState.unknown) yield* refreshWaiting(this.database, run)
    if (step.destructive !== destructive.may) return
    if (end.changedNothing === true) {
      yield* this.#uses.takeBack(run, path)
      yield* updateRow(this.database, 'journal', step.id, { destructive: destructive.changedNothing })
    }
    const { state, error, attempt } = end
    const details = { skill: step.kind, path, attempt, state, error: error?.code ?? null }
    yield* recordSkill(this.context, runUuid, 'skill.ended', details)
    yield* this.#noteOutcome(run, path, end.call, end.changedNothing === true)
  }

  record(runUuid: string, entry: JournalBegin, end: JournalEnd): Promise<void> {
    return this.writeFor(runUuid, () => this.#recordCall(runUuid, entry, end))
  }

  *#recordCall(runUuid: string, entry: JournalBegin, end: JournalEnd): Work<void> {
    const run = yield* this.#requireRun(runUuid)
    yield* this.#record(run, entry, end)
    if (end.call === undefined) return
    const use = yield* describeUse(this.context, run, entry.path, true)
    yield* noteContainment(this.context, use, end.call)
  }

  *#record(run: number, entry: JournalBegin, end: JournalEnd): Work<void> {
    const changed = yield* this.database.run(
      `INSERT INTO journal (run_id, path, step_id, kind, state, input, output, sensitive, error, attempt, started_at, ended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO UPDATE SET state = excluded.state, output = excluded.output,
           error = excluded.error, attempt = excluded.attempt, ended_at = excluded.ended_at WHERE journal.state = ?`,
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
    return this.writeAround(runUuid, function* () {
      const known = yield* findEntryRow(this.database, runUuid, entry.path)
      if (known !== undefined) return toEntry(known)
      const [run, now] = [yield* this.#requireRun(runUuid), this.clock.now()]
      const access = stateAccess(this.context, yield* organizationOfRun(this.database, run), request.playbook)
      const outcome = yield* applyState(request, access, now)
      const isSensitive = entry.sensitive?.output !== undefined
      const end = { output: null, error: null, ...outcome, isSensitive, attempt: 1, endedAt: now }
      yield* this.#record(run, entry, end)
      return toEntry(requireStep(entry.path, yield* findEntryRow(this.database, runUuid, entry.path)))
    })
  }

  entries(runUuid: string): Promise<readonly JournalEntry[]> {
    return readJournal(this.context, runUuid)
  }

  failedAttempts(runUuid: string): Promise<readonly FailedAttempt[]> {
    return this.read(() => readFailedAttempts(this.database, runUuid))
  }

  excerpt(runUuid: string, limits: ExcerptLimits): Promise<JournalExcerpt> {
    return this.read(() => journalExcerpt(this.database, runUuid, limits))
  }

  entry(runUuid: string, path: string): Promise<JournalEntry | undefined> {
    return this.read(function* () {
      const row = yield* findEntryRow(this.database, runUuid, path)
      return row && toEntry(row)
    })
  }

  park(runUuid: string, path: string, tried?: FailedAttempt, call?: DestructiveOutcome): Promise<void> {
    this.#begun.take(stepKey(runUuid, path))
    return this.writeFor(runUuid, function* () {
      const run = yield* this.#requireRun(runUuid)
      const step = yield* this.database.get<StepRow>(selectStep, run, path)
      const state = step && parkStep(step.state)
      if (tried !== undefined) yield* noteFailedAttempt(this.database, run, tried)
      if (step !== undefined && state !== step.state) {
        yield* updateRow(this.database, 'journal', step.id, { state })
        yield* noteUnknownStep(this.database, run, { path, skill: step.kind }, this.clock.now())
        if (step.destructive === destructive.may) yield* this.#noteOutcome(run, path, call, false)
      }
      yield* refreshWaiting(this.database, run)
    })
  }

  resolve(runUuid: string, path: string, given: NewResolution): Promise<JournalEntry> {
    return this.write(function* () {
      const run = yield* this.#requireRun(runUuid)
      const row = requireStep(path, yield* findEntryRow(this.database, runUuid, path))
      const { failedAttempt, ...resolved } = decideStep(path, row, given, this.clock.now())
      yield* updateRow(this.database, 'journal', row.id, {
        ...resolved,
        output: this.#kept('output', path, resolved.output ?? undefined, isOutputSensitive(row)),
        resolution: toJson(resolved.resolution),
      })
      if (failedAttempt !== undefined) yield* noteFailedAttempt(this.database, run, failedAttempt)
      if ((yield* this.database.get<StepRow>(selectStep, run, path))?.destructive === destructive.may) {
        const use = yield* describeUse(this.context, run, path, false)
        if (failedAttempt === undefined) yield* noteAction(this.context, use)
        yield* noteDecidedContainment(this.context, use)
      }
      const decided = { path, decision: given.decision, skill: row.kind }
      yield* recordDecision(this.context, yield* requireRunRow(this.database, 'id', run), given.by, decided)
      yield* refreshWaiting(this.database, run)
      yield* wakeRun(this.database, run)
      return toEntry(requireStep(path, yield* findEntryRow(this.database, runUuid, path)))
    })
  }

  #kept(what: 'input' | 'output', path: string, value: unknown, isSensitive = false): string | null {
    return this.database.kept(toJson(value), isSensitive, `${what} ${path}`)
  }

  /** In the case of the run, and among the containments. */
  *#noteOutcome(run: number, path: string, call: DestructiveOutcome | undefined, changedNothing: boolean) {
    const use = yield* describeUse(this.context, run, path, changedNothing)
    yield* noteAction(this.context, use)
    if (call !== undefined) yield* noteContainment(this.context, use, call)
  }

  *#requireRun(uuid: string): Work<number> {
    // A run is durable before its journal is written.
    const known = this.database.rowsOfRuns.get(uuid)
    if (known !== undefined) return known
    const row = yield* this.database.get<{ id: number }>('SELECT id FROM runs WHERE uuid = ?', uuid)
    if (row === undefined) throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
    this.database.rowsOfRuns.set(uuid, row.id)
    return row.id
  }
}
