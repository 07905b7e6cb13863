import QuickLRU from 'quick-lru'
import { authorOf, theRun, type AuditAction } from '../../../core/domain/audit.ts'
import type { HeldUse } from '../../../core/domain/destructive-use.ts'
import type { StepMasks } from '../../../core/domain/mask.ts'
import type { FailedAttempt, JournalEntry, Resolution, StoredError } from '../../../core/domain/run.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type {
  ExcerptLimits,
  JournalBegin,
  JournalEnd,
  JournalExcerpt,
  JournalStore,
  NewResolution,
} from '../../../core/ports/runs/journal-store.ts'
import type { ReservedUses } from '../../../core/ports/runs/destructive-use-store.ts'
import { recordDecision, recordRun } from './audit-run.ts'
import { destructive, noteAction } from '../cases/case-actions.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { SqliteDestructiveUseStore } from '../checkpoints/destructive-uses.ts'
import { auditText, takeUses } from '../checkpoints/take-use.ts'
import { runWithJournal } from './reruns.ts'
import { journalExcerpt } from './journal-excerpt.ts'
import {
  readJournal,
  selectJournal,
  toEntry,
  toFailedAttempt,
  type EntryRow,
  type FailedAttemptRow,
} from './journal-rows.ts'
import { refreshWaiting, requireRunRow } from './run-rows.ts'
import { wakeRun } from './run-turns.ts'
import type { StoreContext } from '../context/store-context.ts'

interface EndedRow {
  readonly kind: string
  readonly destructive: number
}

const selectEntry = `${selectJournal} WHERE run_id = ${runWithJournal}`

/** More than may have their turn at the same time. */
const maxRows = 20_000

export class SqliteJournalStore implements JournalStore {
  readonly #context: StoreContext
  /** Keys of runs by uuid: of those that are under way. They never change, and a run is written to after it is durable. */
  readonly #rows = new QuickLRU<string, number>({ maxSize: maxRows })

  readonly #uses: SqliteDestructiveUseStore

  constructor(context: StoreContext, uses: SqliteDestructiveUseStore) {
    this.#context = context
    this.#uses = uses
  }

  begin(runUuid: string, entry: JournalBegin): Promise<HeldUse | undefined> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const run = this.#requireRun(runUuid)
      const held = this.#takeUse(run, entry)
      if (held !== undefined) return held
      const isNews = database.run(
        `INSERT INTO journal (run_id, path, step_id, kind, state, input, sensitive, attempt, started_at, destructive)
         VALUES (?, ?, ?, ?, 'started', ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO UPDATE SET attempt = excluded.attempt
           WHERE state = 'started' AND attempt < excluded.attempt`,
        run,
        entry.path,
        entry.stepId,
        entry.kind,
        this.#kept('input', entry.path, entry.input, entry.sensitive?.input !== undefined),
        toJson(entry.sensitive),
        entry.attempt,
        entry.startedAt,
        entry.destructive === undefined ? 0 : 1,
      )
      if (isNews === 0 || entry.destructive === undefined) return undefined
      const { path, kind: skill, attempt } = entry
      const input = auditText(entry.destructive.input)
      this.#recordSkill(runUuid, 'skill.called', { skill, path, attempt, input })
      return undefined
    })
  }

  reserve(runUuid: string, uses: ReservedUses): Promise<HeldUse | undefined> {
    const { commits } = this.#context
    return commits.write(() => takeUses(this.#context, this.#uses, this.#requireRun(runUuid), uses))
  }

  release(runUuid: string, paths: readonly string[]): Promise<void> {
    const { commits } = this.#context
    return commits.write(() => this.#uses.release(this.#requireRun(runUuid), paths))
  }

  attemptFailed(runUuid: string, attempt: FailedAttempt): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => noteFailedAttempt(database, this.#requireRun(runUuid), attempt))
  }

  end(runUuid: string, path: string, end: JournalEnd): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const run = this.#requireRun(runUuid)
      const ended = database.get<EndedRow>(
        `UPDATE journal SET state = ?, output = ?, error = ?, attempt = ?, ended_at = ?
         WHERE run_id = ? AND path = ? AND state = 'started' RETURNING kind, destructive`,
        end.state,
        this.#kept('output', path, end.output, end.isSensitive),
        errorJson(end.error),
        end.attempt,
        end.endedAt,
        run,
        path,
      )
      const over = ended ?? this.#endUnknown(run, path, end)
      if (over?.destructive === destructive.may) {
        if (end.changedNothing === true) this.#takeBack(run, path)
        this.#recordEnd(runUuid, over.kind, path, end)
        noteAction(this.#context, run, path)
      }
      if (over !== undefined) return
      if (database.get('SELECT 1 FROM journal WHERE run_id = ? AND path = ?', run, path))
        throw stepHasEnded(path)
      throw new NotFoundError('step_not_begun', `the step at ${path} has not begun`)
    })
  }

  record(runUuid: string, entry: JournalBegin, end: JournalEnd): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const changed = database.run(
        `INSERT INTO journal (run_id, path, step_id, kind, state, input, output, sensitive, error, attempt, started_at, ended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO UPDATE SET state = excluded.state, output = excluded.output,
           error = excluded.error, attempt = excluded.attempt, ended_at = excluded.ended_at WHERE state = 'started'`,
        this.#requireRun(runUuid),
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
      )
      if (changed === 0) throw stepHasEnded(entry.path)
    })
  }

  entries(runUuid: string): Promise<readonly JournalEntry[]> {
    return readJournal(this.#context.database, runUuid)
  }

  failedAttempts(runUuid: string): Promise<readonly FailedAttempt[]> {
    const { database } = this.#context
    return database.read(() =>
      database
        .all<FailedAttemptRow>(
          `SELECT path, attempt, error, started_at AS startedAt, ended_at AS endedAt, retry_at AS retryAt
           FROM failed_attempts WHERE run_id = ${runWithJournal} ORDER BY path, attempt`,
          runUuid,
        )
        .map(toFailedAttempt),
    )
  }

  excerpt(runUuid: string, limits: ExcerptLimits): Promise<JournalExcerpt> {
    const { database } = this.#context
    return database.read(() => journalExcerpt(database, runUuid, limits))
  }

  entry(runUuid: string, path: string): Promise<JournalEntry | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<EntryRow>(`${selectEntry} AND path = ?`, runUuid, path)
      return row && toEntry(row)
    })
  }

  park(runUuid: string, path: string, tried?: FailedAttempt): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const run = this.#requireRun(runUuid)
      const parked = database.get<Pick<EndedRow, 'destructive'>>(
        `UPDATE journal SET state = 'unknown' WHERE run_id = ? AND path = ? AND state = 'started' RETURNING destructive`,
        run,
        path,
      )
      if (tried !== undefined) noteFailedAttempt(database, run, tried)
      if (parked?.destructive === destructive.may) noteAction(this.#context, run, path)
      refreshWaiting(database, run)
    })
  }

  resolve(runUuid: string, path: string, given: NewResolution): Promise<JournalEntry> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const run = this.#requireRun(runUuid)
      const row = database.get<EntryRow>(`${selectEntry} AND path = ?`, runUuid, path)
      if (row === undefined) throw new NotFoundError('step_not_found', `the run has no step at ${path}`)
      if (row.state !== 'unknown') {
        throw new ConflictError(
          'step_not_unknown',
          `the step at ${path} is ${row.state}: there is nothing to decide`,
        )
      }
      const at = clock.now()
      const { decision, by } = given
      const resolution: Resolution = { decision, by: authorOf(by), at }
      const isOver = decision !== 'run_again'
      const states = {
        ran: 'completed',
        ran_output_unknown: 'completed',
        skip: 'skipped',
        run_again: 'started',
      } as const
      const { destructive: isDestructive } = database.one<Pick<EndedRow, 'destructive'>>(
        'UPDATE journal SET state = ?, output = ?, ended_at = ?, resolution = ? WHERE id = ? RETURNING destructive',
        states[decision],
        isOver
          ? this.#kept('output', path, decision === 'ran' ? given.output : null, isSensitive(row))
          : null,
        isOver ? at : null,
        toJson(resolution),
        row.id,
      )
      if (!isOver) noteInterruption(database, run, row, at)
      else if (isDestructive === destructive.may) noteAction(this.#context, run, path)
      recordDecision(this.#context, requireRunRow(database, 'id', run), by, {
        path,
        decision,
        skill: row.kind,
      })
      refreshWaiting(database, run)
      wakeRun(database, run)
      return toEntry(database.one<EntryRow>(`${selectEntry} AND path = ?`, runUuid, path))
    })
  }

  #kept(what: 'input' | 'output', path: string, value: unknown, isSensitive = false): string | null {
    return this.#context.database.kept(toJson(value), isSensitive, `${what} ${path}`)
  }

  #takeUse(run: number, { path, kind: skill, destructive }: JournalBegin): HeldUse | undefined {
    if (destructive === undefined) return undefined
    const { class: kind, input, limits } = destructive
    const wanted = { skill, class: kind, paths: [path], inputs: [input], limits }
    return takeUses(this.#context, this.#uses, run, wanted)
  }

  /** It is known that the use changed nothing. */
  #takeBack(run: number, path: string): void {
    this.#uses.takeBack(run, path)
    this.#context.database.run(
      'UPDATE journal SET destructive = ? WHERE run_id = ? AND path = ?',
      destructive.changedNothing,
      run,
      path,
    )
  }

  /** A run that is cancelled, or out of time, does not wait for the decision. */
  #endUnknown(run: number, path: string, end: JournalEnd): EndedRow | undefined {
    const { database } = this.#context
    const ended = database.get<EndedRow>(
      `UPDATE journal SET state = ?, output = ?, error = ?, ended_at = ?
       WHERE run_id = ? AND path = ? AND state = 'unknown' RETURNING kind, destructive`,
      end.state,
      this.#kept('output', path, end.output, end.isSensitive),
      errorJson(end.error),
      end.endedAt,
      run,
      path,
    )
    if (ended !== undefined) refreshWaiting(database, run)
    return ended
  }

  #recordEnd(runUuid: string, skill: string, path: string, { state, error, attempt }: JournalEnd): void {
    this.#recordSkill(runUuid, 'skill.ended', { skill, path, attempt, state, error: error?.code ?? null })
  }

  #recordSkill(runUuid: string, action: AuditAction, details: Readonly<Record<string, unknown>>): void {
    const run = requireRunRow(this.#context.database, 'uuid', runUuid)
    recordRun(this.#context, action, run, theRun(run.uuid, run.playbookName), details)
  }

  #requireRun(uuid: string): number {
    const known = this.#rows.get(uuid)
    if (known !== undefined) return known
    const row = this.#context.database.get<{ id: number }>('SELECT id FROM runs WHERE uuid = ?', uuid)
    if (row === undefined) throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
    this.#rows.set(uuid, row.id)
    return row.id
  }
}

/** The try whose outcome nobody knew counts as failed, so that the next one follows. */
function noteInterruption(database: Database, run: number, row: EntryRow, at: number): void {
  const { path, attempt, startedAt } = row
  const error = { code: 'step_interrupted', message: 'the process stopped during the step' }
  noteFailedAttempt(database, run, { path, attempt, error, startedAt, endedAt: at, retryAt: at })
}

function noteFailedAttempt(database: Database, run: number, attempt: FailedAttempt): void {
  database.run(
    `INSERT INTO failed_attempts (run_id, path, attempt, error, started_at, ended_at, retry_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    run,
    attempt.path,
    attempt.attempt,
    toJson(attempt.error),
    attempt.startedAt,
    attempt.endedAt,
    attempt.retryAt,
  )
}

const isSensitive = ({ sensitive }: EntryRow): boolean =>
  sensitive !== null && fromJson<StepMasks>(sensitive).output !== undefined

function errorJson(error: StoredError | null): string | null {
  return error === null ? null : toJson(error)
}

function stepHasEnded(path: string): ConflictError {
  return new ConflictError('step_has_ended', `the step at ${path} has a result already`)
}
