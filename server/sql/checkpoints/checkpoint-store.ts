import { eachTogether, type Work } from '../database/work.ts'
import { randomBytes } from 'node:crypto'
import { kindOf } from '../../../core/checkpoint/kind.ts'
import { authorOf, type Actor } from '../../../core/domain/audit.ts'
import type {
  Checkpoint,
  CheckpointAnswer,
  QuestionGroup,
  UnansweredState,
} from '../../../core/domain/checkpoint.ts'
import type {
  CheckpointFilter,
  AnswerDetails,
  AnswerOutcome,
  QuestionRecipient,
  CheckpointStore,
  AnswerRecord,
  NewCheckpoint,
} from '../../../core/ports/runs/checkpoint-store.ts'
import { closeQuestion, openQuestion } from '../../../core/transitions/question.ts'
import { stateOfOthers } from '../../../core/transitions/quorum.ts'
import { updateRow } from '../context/rows.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import {
  answersOf,
  findCheckpointRow,
  groupMembers,
  recordAnswer,
  selectCheckpoint,
  toCheckpoint,
  type CheckpointRow,
} from './checkpoint-rows.ts'
import { noteQuestion, noteSentQuestion } from '../notifications/note-work.ts'
import { noteQuestionEvents } from '../triggers/run-events.ts'
import { recordCheckpoint } from '../runs/audit-run.ts'
import { toJson } from '../database/columns.ts'
import { filterBy, listPage } from '../database/paging.ts'
import { refreshWaiting, requireRunRow } from '../runs/run-rows.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'

/** Bytes of an id, which must be as hard to guess as a key. */
const idBytes = 24

/** 32 characters. Does not begin with `-`: the command line would read such an id as options. */
export function makeQuestionId(random: (bytes: number) => Buffer = randomBytes): string {
  const id = random(idBytes).toString('base64url')
  return id.startsWith('-') ? makeQuestionId(random) : id
}

export class SqlCheckpointStore extends SqlStore implements CheckpointStore {
  open(runUuid: string, given: NewCheckpoint): Promise<Checkpoint> {
    return this.writeFor(runUuid, function* () {
      const run = yield* requireRunRow(this.database, 'uuid', runUuid)
      const { group } = given
      const opened = yield* this.database.run(
        `INSERT INTO checkpoints (public_id, organization_id, run_id, path, step_id, question, group_path, group_rule, state,
           created_at, timeout_at, on_timeout, kind)
         VALUES (?, (SELECT id FROM organizations WHERE uuid = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO NOTHING`,
        makeQuestionId(),
        run.organizationUuid,
        run.id,
        given.path,
        given.stepId,
        toJson(given.question),
        group?.path ?? null,
        group === undefined ? null : toJson(withoutPath(group)),
        group === undefined
          ? openQuestion
          : stateOfOthers(group, yield* groupMembers(this.database, runUuid, group.path)),
        this.clock.now(),
        given.timeoutAt,
        toJson(given.onTimeout),
        kindOf({ ...given, playbookName: run.playbookName }),
      )
      yield* refreshWaiting(this.database, run.id)
      const row = yield* this.#require(runUuid, given.path)
      const checkpoint = yield* toCheckpoint(this.database, row)
      if (opened > 0) {
        yield* noteQuestion(this.database, checkpoint, this.clock.now())
        yield* noteQuestionEvents(this.database, row.id, checkpoint)
      }
      return checkpoint
    })
  }

  async storeConnection(runUuid: string, path: string, connection: string): Promise<void> {
    await this.writeFor(runUuid, function* () {
      const { id } = yield* this.#require(runUuid, path)
      yield* this.database.run('UPDATE checkpoints SET connection = ? WHERE id = ?', connection, id)
    })
  }

  async asked(runUuid: string, path: string, reference: unknown): Promise<void> {
    await this.writeFor(runUuid, function* () {
      const { id } = yield* this.#require(runUuid, path)
      const { asked } = (reference ?? {}) as { readonly asked?: unknown }
      yield* this.database.run(
        'UPDATE checkpoints SET reference = ?, asked = ? WHERE id = ?',
        toJson(reference),
        typeof asked === 'string' ? asked : null,
        id,
      )
      yield* noteSentQuestion(
        this.database,
        yield* toCheckpoint(this.database, yield* this.#require(runUuid, path)),
        this.clock.now(),
      )
    })
  }

  atPath(runUuid: string, path: string): Promise<Checkpoint | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<CheckpointRow>(
        `${selectCheckpoint} WHERE r.uuid = ? AND t.path = ?`,
        runUuid,
        path,
      )
      return row && (yield* toCheckpoint(this.database, row))
    })
  }

  inGroup(runUuid: string, path: string): Promise<readonly Checkpoint[]> {
    return this.read(() => groupMembers(this.database, runUuid, path))
  }

  close(runUuid: string, path: string, state: UnansweredState): Promise<Checkpoint> {
    return this.writeFor(runUuid, function* () {
      const { id, runRow, state: before } = yield* this.#require(runUuid, path)
      yield* updateRow(this.database, 'checkpoints', id, { state: closeQuestion(before, state) })
      yield* refreshWaiting(this.database, runRow)
      return yield* toCheckpoint(this.database, yield* this.#require(runUuid, path))
    })
  }

  find(scope: OrganizationScope, id: string): Promise<Checkpoint | undefined> {
    return this.read(function* () {
      const row = yield* findCheckpointRow(this.database, id)
      return row && isInScope(scope, row.organizationUuid)
        ? yield* toCheckpoint(this.database, row)
        : undefined
    })
  }

  toPerson(person: QuestionRecipient, limit: number): Promise<readonly Checkpoint[]> {
    return this.read(function* () {
      const rows = yield* this.database.all<CheckpointRow>(
        `${selectCheckpoint} WHERE o.uuid = ? AND t.connection = ? AND t.asked = ? ORDER BY t.id DESC LIMIT ?`,
        person.organizationUuid,
        person.connection,
        person.asked,
        limit,
      )
      return yield* eachTogether(rows, (row) => toCheckpoint(this.database, row))
    })
  }

  list(
    scope: OrganizationScope,
    page: ListRequest,
    { state, runUuid, via, kind }: CheckpointFilter,
  ): Promise<ListPage<Checkpoint>> {
    return this.read(() =>
      listPage<CheckpointRow, Checkpoint>(this.database, {
        name: 'checkpoints',
        table: 'checkpoints t',
        select: selectCheckpoint,
        conditions: [
          { sql: 't.state = ?', values: [state] },
          ...scopeConditions(scope, 't.organization_id'),
          ...filterBy('t.run_id = (SELECT id FROM runs WHERE uuid = ?)', runUuid),
          ...filterBy(`(t.question ->> '$.via') = ?`, via),
          ...filterBy('t.kind = ?', kind),
        ],
        page,
        readItem: (row) => toCheckpoint(this.database, row),
      }),
    )
  }

  answer(
    id: string,
    given: Omit<CheckpointAnswer, 'at' | 'by'>,
    by: Actor,
    how?: AnswerDetails,
  ): Promise<AnswerOutcome> {
    return this.write(function* () {
      const answer = { ...given, by: authorOf(by), at: this.clock.now() }
      const outcome = yield* recordAnswer(this.database, id, answer, null)
      yield* recordCheckpoint(this.context, outcome, by, how)
      return outcome
    })
  }

  answers(id: string): Promise<readonly AnswerRecord[]> {
    return this.read(function* () {
      const row = yield* findCheckpointRow(this.database, id)
      return row === undefined ? [] : yield* answersOf(this.database, row)
    })
  }

  *#require(runUuid: string, path: string): Work<CheckpointRow> {
    return yield* this.database.one<CheckpointRow>(
      `${selectCheckpoint} WHERE r.uuid = ? AND t.path = ?`,
      runUuid,
      path,
    )
  }
}

const withoutPath = ({ path: _, ...rule }: QuestionGroup): Omit<QuestionGroup, 'path'> => rule
