import { wordFor } from '../../../domain/audit.ts'
import type { Checkpoint, Question } from '../../../domain/checkpoint.ts'
import { maskOf, type Mask, type StepMasks } from '../../../domain/mask.ts'
import { defaultRetry, viaOperator } from '../../../playbook/language/constants.ts'
import type { CheckpointStep, RetryPolicy } from '../../../playbook/language/playbook.ts'
import type { QuestionOutcome } from '../../../plugin/index.ts'
import { skillCallOf, skillCallsOf, skillTimeoutMs } from '../calls-of.ts'
import { chosenCheckpoint } from '../interface.ts'
import type { AskWork, EffectWork, WorkOutcome } from '../../journal/durable-context.ts'
import { durationMsOf, templateDurationMs, templateValue } from '../../scope/evaluate.ts'
import type { Failed } from '../../scope/flow.ts'
import { askPath, remindPath, settlePath } from '../../journal/paths.ts'
import { questionInput } from './question-input.ts'
import type { StepScope } from '../../scope/scope.ts'
import type { SkillCall } from '../../skills/skill-caller.ts'
import type { Walk } from '../walk.ts'

/** For one attempt of a background task. The end of the run waits for it, so about a minute in total. */
const backgroundTimeoutMs = 10_000
const backgroundRetry: RetryPolicy = { ...defaultRetry, max: 2, maxBackoffMs: 15_000 }

/** How the answer to a question becomes the result of its step. */
export interface Asking extends Pick<AskWork, 'answered' | 'timedOut' | 'group'> {
  /** Sensitive places in the result. */
  readonly output: Mask | undefined
}

/** Asks a person and waits. Asking twice is harmless, because one answer counts. */
export async function askPerson(
  walk: Walk,
  written: CheckpointStep,
  path: string,
  scope: StepScope,
  { answered, timedOut, group, output }: Asking,
): Promise<WorkOutcome | Failed> {
  const step = await chosenCheckpoint(walk, written, path, scope)
  if ('state' in step) return step
  const { via } = step
  const followUps = via === viaOperator ? undefined : walk.skills.followUps?.(via)
  return await walk.context.ask({
    path,
    stepId: step.id,
    kind: 'checkpoint',
    sensitive: step.sensitive && ofQuestion({ ...step.sensitive, output }),
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    question: () => {
      const question = questionOf(step, scope)
      return {
        question,
        withinMs: group === undefined ? templateDurationMs(step.answerWithinMs, scope) : 0,
        remindAfterMs: followUps?.reminds === true ? remindAfterMs(question) : undefined,
      }
    },
    group,
    onTimeout: step.onTimeout ? { fails: false, answer: step.onTimeout.answer } : { fails: true },
    tell: (id, question, storeConnection) =>
      via === viaOperator ? undefined : asking(walk, step, path, scope, { id, question, storeConnection }),
    remind:
      followUps?.reminds === true
        ? (checkpoint) => reminding(walk, step, path, scope, checkpoint)
        : undefined,
    settle: followUps?.settles === true ? (checkpoint) => settling(walk, step, path, checkpoint) : undefined,
    answered,
    timedOut,
  })
}

/** The masks as recorded with the intent and the end of a question. */
function ofQuestion({ input, output }: StepMasks): StepMasks {
  return { input: input && maskOf([['question', maskOf([['input', input]])]]), output }
}

function questionOf({ via, with: given, choices }: CheckpointStep, scope: StepScope): Question {
  return {
    via,
    input: templateValue(given, scope),
    answers: 'answers' in choices ? choices.answers : null,
    form: 'form' in choices ? choices.form : null,
  }
}

function remindAfterMs({ input }: Question): number | undefined {
  const { remind_after: after } = input as { readonly remind_after?: unknown }
  return after === undefined || after === null ? undefined : durationMsOf(after)
}

interface Telling {
  readonly id: string
  readonly question: Question
  readonly storeConnection: (connection: string) => Promise<void>
}

function asking(
  walk: Walk,
  step: CheckpointStep,
  path: string,
  scope: StepScope,
  { id, question, storeConnection }: Telling,
): EffectWork {
  const { via, connection } = step
  const sensitive = ofCall(step)
  return {
    path: askPath(path),
    stepId: null,
    kind: via,
    sensitive,
    input: () => questionInput(id, question),
    ...skillCallsOf(walk, { skill: via, connection, onConnection: storeConnection, sensitive }),
    interrupted: walk.skills.interrupted(via) === 'verify' ? 'verify' : 'repeat',
    timeoutMs: skillTimeoutMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    retry: defaultRetry,
  }
}

const ofCall = ({ sensitive }: CheckpointStep): StepMasks | undefined =>
  sensitive && { input: sensitive.input, output: sensitive.reference }

/** At most once: a second reminder after a crash would be a nuisance. */
function reminding(
  walk: Walk,
  step: CheckpointStep,
  path: string,
  scope: StepScope,
  checkpoint: Checkpoint,
): EffectWork {
  const deadlineMs = Math.min(checkpoint.timeoutAt, scope.deadline.atMs)
  return {
    ...followUp(walk, step, checkpoint, { purpose: 'remind' }),
    path: remindPath(path),
    interrupted: 'skip',
    mayRepeat: false,
    deadlineMs,
    shielded: scope.shielded,
  }
}

/** Shielded: a question of a cancelled run is closed too. */
function settling(walk: Walk, step: CheckpointStep, path: string, checkpoint: Checkpoint): EffectWork {
  return {
    ...followUp(walk, step, checkpoint, { purpose: 'settle', outcome: outcomeOf(checkpoint) }),
    path: settlePath(path),
    interrupted: 'repeat',
    shielded: true,
  }
}

function followUp(
  walk: Walk,
  step: CheckpointStep,
  { id, question, connection, reference: output }: Checkpoint,
  { purpose, outcome }: Pick<SkillCall, 'purpose'> & { readonly outcome?: QuestionOutcome },
): Omit<EffectWork, 'path' | 'interrupted' | 'shielded'> {
  const { via: skill } = question
  const asked = { output, outcome }
  const masks = ofCall(step)
  return {
    stepId: null,
    kind: skill,
    sensitive: masks,
    input: () => questionInput(id, question),
    run: skillCallOf(walk, { purpose, skill, connection: connection ?? undefined, asked, masks }),
    timeoutMs: backgroundTimeoutMs,
    deadlineMs: Infinity,
    retry: backgroundRetry,
  }
}

function outcomeOf({ state, answer, timeoutAt }: Checkpoint): QuestionOutcome {
  if (state === 'answered' && answer !== null) {
    const { value, by, text, at } = answer
    const byKind = by.kind === 'person' || by.kind === 'account' ? by.kind : 'api_key'
    return { state, value, by: wordFor(by), byKind, text: text ?? undefined, at }
  }
  if (state === 'timed_out') return { state, at: timeoutAt }
  return { state: state === 'decided' ? state : 'withdrawn' }
}
