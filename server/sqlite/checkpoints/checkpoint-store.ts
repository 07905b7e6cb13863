import { randomBytes } from 'node:crypto'
import { kindOf } from '../../../core/checkpoint/kind.ts'
import { authorOf, type Actor } from '../../../core/domain/audit.ts'
import type { Checkpoint, CheckpointAnswer } from '../../../core/domain/checkpoint.ts'
import type {
  CheckpointFilter,
  AnsweredHow,
  AnswerOutcome,
  AskedPerson,
  CheckpointStore,
  GivenAnswer,
  NewCheckpoint,
} from '../../../core/ports/runs/checkpoint-store.ts'
import type { Page, PageRequest, Scope } from '../../../core/ports/common.ts'
import {
  answersOf,
  findCheckpointRow,
  recordAnswer,
  selectCheckpoint,
  toCheckpoint,
  type CheckpointRow,
} from './checkpoint-rows.ts'
import { recordCheckpoint } from '../runs/audit-run.ts'
import { toJson } from '../database/columns.ts'
import { listPage } from '../database/paging.ts'
import { refreshWaiting, requireRunRow } from '../runs/run-rows.ts'
import { isInScope, scopeConditions } from '../context/scope.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Bytes of an id: as hard to guess as a key. */
const idBytes = 24

export class SqliteCheckpointStore implements CheckpointStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  open(runUuid: string, given: NewCheckpoint): Promise<Checkpoint> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const run = requireRunRow(database, 'uuid', runUuid)
      database.run(
        `INSERT INTO checkpoints (public_id, organization_id, run_id, path, step_id, question, state, created_at,
           timeout_at, on_timeout, kind)
         VALUES (?, (SELECT id FROM organizations WHERE uuid = ?), ?, ?, ?, ?, 'waiting', ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO NOTHING`,
        randomBytes(idBytes).toString('base64url'),
        run.organizationUuid,
        run.id,
        given.path,
        given.stepId,
        toJson(given.question),
        clock.now(),
        given.timeoutAt,
        toJson(given.onTimeout),
        kindOf({ ...given, playbookName: run.playbookName }),
      )
      refreshWaiting(database, run.id)
      return toCheckpoint(database, this.#require(runUuid, given.path))
    })
  }

  async goesOver(runUuid: string, path: string, connection: string): Promise<void> {
    const { database, commits } = this.#context
    await commits.write(() => {
      const { id } = this.#require(runUuid, path)
      database.run('UPDATE checkpoints SET connection = ? WHERE id = ?', connection, id)
    })
  }

  async asked(runUuid: string, path: string, reference: unknown): Promise<void> {
    const { database, commits } = this.#context
    await commits.write(() => {
      const { id } = this.#require(runUuid, path)
      const { asked } = (reference ?? {}) as { readonly asked?: unknown }
      database.run(
        'UPDATE checkpoints SET reference = ?, asked = ? WHERE id = ?',
        toJson(reference),
        typeof asked === 'string' ? asked : null,
        id,
      )
    })
  }

  atPath(runUuid: string, path: string): Promise<Checkpoint | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<CheckpointRow>(
        `${selectCheckpoint} WHERE r.uuid = ? AND t.path = ?`,
        runUuid,
        path,
      )
      return row && toCheckpoint(database, row)
    })
  }

  close(runUuid: string, path: string, state: 'timed_out' | 'withdrawn'): Promise<Checkpoint> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const { id, runRow } = this.#require(runUuid, path)
      database.run(`UPDATE checkpoints SET state = ? WHERE id = ? AND state = 'waiting'`, state, id)
      refreshWaiting(database, runRow)
      return toCheckpoint(database, this.#require(runUuid, path))
    })
  }

  find(scope: Scope, id: string): Promise<Checkpoint | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = findCheckpointRow(database, id)
      return row && isInScope(scope, row.organizationUuid) ? toCheckpoint(database, row) : undefined
    })
  }

  toPerson(person: AskedPerson, limit: number): Promise<readonly Checkpoint[]> {
    const { database } = this.#context
    return database.read(() =>
      database
        .all<CheckpointRow>(
          `${selectCheckpoint} WHERE o.uuid = ? AND t.connection = ? AND t.asked = ? ORDER BY t.id DESC LIMIT ?`,
          person.organizationUuid,
          person.connection,
          person.asked,
          limit,
        )
        .map((row) => toCheckpoint(database, row)),
    )
  }

  list(
    scope: Scope,
    page: PageRequest,
    { state, runUuid, via, kind }: CheckpointFilter,
  ): Promise<Page<Checkpoint>> {
    const { database } = this.#context
    return database.read(() =>
      listPage<CheckpointRow, Checkpoint>(database, {
        name: 'checkpoints',
        table: 'checkpoints t',
        select: selectCheckpoint,
        conditions: [
          { sql: 't.state = ?', values: [state] },
          ...scopeConditions(scope, 't.organization_id'),
          ...(runUuid === undefined
            ? []
            : [{ sql: 't.run_id = (SELECT id FROM runs WHERE uuid = ?)', values: [runUuid] }]),
          ...(via === undefined ? [] : [{ sql: `(t.question ->> '$.via') = ?`, values: [via] }]),
          ...(kind === undefined ? [] : [{ sql: 't.kind = ?', values: [kind] }]),
        ],
        page,
        toItem: (row) => toCheckpoint(database, row),
      }),
    )
  }

  answer(
    id: string,
    given: Omit<CheckpointAnswer, 'at' | 'by'>,
    by: Actor,
    how?: AnsweredHow,
  ): Promise<AnswerOutcome> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const answer = { ...given, by: authorOf(by), at: clock.now() }
      const outcome = recordAnswer(database, id, answer, null)
      recordCheckpoint(this.#context, outcome, by, how)
      return outcome
    })
  }

  answers(id: string): Promise<readonly GivenAnswer[]> {
    const { database } = this.#context
    return database.read(() => {
      const row = findCheckpointRow(database, id)
      return row === undefined ? [] : answersOf(database, row)
    })
  }

  #require(runUuid: string, path: string): CheckpointRow {
    return this.#context.database.one<CheckpointRow>(
      `${selectCheckpoint} WHERE r.uuid = ? AND t.path = ?`,
      runUuid,
      path,
    )
  }
}
