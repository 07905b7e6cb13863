import { eachTogether, type Work } from '../database/work.ts'
import type { Author } from '../../../core/domain/audit.ts'
import type {
  Checkpoint,
  CheckpointAnswer,
  Question,
  QuestionGroup,
  Silence,
} from '../../../core/domain/checkpoint.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { RefusalReason } from '../../../core/plugin/index.ts'
import type { AnswerOutcome, AnswerRecord } from '../../../core/ports/runs/checkpoint-store.ts'
import {
  acceptedAnswer,
  answeredQuestion,
  counts,
  hasSensitiveForm,
  judgeAnswer,
  openQuestion,
  judgeApproval,
  standingApprovals,
  countedApproval,
  type CountedApproval,
} from '../../../core/transitions/question.ts'
import { refusedInGroup, stateOfOthers } from '../../../core/transitions/quorum.ts'
import { updateRow } from '../context/rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import type { Database } from '../database/database.ts'
import { idsOfRun, ofRun, refreshWaiting, type OfRun } from '../runs/run-rows.ts'
import { wakeRun } from '../runs/run-turns.ts'

export interface CheckpointRow
  extends
    Omit<
      Checkpoint,
      'id' | 'question' | 'group' | 'reference' | 'onTimeout' | 'answer' | 'alertId' | 'caseId'
    >,
    OfRun {
  readonly id: number
  readonly publicId: string
  readonly runRow: number
  readonly question: string
  readonly groupPath: string | null
  /** The group without its path. */
  readonly groupRule: string | null
  readonly reference: string | null
  readonly onTimeout: string | null
}

interface AnswerRow extends Omit<AnswerRecord, 'value' | 'by' | 'sameAs' | 'refusedItems'> {
  readonly value: string | null
  readonly author: string
  readonly sameAs: string | null
  readonly refusedItems: string | null
}

export const selectCheckpoint = `
  SELECT t.id, t.public_id AS "publicId", r.uuid AS "runUuid", t.run_id AS "runRow", o.uuid AS "organizationUuid", t.path,
    t.step_id AS "stepId", t.question, t.group_path AS "groupPath", t.group_rule AS "groupRule", t.connection, t.reference, t.state, t.created_at AS "createdAt",
    t.timeout_at AS "timeoutAt", t.on_timeout AS "onTimeout", r.playbook_name AS "playbookName", ${ofRun.columns}
  FROM checkpoints t
    CROSS JOIN runs r ON r.id = t.run_id
    CROSS JOIN organizations o ON o.id = t.organization_id
    ${ofRun.joins('r')}`
const answerColumns = `outcome, ${opened('value', sealedColumns.answer.place)} AS value, author,
  ${opened('text', sealedColumns.text.place)} AS text, at, same_as AS "sameAs", refused_items AS "refusedItems"`
const selectAnswers = `SELECT ${answerColumns} FROM checkpoint_answers WHERE checkpoint_id = ?`

export function* findCheckpointRow(database: Database, id: string): Work<CheckpointRow | undefined> {
  return yield* database.get<CheckpointRow>(`${selectCheckpoint} WHERE t.public_id = ?`, id)
}

/** In characters. */
const longQuestion = 10_000
let newestLong: { readonly text: string; readonly question: Question } | undefined

/** Each of thousands of actions that were approved together reads their question, so the newest long one is parsed once. */
function readQuestion(text: string): Question {
  if (text.length < longQuestion) return fromJson<Question>(text)
  if (newestLong?.text !== text) newestLong = { text, question: fromJson<Question>(text) }
  return newestLong.question
}

export function* toCheckpoint(database: Database, row: CheckpointRow): Work<Checkpoint> {
  const { id, publicId, runRow: _, question, groupPath, groupRule, reference, ...others } = row
  const { organizationCode: __, sequence: ___, provider: ____, caseNumber: _____, ...rest } = others
  const accepted =
    row.state === answeredQuestion
      ? yield* database.get<AnswerRow>(`${selectAnswers} AND outcome = ?`, id, acceptedAnswer)
      : undefined
  const answer = accepted && withoutOutcome(toAnswer(accepted))
  const asked = readQuestion(question)
  const counted = yield* countedAnswers(database, id, asked)
  return {
    ...rest,
    ...idsOfRun(row),
    id: publicId,
    question: asked,
    group: toGroup(groupPath, groupRule),
    reference: fromJson(reference),
    onTimeout: fromJson<Silence>(row.onTimeout),
    answer: answer ?? null,
    ...(counted.length > 0 && { counted: standingApprovals(counted, answer?.at) }),
  }
}

const toGroup = (path: string | null, rule: string | null): QuestionGroup | null =>
  path === null || rule === null ? null : { ...fromJson<Omit<QuestionGroup, 'path'>>(rule), path }

/** The opened questions of a group, in the order of the people. */
export function* groupMembers(
  database: Database,
  runUuid: string,
  path: string,
): Work<readonly Checkpoint[]> {
  const rows = yield* database.all<CheckpointRow>(
    `${selectCheckpoint} WHERE r.uuid = ? AND t.group_path = ?`,
    runUuid,
    path,
  )
  const members = yield* eachTogether(rows, (row) => toCheckpoint(database, row))
  return members.toSorted((a, b) => (a.group?.place ?? 0) - (b.group?.place ?? 0))
}

export function* answersOf(database: Database, row: CheckpointRow): Work<readonly AnswerRecord[]> {
  return (yield* database.all<AnswerRow>(`${selectAnswers} ORDER BY id`, row.id)).map(toAnswer)
}

const toAnswer = ({ author, value, sameAs, refusedItems: items, ...row }: AnswerRow): AnswerRecord => ({
  ...row,
  value: fromJson(value),
  by: fromJson<Author>(author),
  ...(sameAs !== null && { sameAs: fromJson<string[]>(sameAs) }),
  ...(items !== null && { refusedItems: fromJson<number[]>(items) }),
})

const withoutOutcome = ({ outcome: _, ...answer }: AnswerRecord): CheckpointAnswer => answer

/** The approvals of a question that needs several, without the one that decided. */
function* countedAnswers(
  database: Database,
  id: number,
  { approval }: Question,
): Work<readonly CountedApproval[]> {
  if (approval === undefined || approval.needed < 2) return []
  return (yield* database.all<AnswerRow & { readonly revokedAt: number | null }>(
    `SELECT ${answerColumns}, coalesce(k.revoked_at, w.disabled_at, p.disabled_at) AS "revokedAt" FROM checkpoint_answers a
         LEFT JOIN api_keys k ON (author ->> '$.kind') = 'api_key' AND k.public_id = (author ->> '$.id')
         LEFT JOIN accounts w ON w.id = k.owner_id
         LEFT JOIN accounts p ON (author ->> '$.kind') = 'account' AND p.uuid = (author ->> '$.id')
       WHERE checkpoint_id = ? AND outcome = ? ORDER BY a.id`,
    id,
    countedApproval,
  )).map(({ revokedAt, ...row }) => ({ ...withoutOutcome(toAnswer(row)), revokedAt }))
}

/**
 * Inside of a write: records an answer, whether it counts or not. Throws NotFoundError `checkpoint_not_found`.
 */
export function* recordAnswer(
  database: Database,
  id: string,
  given: CheckpointAnswer,
  refused: RefusalReason | null,
): Work<AnswerOutcome> {
  const row = yield* findCheckpointRow(database, id)
  if (row === undefined) throw new NotFoundError('checkpoint_not_found', 'there is no such checkpoint')
  const checkpoint = yield* toCheckpoint(database, row)
  const { group, runUuid, question } = checkpoint
  const others = group === null ? [] : yield* groupMembers(database, runUuid, group.path)
  const judged = judgeAnswer(row, given.at, refused ?? refusedInGroup(checkpoint, given.by, others))
  const outcome = counts(judged)
    ? judgeApproval(question, given, yield* countedAnswers(database, row.id, question))
    : judged
  if (counts(outcome)) yield* updateRow(database, 'checkpoints', row.id, { state: answeredQuestion })
  const isSecret = hasSensitiveForm(question)
  yield* database.run(
    `INSERT INTO checkpoint_answers (checkpoint_id, outcome, value, author, text, at, same_as, refused_items)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    outcome,
    database.kept(toJson(given.value), isSecret, `answer ${row.id}`),
    toJson(given.by),
    // A text reply may repeat values of the form.
    database.kept(given.text, isSecret, `text ${row.id}`),
    given.at,
    toJson(given.sameAs),
    toJson(given.refusedItems),
  )
  if (counts(outcome)) {
    if (group !== null) yield* closeDecided(database, runUuid, group)
    yield* refreshWaiting(database, row.runRow)
    yield* wakeRun(database, row.runRow)
  }
  return {
    outcome,
    checkpoint: yield* toCheckpoint(database, (yield* findCheckpointRow(database, id)) ?? row),
  }
}

/** Closes the open questions of a group if its answers have decided. */
function* closeDecided(database: Database, runUuid: string, group: QuestionGroup): Work<void> {
  const state = stateOfOthers(group, yield* groupMembers(database, runUuid, group.path))
  yield* database.run(
    `UPDATE checkpoints SET state = ? WHERE run_id = (SELECT id FROM runs WHERE uuid = ?) AND group_path = ? AND state = ?
       AND state <> ?`,
    state,
    runUuid,
    group.path,
    openQuestion,
    state,
  )
}
