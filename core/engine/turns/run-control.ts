import { requireSamePreview, type CheckpointBatch } from '../../checkpoint/checkpoint-batch.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Checkpoint, Question } from '../../domain/checkpoint.ts'
import type { JournalEntry, Run, StepDecision } from '../../domain/run.ts'
import { NotFoundError, ValidationError, type PointedMessage } from '../../errors/errors.ts'
import type { AnswerOutcome, BulkAnswer } from '../../ports/runs/checkpoint-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OrganizationScope } from '../../ports/common.ts'
import type { Stores } from '../../ports/stores.ts'
import { valueAt, type JsonSchema } from '../../plugin/index.ts'
import { approvingAnswers } from '../../transitions/question.ts'
import { compileSchema } from '../../schema/index.ts'
import {
  requireAnother,
  requireApprover,
  samePersonIds,
  type SelfApproval,
  type AnswerRequest,
} from './approved-by-another.ts'
import { isApprovalPath } from '../journal/paths.ts'
import { newRun, type RunRequest } from './queue-run.ts'
import type { Runner } from './runner-types.ts'

/** Actions of people on runs. Every change is durable before the runner learns of it. */
export interface RunControl {
  /**
   * A run that its concurrency key forbids is returned as cancelled.
   *
   * @throws ValidationError `inputs_invalid`
   */
  start(request: RunRequest): Promise<Run>
  /**
   * Answers a checkpoint; only the first answer counts. Pointers of errors start at the request: `/answer`,
   * `/refused_items`.
   *
   * @throws NotFoundError `checkpoint_not_found`, ValidationError `answer_invalid`, ForbiddenError
   * `approval_by_requester`, `approver_not_allowed`
   */
  answer(scope: OrganizationScope, checkpointId: string, answer: AnswerRequest): Promise<AnswerOutcome>
  /**
   * Gives the same answer to several checkpoints, in order. A checkpoint that was already answered does
   * not stop the others.
   *
   * @throws before the first answer: ValidationError `answer_invalid`, ConflictError `preview_differs`,
   * ForbiddenError `approval_by_requester`, `approver_not_allowed`
   */
  answerAll(chosen: CheckpointBatch, seen: string, answer: AnswerRequest): Promise<readonly AnswerOutcome[]>
  /**
   * Decides the outcome of an unknown step.
   *
   * @throws NotFoundError `run_not_found`, `step_not_found`, ConflictError `step_not_unknown`,
   * ValidationError
   * `output_invalid`
   */
  resolve(scope: OrganizationScope, runUuid: string, path: string, decision: Decision): Promise<JournalEntry>
  /** @throws NotFoundError `run_not_found`, ConflictError `run_has_ended` */
  cancel(scope: OrganizationScope, runUuid: string, by: Actor): Promise<Run>
}

export interface Decision {
  readonly decision: StepDecision
  /** For `ran`: the output of the skill. */
  readonly output?: unknown
  readonly by: Actor
}

export interface RunControlOptions {
  readonly stores: Pick<Stores, 'runs' | 'journal' | 'checkpoints' | 'keys' | 'accounts'>
  readonly runner: Pick<Runner, 'enqueue' | 'wake' | 'cancel'>
  readonly clock: Pick<Clock, 'now'>
  readonly schemas: (skill: string) => { readonly output: JsonSchema } | undefined
  /** Default `never`. */
  readonly selfApproval?: SelfApproval | undefined
  /** Called for runs that end before they begin. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

export function createRunControl({
  stores,
  runner,
  clock,
  schemas,
  selfApproval = 'never',
  onRunEnded,
}: RunControlOptions): RunControl {
  async function requireRun(scope: OrganizationScope, uuid: string): Promise<Run> {
    const run = await stores.runs.find(scope, uuid)
    if (run === undefined) throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
    return run
  }

  async function answerOne(
    { id, path, question }: Checkpoint,
    { by, signedInAt, approvingRoles: _, ...given }: AnswerRequest,
    sameAs: readonly string[] | undefined,
    together?: BulkAnswer,
  ): Promise<AnswerOutcome> {
    checkAnswer(question, given.value)
    checkRefusedItems(question, given)
    const answer = { ...given, sameAs: isApprovalPath(path) ? sameAs : undefined }
    const result = await stores.checkpoints.answer(id, answer, by, {
      together,
      session: signedInAt !== undefined,
    })
    const { runUuid: uuid, organizationUuid } = result.checkpoint
    if (result.outcome === 'accepted') runner.wake({ uuid, organizationUuid })
    return result
  }

  return {
    async start(request) {
      const run = await stores.runs.queue(newRun(request))
      if (run.endedAt === null) runner.enqueue(run)
      else onRunEnded?.(run)
      return run
    },

    async answer(scope, checkpointId, given) {
      const checkpoint = await stores.checkpoints.find(scope, checkpointId)
      if (checkpoint === undefined) {
        throw new NotFoundError('checkpoint_not_found', 'there is no such checkpoint')
      }
      await requireAnother(stores, [checkpoint], given, selfApproval)
      requireApprover([checkpoint], given, clock.now())
      return await answerOne(checkpoint, given, await samePersonIds(stores.keys, [checkpoint], given))
    },

    async answerAll(chosen, seen, given) {
      requireSamePreview(chosen, seen)
      await requireAnother(stores, chosen.checkpoints, given, selfApproval)
      requireApprover(chosen.checkpoints, given, clock.now())
      const together = { seen, count: chosen.checkpoints.length }
      const sameAs = await samePersonIds(stores.keys, chosen.checkpoints, given)
      const outcomes: AnswerOutcome[] = []
      for (const checkpoint of chosen.checkpoints)
        outcomes.push(await answerOne(checkpoint, given, sameAs, together))
      return outcomes
    },

    async resolve(scope, runUuid, path, { decision, output = null, by }) {
      const run = await requireRun(scope, runUuid)
      if (decision === 'ran') await checkOutput({ stores, schemas }, run, path, output)
      else if (output !== null) throw outputNotTaken(decision)
      const entry = await stores.journal.resolve(run.uuid, path, { decision, output, by })
      runner.wake(run)
      return entry
    },

    async cancel(scope, runUuid, by) {
      const run = await stores.runs.cancel(scope, runUuid, by)
      if (run.endedAt !== null) onRunEnded?.(run)
      runner.cancel(run)
      return run
    },
  }
}

/** Later steps rely on the declared output. */
async function checkOutput(
  { stores, schemas }: Pick<RunControlOptions, 'stores' | 'schemas'>,
  run: Run,
  path: string,
  output: unknown,
): Promise<void> {
  const entry = await stores.journal.entry(run.uuid, path)
  const schema = entry && schemas(entry.kind)?.output
  const errors = schema === undefined ? [] : compileSchema(schema).problems(output)
  if (errors.length === 0) return
  const message = `the output does not match the schema of ${entry?.kind}: ${described(errors[0]!)}`
  throw new ValidationError('output_invalid', message, errors)
}

function checkAnswer({ answers, form }: Question, value: unknown): void {
  const errors =
    form !== null
      ? compileSchema(form).problems(value)
      : answers?.some((answer) => answer === value) === true
        ? []
        : [{ pointer: '', message: `must be one of ${answers?.join(', ') ?? ''}` }]
  if (errors.length === 0) return
  const [first] = errors
  throw new ValidationError('answer_invalid', `the answer ${described(first!)}`, within('/answer', errors))
}

/** Only an approval of several actions can refuse some of them. */
function checkRefusedItems(
  { input, approval }: Question,
  { value, refusedItems }: Pick<AnswerRequest, 'value' | 'refusedItems'>,
): void {
  if (refusedItems === undefined) return
  const count = valueAt(input, 'count')
  const isSeveral = approval !== undefined && typeof count === 'number' && count > 1
  const problems = !isSeveral
    ? [{ pointer: '', message: 'only an approval of several actions has items' }]
    : value !== approvingAnswers.once
      ? [{ pointer: '', message: `goes only with the answer '${approvingAnswers.once}'` }]
      : refusedItems.flatMap((item, index) =>
          item < count
            ? []
            : [
                {
                  pointer: `/${index}`,
                  message: `${item} is not one of the ${count} actions, numbered from 0`,
                },
              ],
        )
  const [first] = problems
  if (first === undefined) return
  const message = `the refused items: ${described(first)}`
  throw new ValidationError('refused_items_invalid', message, within('/refused_items', problems))
}

const within = (place: string, errors: readonly PointedMessage[]): readonly PointedMessage[] =>
  errors.map(({ pointer, message }) => ({ pointer: `${place}${pointer}`, message }))

/** The root has no pointer. */
const described = ({ pointer, message }: PointedMessage): string => `${pointer} ${message}`.trimStart()

function outputNotTaken(decision: StepDecision): ValidationError {
  const message = `the decision '${decision}' takes no output`
  return new ValidationError('output_invalid', message, [{ pointer: '', message }], {
    hint: 'omit `output`, or decide `ran`',
  })
}
