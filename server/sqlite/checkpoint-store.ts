import { randomBytes } from 'node:crypto'
import type { Checkpoint, CheckpointAnswer, Question } from '../../core/domain/checkpoint.ts'
import { NotFoundError } from '../../core/errors/errors.ts'
import type {
  AnswerOutcome,
  CheckpointStore,
  GivenAnswer,
  NewCheckpoint,
  Page,
  PageRequest,
  Scope,
} from '../../core/ports.ts'
import { fromJson, toJson } from './columns.ts'
import type { Database } from './database.ts'
import { listPage } from './paging.ts'
import { refreshWaiting, requireRunRow } from './run-rows.ts'
import { isInScope, scopeConditions } from './scope.ts'
import type { StoreContext } from './store-context.ts'

interface CheckpointRow extends Omit<Checkpoint, 'id' | 'question' | 'reference' | 'answer'> {
  readonly id: number
  readonly publicId: string
  readonly runRow: number
  readonly question: string
  readonly reference: string | null
}

interface AnswerRow extends Omit<GivenAnswer, 'value'> {
  readonly value: string | null
}

const select = `
  SELECT t.id, t.public_id AS publicId, r.uuid AS runUuid, t.run_id AS runRow, o.uuid AS organizationUuid, t.path,
    t.step_id AS stepId, t.question, t.reference, t.state, t.created_at AS createdAt, t.timeout_at AS timeoutAt
  FROM checkpoints t JOIN runs r ON r.id = t.run_id JOIN organizations o ON o.id = t.organization_id`
const selectAnswers =
  'SELECT outcome, value, author AS by, text, at FROM checkpoint_answers WHERE checkpoint_id = ?'

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
           timeout_at) VALUES (?, (SELECT id FROM organizations WHERE uuid = ?), ?, ?, ?, ?, 'waiting', ?, ?)
         ON CONFLICT (run_id, path) DO NOTHING`,
        randomBytes(idBytes).toString('base64url'),
        run.organizationUuid,
        run.id,
        given.path,
        given.stepId,
        toJson(given.question),
        clock.now(),
        given.timeoutAt,
      )
      refreshWaiting(database, run.id)
      return toCheckpoint(database, this.#require(runUuid, given.path))
    })
  }

  asked(runUuid: string, path: string, reference: unknown): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      const { id } = this.#require(runUuid, path)
      database.run('UPDATE checkpoints SET reference = ? WHERE id = ?', toJson(reference), id)
    })
  }

  atPath(runUuid: string, path: string): Promise<Checkpoint | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<CheckpointRow>(`${select} WHERE r.uuid = ? AND t.path = ?`, runUuid, path)
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
      const row = findRow(database, id)
      return row && isInScope(scope, row.organizationUuid) ? toCheckpoint(database, row) : undefined
    })
  }

  waiting(scope: Scope, page: PageRequest): Promise<Page<Checkpoint>> {
    const { database } = this.#context
    return database.read(() =>
      listPage<CheckpointRow, Checkpoint>(database, {
        name: 'checkpoints',
        table: 'checkpoints t',
        select,
        conditions: [
          { sql: `t.state = 'waiting'`, values: [] },
          ...scopeConditions(scope, 't.organization_id'),
        ],
        page,
        toItem: (row) => toCheckpoint(database, row),
      }),
    )
  }

  answer(id: string, given: Omit<CheckpointAnswer, 'at'>): Promise<AnswerOutcome> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const row = findRow(database, id)
      if (row === undefined) throw new NotFoundError('checkpoint_not_found', 'there is no such checkpoint')
      const now = clock.now()
      const won = database.run(
        `UPDATE checkpoints SET state = 'answered' WHERE id = ? AND state = 'waiting' AND timeout_at > ?`,
        row.id,
        now,
      )
      const outcome = won === 1 ? 'accepted' : row.state === 'answered' ? 'second' : 'late'
      database.run(
        'INSERT INTO checkpoint_answers (checkpoint_id, outcome, value, author, text, at) VALUES (?, ?, ?, ?, ?, ?)',
        row.id,
        outcome,
        toJson(given.value),
        given.by,
        given.text,
        now,
      )
      if (won === 1) refreshWaiting(database, row.runRow)
      return { outcome, checkpoint: toCheckpoint(database, findRow(database, id) ?? row) }
    })
  }

  answers(id: string): Promise<readonly GivenAnswer[]> {
    const { database } = this.#context
    return database.read(() => {
      const row = findRow(database, id)
      return row === undefined
        ? []
        : database.all<AnswerRow>(`${selectAnswers} ORDER BY id`, row.id).map(toAnswer)
    })
  }

  #require(runUuid: string, path: string): CheckpointRow {
    return this.#context.database.one<CheckpointRow>(
      `${select} WHERE r.uuid = ? AND t.path = ?`,
      runUuid,
      path,
    )
  }
}

function findRow(database: Database, id: string): CheckpointRow | undefined {
  return database.get<CheckpointRow>(`${select} WHERE t.public_id = ?`, id)
}

function toCheckpoint(database: Database, row: CheckpointRow): Checkpoint {
  const { id, publicId, runRow: _, question, reference, ...rest } = row
  const accepted =
    row.state === 'answered'
      ? database.get<AnswerRow>(`${selectAnswers} AND outcome = 'accepted'`, id)
      : undefined
  const given = accepted && toAnswer(accepted)
  return {
    ...rest,
    id: publicId,
    question: fromJson<Question>(question),
    reference: fromJson(reference),
    answer: given ? { value: given.value, by: given.by, text: given.text, at: given.at } : null,
  }
}

const toAnswer = (row: AnswerRow): GivenAnswer => ({ ...row, value: fromJson(row.value) })
