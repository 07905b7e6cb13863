import { requireSeen, type OneKind } from '../../checkpoint/one-kind.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Checkpoint, Question } from '../../domain/checkpoint.ts'
import type { JournalEntry, Run, StepDecision } from '../../domain/run.ts'
import { NotFoundError, ValidationError, type PointedMessage } from '../../errors/errors.ts'
import type { AnswerOutcome, Together } from '../../ports/runs/checkpoint-store.ts'
import type { Scope } from '../../ports/common.ts'
import type { Stores } from '../../ports/stores.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { compileSchema } from '../../schema/index.ts'
import { requireAnother, type SelfApproval, type PersonsAnswer } from './approved-by-another.ts'
import { newRun, type RunRequest } from './queue-run.ts'
import type { Runner } from './runner.ts'

/** What people do with runs. Each is durable before the run is told of it. */
export interface RunControl {
  /** Throws ValidationError `inputs_invalid`. A run that its concurrency key forbids comes back cancelled. */
  start(request: RunRequest): Promise<Run>
  /**
   * The answer of a person to a checkpoint; only the first one counts. Throws NotFoundError `checkpoint_not_found`,
   * ValidationError `answer_invalid` for what was not asked for, ForbiddenError `approval_by_requester`.
   */
  answer(scope: Scope, checkpointId: string, answer: PersonsAnswer): Promise<AnswerOutcome>
  /**
   * One answer of a person to all of these, one after the other: what was answered before stops no other. Throws ValidationError
   * `answer_invalid`, ConflictError `preview_differs`, ForbiddenError `approval_by_requester` before any is answered.
   */
  answerAll(chosen: OneKind, seen: string, answer: PersonsAnswer): Promise<readonly AnswerOutcome[]>
  /**
   * The word of a person about a step of which nobody knows whether it ran. Throws NotFoundError `run_not_found`,
   * `step_not_found`, ConflictError `step_not_unknown`, ValidationError `output_invalid`.
   */
  resolve(scope: Scope, runUuid: string, path: string, decision: Decision): Promise<JournalEntry>
  /** Throws NotFoundError `run_not_found`, ConflictError `run_has_ended`. */
  cancel(scope: Scope, runUuid: string, by: Actor): Promise<Run>
}

export interface Decision {
  readonly decision: StepDecision
  /** For `ran`: what the skill would have answered. */
  readonly output?: unknown
  readonly by: Actor
}

export interface RunControlOptions {
  readonly stores: Pick<Stores, 'runs' | 'journal' | 'checkpoints' | 'keys'>
  readonly runner: Pick<Runner, 'enqueue' | 'wake' | 'cancel'>
  readonly schemas: (skill: string) => { readonly output: JsonSchema } | undefined
  /** Default `never`. */
  readonly selfApproval?: SelfApproval | undefined
  /** Told of runs that end without having begun. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

export function createRunControl({
  stores,
  runner,
  schemas,
  selfApproval = 'never',
  onRunEnded,
}: RunControlOptions): RunControl {
  async function requireRun(scope: Scope, uuid: string): Promise<Run> {
    const run = await stores.runs.find(scope, uuid)
    if (run === undefined) throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
    return run
  }

  async function answerOne(
    { id, question }: Checkpoint,
    { by, signedInAt, ...answer }: PersonsAnswer,
    together?: Together,
  ): Promise<AnswerOutcome> {
    checkAnswer(question, answer.value)
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
      return await answerOne(checkpoint, given)
    },

    async answerAll(chosen, seen, given) {
      requireSeen(chosen, seen)
      await requireAnother(stores, chosen.checkpoints, given, selfApproval)
      const together = { seen, count: chosen.checkpoints.length }
      const outcomes: AnswerOutcome[] = []
      for (const checkpoint of chosen.checkpoints) outcomes.push(await answerOne(checkpoint, given, together))
      return outcomes
    },

    async resolve(scope, runUuid, path, { decision, output = null, by }) {
      const run = await requireRun(scope, runUuid)
      if (decision === 'ran') await checkOutput(run, path, output)
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

  /** What comes after the step relies on the output being what the skill declares. */
  async function checkOutput(run: Run, path: string, output: unknown): Promise<void> {
    const entry = await stores.journal.entry(run.uuid, path)
    const schema = entry && schemas(entry.kind)?.output
    const errors = schema === undefined ? [] : compileSchema(schema).problems(output)
    if (errors.length === 0) return
    const message = `the output is not what ${entry?.kind} declares: ${described(errors[0]!)}`
    throw new ValidationError('output_invalid', message, errors)
  }
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
  throw new ValidationError('answer_invalid', `the answer ${described(first!)}`, errors)
}

/** Of the whole value there is no pointer. */
const described = ({ pointer, message }: PointedMessage): string => `${pointer} ${message}`.trimStart()

function outputNotTaken(decision: StepDecision): ValidationError {
  const message = `the decision '${decision}' takes no output`
  return new ValidationError('output_invalid', message, [{ pointer: '', message }], {
    hint: 'leave `output` out, or decide `ran`',
  })
}
