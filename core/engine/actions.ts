import { TocsinError } from '../plugin/index.ts'
import { defaultRetry, viaOperator } from '../playbook/grammar.ts'
import type {
  CheckpointStep,
  FailStep,
  ReturnStep,
  SetStep,
  UsesStep,
  WaitStep,
} from '../playbook/playbook.ts'
import type { EffectAttempt, EffectWork } from './durable-context.ts'
import { durationOf, untilMs, valueOf } from './evaluate.ts'
import { fromOutcome, type Flow } from './flow.ts'
import { askPath } from './paths.ts'
import { advance, type Scope } from './scope.ts'
import { messageTexts, sensitiveTexts, withoutSensitive } from './sensitive.ts'
import type { SkillCall } from './skill-caller.ts'
import { remember, type Walk } from './walk.ts'

const defaultTimeoutMs = 60_000

/** Calls a skill: the only step with an effect outside, besides the asking of a checkpoint. */
export async function runUses(walk: Walk, step: UsesStep, path: string, scope: Scope): Promise<Flow> {
  const { skill, connection, onInterrupted } = step
  const { skills } = walk
  const declared = skills.interrupted(skill)
  const outcome = await walk.context.perform({
    path,
    stepId: step.id,
    kind: skill,
    input: () => refuseSensitive(walk, skill, valueOf(step.with, scope), scope),
    ...callsOf(walk, { skill, connection }, scope),
    interrupted: onInterrupted ?? declared,
    mayRepeat: declared !== 'ask' || onInterrupted === 'repeat',
    timeoutMs: step.timeoutMs ?? defaultTimeoutMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    retry: step.retry,
  })
  advance(scope, outcome.endedAt)
  if (outcome.state === 'completed') learnSensitive(walk, skill, outcome.output, scope)
  return fromOutcome(outcome, path)
}

/** The ways in which a skill is called. */
function callsOf(
  { skills, run }: Walk,
  { skill, connection }: Pick<SkillCall, 'skill' | 'connection'>,
  { thread }: Scope,
): Pick<EffectWork, 'run' | 'verify'> {
  const call = (purpose: SkillCall['purpose'], input: unknown, attempt: EffectAttempt) => {
    const declared = skills.schemas?.(skill)?.input ?? {}
    const sensitive = () => [...thread.sensitive, ...sensitiveTexts(declared, input)]
    return skills.call({ purpose, skill, connection, input, run, attempt, sensitive })
  }
  return {
    run: (input, attempt) => call('run', input, attempt),
    verify: (input, attempt) => call('verify', input, attempt),
  }
}

function learnSensitive(walk: Walk, skill: string, output: unknown, { thread }: Scope): void {
  const schemas = walk.skills.schemas?.(skill)
  if (schemas) for (const text of sensitiveTexts(schemas.output, output)) thread.sensitive.add(text)
}

/** The last line of defence: what the checks before the run could not see, such as fields that are computed. */
function refuseSensitive(walk: Walk, skill: string, input: unknown, { thread }: Scope): unknown {
  const schemas = thread.sensitive.size === 0 ? undefined : walk.skills.schemas?.(skill)
  const messages = schemas ? messageTexts(schemas.input, input) : []
  for (const secret of thread.sensitive) {
    if (!messages.some((text) => text.includes(secret))) continue
    throw new TocsinError(
      'sensitive_in_message',
      `a sensitive value would stand in a message of '${skill}'`,
      {
        hint: 'leave it out, or say where it can be looked up',
      },
    )
  }
  return input
}

/** Asks a person, and waits. To ask twice does no harm: one answer counts. */
export async function runCheckpoint(
  walk: Walk,
  step: CheckpointStep,
  path: string,
  scope: Scope,
): Promise<Flow> {
  const { via, connection, choices } = step
  const deadlineMs = scope.deadline.atMs
  const { shielded } = scope
  const declared = via === viaOperator ? 'repeat' : walk.skills.interrupted(via)
  const outcome = await walk.context.ask({
    path,
    stepId: step.id,
    kind: 'checkpoint',
    deadlineMs,
    shielded,
    question: () => ({
      question: {
        via,
        input: refuseSensitive(walk, via, valueOf(step.with, scope), scope),
        answers: 'answers' in choices ? choices.answers : null,
        form: 'form' in choices ? choices.form : null,
      },
      withinMs: durationOf(step.answerWithinMs, scope),
    }),
    tell: (id, question) =>
      via === viaOperator
        ? undefined
        : {
            path: askPath(path),
            stepId: null,
            kind: via,
            input: () => ({
              ...(question.input as object),
              checkpoint_id: id,
              ...(question.form === null
                ? { answers: question.answers }
                : { answers: [], form: question.form }),
            }),
            ...callsOf(walk, { skill: via, connection }, scope),
            interrupted: declared === 'verify' ? 'verify' : 'repeat',
            timeoutMs: defaultTimeoutMs,
            deadlineMs,
            shielded,
            retry: defaultRetry,
          },
    answered: ({ value, by, text, at }) => ({ state: 'completed', output: answerOf(value, by, text, at) }),
    timedOut: (atMs) =>
      step.onTimeout
        ? { state: 'completed', output: answerOf(step.onTimeout.answer, null, null, atMs) }
        : {
            state: 'failed',
            error: { code: 'checkpoint_timeout', message: `nobody answered '${path}' in time` },
          },
  })
  advance(scope, outcome.endedAt)
  if (outcome.state === 'completed' && 'form' in choices) {
    const { answer } = outcome.output as { readonly answer: unknown }
    for (const text of sensitiveTexts(choices.form, answer)) scope.thread.sensitive.add(text)
  }
  return fromOutcome(outcome, path)
}

const answerOf = (answer: unknown, by: string | null, text: string | null, atMs: number) => ({
  answer,
  by,
  at: new Date(atMs).toISOString(),
  text,
})

export async function runSet(walk: Walk, step: SetStep, path: string, scope: Scope): Promise<Flow> {
  return await remember(walk, step, path, scope, () => ({
    state: 'completed',
    output: valueOf(step.set, scope),
  }))
}

export async function runWait(walk: Walk, step: WaitStep, path: string, scope: Scope): Promise<Flow> {
  const outcome = await walk.context.sleep({
    path,
    stepId: step.id,
    kind: 'wait',
    untilMs: () => untilMs(step.wait, scope),
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

export async function runReturn(walk: Walk, step: ReturnStep, path: string, scope: Scope): Promise<Flow> {
  const evaluate = () => ({ state: 'completed' as const, output: valueOf(step.return, scope) })
  const flow = await remember(walk, step, path, scope, evaluate)
  if (flow.state !== 'completed') return flow
  return { state: 'run_ends', outcome: { status: 'completed', output: flow.output, error: null } }
}

/** Ends the run as failed. A message that cannot be evaluated fails the step, and the run, all the same. */
export async function runFail(walk: Walk, step: FailStep, path: string, scope: Scope): Promise<Flow> {
  const flow = await remember(walk, step, path, scope, () => {
    const message = String(valueOf(step.message, scope))
    throw withoutSensitive(new TocsinError('playbook_failed', message), scope.thread.sensitive)
  })
  if (flow.state !== 'failed' || flow.error.code !== 'playbook_failed') return flow
  return { state: 'run_ends', outcome: { status: 'failed', output: null, error: flow.error } }
}
