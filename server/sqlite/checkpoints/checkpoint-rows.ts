import type { Author } from '../../../core/domain/audit.ts'
import type { Checkpoint, CheckpointAnswer, Question, Silence } from '../../../core/domain/checkpoint.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { RefusalReason } from '../../../core/plugin/index.ts'
import type { AnswerOutcome, AnswerRecord } from '../../../core/ports/runs/checkpoint-store.ts'
import {
  acceptedAnswer,
  answeredQuestion,
  counts,
  hasSensitiveForm,
  judgeAnswer,
} from '../../../core/transitions/question.ts'
import { updateRow } from '../context/rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import type { Database } from '../database/database.ts'
import { idsOfRun, ofRun, refreshWaiting, type OfRun } from '../runs/run-rows.ts'
import { wakeRun } from '../runs/run-turns.ts'

export interface CheckpointRow
  extends
    Omit<Checkpoint, 'id' | 'question' | 'reference' | 'onTimeout' | 'answer' | 'alertId' | 'caseId'>,
    OfRun {
  readonly id: number
  readonly publicId: string
  readonly runRow: number
  readonly question: string
  readonly reference: string | null
  readonly onTimeout: string | null
}

interface AnswerRow extends Omit<AnswerRecord, 'value' | 'by'> {
  readonly value: string | null
  readonly author: string
}

export const selectCheckpoint = `
  SELECT t.id, t.public_id AS publicId, r.uuid AS runUuid, t.run_id AS runRow, o.uuid AS organizationUuid, t.path,
    t.step_id AS stepId, t.question, t.connection, t.reference, t.state, t.created_at AS createdAt,
    t.timeout_at AS timeoutAt, t.on_timeout AS onTimeout, r.playbook_name AS playbookName, ${ofRun.columns}
  FROM checkpoints t
    CROSS JOIN runs r ON r.id = t.run_id
    CROSS JOIN organizations o ON o.id = t.organization_id
    ${ofRun.joins('r')}`
const selectAnswers = `SELECT outcome, ${opened('value', sealedColumns.answer.place)} AS value, author, ${opened('text', sealedColumns.text.place)} AS text, at
   FROM checkpoint_answers WHERE checkpoint_id = ?`

export function findCheckpointRow(database: Database, id: string): CheckpointRow | undefined {
  return database.get<CheckpointRow>(`${selectCheckpoint} WHERE t.public_id = ?`, id)
}

export function toCheckpoint(database: Database, row: CheckpointRow): Checkpoint {
  const { id, publicId, runRow: _, question, reference, ...others } = row
  const { organizationCode: __, sequence: ___, provider: ____, caseNumber: _____, ...rest } = others
  const accepted =
    row.state === answeredQuestion
      ? database.get<AnswerRow>(`${selectAnswers} AND outcome = ?`, id, acceptedAnswer)
      : undefined
  const given = accepted && toAnswer(accepted)
  return {
    ...rest,
    ...idsOfRun(row),
    id: publicId,
    question: fromJson<Question>(question),
    reference: fromJson(reference),
    onTimeout: fromJson<Silence>(row.onTimeout),
    answer: given ? { value: given.value, by: given.by, text: given.text, at: given.at } : null,
  }
}

export function answersOf(database: Database, row: CheckpointRow): readonly AnswerRecord[] {
  return database.all<AnswerRow>(`${selectAnswers} ORDER BY id`, row.id).map(toAnswer)
}

const toAnswer = ({ author, value, ...row }: AnswerRow): AnswerRecord => ({
  ...row,
  value: fromJson(value),
  by: fromJson<Author>(author),
})

/**
 * Inside of a write: records an answer, whether it counts or not. Throws NotFoundError `checkpoint_not_found`.
 */
export function recordAnswer(
  database: Database,
  id: string,
  given: CheckpointAnswer,
  refused: RefusalReason | null,
): AnswerOutcome {
  const row = findCheckpointRow(database, id)
  if (row === undefined) throw new NotFoundError('checkpoint_not_found', 'there is no such checkpoint')
  const outcome = judgeAnswer(row, given.at, refused)
  if (counts(outcome)) updateRow(database, 'checkpoints', row.id, { state: answeredQuestion })
  const isSecret = hasSensitiveForm(fromJson<Question>(row.question))
  database.run(
    'INSERT INTO checkpoint_answers (checkpoint_id, outcome, value, author, text, at) VALUES (?, ?, ?, ?, ?, ?)',
    row.id,
    outcome,
    database.kept(toJson(given.value), isSecret, `answer ${row.id}`),
    toJson(given.by),
    // A text reply may repeat values of the form.
    database.kept(given.text, isSecret, `text ${row.id}`),
    given.at,
  )
  if (counts(outcome)) {
    refreshWaiting(database, row.runRow)
    wakeRun(database, row.runRow)
  }
  return { outcome, checkpoint: toCheckpoint(database, findCheckpointRow(database, id) ?? row) }
}
