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
import { recordCheckpoint } from '../runs/audit-run.ts'
import { toJson } from '../database/columns.ts'
import { filterBy, listPage } from '../database/paging.ts'
import { refreshWaiting, requireRunRow } from '../runs/run-rows.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqliteStore } from '../context/store-context.ts'

/** Bytes of an id, which must be as hard to guess as a key. */
const idBytes = 24

export class SqliteCheckpointStore extends SqliteStore implements CheckpointStore {
  open(runUuid: string, given: NewCheckpoint): Promise<Checkpoint> {
    return this.commits.write(() => {
      const run = requireRunRow(this.database, 'uuid', runUuid)
      const { group } = given
      this.database.run(
        `INSERT INTO checkpoints (public_id, organization_id, run_id, path, step_id, question, group_path, group_rule, state,
           created_at, timeout_at, on_timeout, kind)
         VALUES (?, (SELECT id FROM organizations WHERE uuid = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, path) DO NOTHING`,
        randomBytes(idBytes).toString('base64url'),
        run.organizationUuid,
        run.id,
        given.path,
        given.stepId,
        toJson(given.question),
        group?.path ?? null,
        group === undefined ? null : toJson(withoutPath(group)),
        group === undefined
          ? openQuestion
          : stateOfOthers(group, groupMembers(this.database, runUuid, group.path)),
        this.clock.now(),
        given.timeoutAt,
        toJson(given.onTimeout),
        kindOf({ ...given, playbookName: run.playbookName }),
      )
      refreshWaiting(this.database, run.id)
      return toCheckpoint(this.database, this.#require(runUuid, given.path))
    })
  }

  async storeConnection(runUuid: string, path: string, connection: string): Promise<void> {
    await this.commits.write(() => {
      const { id } = this.#require(runUuid, path)
      this.database.run('UPDATE checkpoints SET connection = ? WHERE id = ?', connection, id)
    })
  }

  async asked(runUuid: string, path: string, reference: unknown): Promise<void> {
    await this.commits.write(() => {
      const { id } = this.#require(runUuid, path)
      const { asked } = (reference ?? {}) as { readonly asked?: unknown }
      this.database.run(
        'UPDATE checkpoints SET reference = ?, asked = ? WHERE id = ?',
        toJson(reference),
        typeof asked === 'string' ? asked : null,
        id,
      )
    })
  }

  atPath(runUuid: string, path: string): Promise<Checkpoint | undefined> {
    return this.database.read(() => {
      const row = this.database.get<CheckpointRow>(
        `${selectCheckpoint} WHERE r.uuid = ? AND t.path = ?`,
        runUuid,
        path,
      )
      return row && toCheckpoint(this.database, row)
    })
  }

  inGroup(runUuid: string, path: string): Promise<readonly Checkpoint[]> {
    return this.database.read(() => groupMembers(this.database, runUuid, path))
  }

  close(runUuid: string, path: string, state: UnansweredState): Promise<Checkpoint> {
    return this.commits.write(() => {
      const { id, runRow, state: before } = this.#require(runUuid, path)
      updateRow(this.database, 'checkpoints', id, { state: closeQuestion(before, state) })
      refreshWaiting(this.database, runRow)
      return toCheckpoint(this.database, this.#require(runUuid, path))
    })
  }

  find(scope: OrganizationScope, id: string): Promise<Checkpoint | undefined> {
    return this.database.read(() => {
      const row = findCheckpointRow(this.database, id)
      return row && isInScope(scope, row.organizationUuid) ? toCheckpoint(this.database, row) : undefined
    })
  }

  toPerson(person: QuestionRecipient, limit: number): Promise<readonly Checkpoint[]> {
    return this.database.read(() =>
      this.database
        .all<CheckpointRow>(
          `${selectCheckpoint} WHERE o.uuid = ? AND t.connection = ? AND t.asked = ? ORDER BY t.id DESC LIMIT ?`,
          person.organizationUuid,
          person.connection,
          person.asked,
          limit,
        )
        .map((row) => toCheckpoint(this.database, row)),
    )
  }

  list(
    scope: OrganizationScope,
    page: ListRequest,
    { state, runUuid, via, kind }: CheckpointFilter,
  ): Promise<ListPage<Checkpoint>> {
    return this.database.read(() =>
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
        toItem: (row) => toCheckpoint(this.database, row),
      }),
    )
  }

  answer(
    id: string,
    given: Omit<CheckpointAnswer, 'at' | 'by'>,
    by: Actor,
    how?: AnswerDetails,
  ): Promise<AnswerOutcome> {
    return this.commits.write(() => {
      const answer = { ...given, by: authorOf(by), at: this.clock.now() }
      const outcome = recordAnswer(this.database, id, answer, null)
      recordCheckpoint(this.context, outcome, by, how)
      return outcome
    })
  }

  answers(id: string): Promise<readonly AnswerRecord[]> {
    return this.database.read(() => {
      const row = findCheckpointRow(this.database, id)
      return row === undefined ? [] : answersOf(this.database, row)
    })
  }

  #require(runUuid: string, path: string): CheckpointRow {
    return this.database.one<CheckpointRow>(
      `${selectCheckpoint} WHERE r.uuid = ? AND t.path = ?`,
      runUuid,
      path,
    )
  }
}

const withoutPath = ({ path: _, ...rule }: QuestionGroup): Omit<QuestionGroup, 'path'> => rule
