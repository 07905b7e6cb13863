import { NotFoundError, ValidationError } from '../errors/errors.ts'
import type { AnswerChoice, OneAnswer } from '../playbook-test/run/checkpoint-answers.ts'
import { namedSteps } from '../playbook-test/read/named-steps.ts'
import type { CalledByName } from '../playbook-test/read/playbook-test.ts'
import { parseJson } from '../common/json.ts'
import type { AwaitedEvent } from '../playbook/waits/waits.ts'
import type { CheckpointStep, Playbook, Step, WaitStep } from '../playbook/language/playbook.ts'
import { quote } from '../playbook/language/problem.ts'
import { compileSchema, nearest, validate } from '../schema/index.ts'

/** The parts of a checkpoint that say which answers it takes. */
export type Asked = Pick<CheckpointStep, 'choices' | 'people'>
type Choices = Asked['choices']

/**
 * The answers given in advance to checkpoints, by name of the step.
 *
 * @param choose reads a given answer
 * @throws NotFoundError `checkpoint_not_found`, and what `choose` throws
 */
export function dryRunChoices<T>(
  playbook: Playbook,
  called: CalledByName,
  given: Readonly<Record<string, T>>,
  choose: (name: string, step: CheckpointStep, given: T) => AnswerChoice,
): ReadonlyMap<string, AnswerChoice> {
  const checkpoints = namedSteps(playbook, called).flatMap(({ step, name }) =>
    step.action === 'checkpoint' || isEventWait(step) ? [{ name, step }] : [],
  )
  const names = checkpoints.map(({ name }) => name)
  const entries = Object.entries(given).map(([name, value]) => {
    const step = checkpoints.find((each) => each.name === name)?.step
    if (step?.action === 'wait') return [name, eventChoiceOf(name, step.wait.event, value)] as const
    if (step !== undefined) return [name, choose(name, step, value)] as const
    const meant = nearest(name, names)
    throw new NotFoundError('checkpoint_not_found', `the playbook has no checkpoint ${quote(name)}`, {
      hint: meant === undefined ? `checkpoints: ${names.join(', ') || 'none'}` : `did you mean ${meant}?`,
    })
  })
  return new Map(entries)
}

type EventWaitStep = WaitStep & { readonly wait: AwaitedEvent<unknown> }

export const isEventWait = (step: Step): step is EventWaitStep =>
  step.action === 'wait' && 'event' in step.wait

/** The data of the event, as JSON, or `timeout`. */
function eventChoiceOf(
  name: string,
  { schema }: AwaitedEvent<unknown>['event'],
  given: unknown,
): AnswerChoice {
  if (given === 'timeout') return 'timeout'
  const data = typeof given === 'string' ? parseJson(given) : given
  if (schema !== undefined) validate(compileSchema(schema), data, `the event for '${name}'`)
  return { answer: data }
}

/**
 * An answer, or a list of answers for several people: the n-th person gives the n-th answer.
 *
 * @throws ValidationError `answer_invalid`, or the error of an answer that does not match the form
 */
export function choiceOf(name: string, step: Asked, given: unknown): AnswerChoice {
  const { people, choices } = step
  if (people === undefined || !Array.isArray(given)) return oneChoiceOf(name, choices, given)
  return { answers: given.map((each) => oneChoiceOf(name, choices, each)) }
}

function oneChoiceOf(name: string, choices: Choices, given: unknown): OneAnswer {
  if (given === 'timeout') return 'timeout'
  if ('form' in choices) {
    validate(compileSchema(choices.form), given, `the answer to '${name}'`)
    return { answer: given }
  }
  if (typeof given === 'string' && choices.answers.includes(given)) return { answer: given }
  const shown = typeof given === 'string' ? quote(given) : 'this'
  throw new ValidationError('answer_invalid', `${shown} is not a valid answer to '${name}'`, [], {
    hint: `answers: ${choices.answers.join(', ')}, timeout`,
  })
}
