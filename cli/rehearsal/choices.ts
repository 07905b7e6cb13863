import { NotFoundError, ValidationError } from '../../core/errors/errors.ts'
import { namedSteps, type CalledByName, type Choice } from '../../core/playbook-test/index.ts'
import type { CheckpointStep, Playbook } from '../../core/playbook/playbook.ts'
import { compileSchema, nearest, validate } from '../../core/schema/index.ts'
import { parseJson } from '../../core/json.ts'
import { printable } from '../output/printable.ts'
import type { Texts } from './key-value.ts'

/**
 * What `--answer step=answer` says, by name of the step.
 *
 * @throws NotFoundError `checkpoint_not_found`, ValidationError `answer_invalid`
 */
export function choicesOf(
  playbook: Playbook,
  called: CalledByName,
  texts: Texts,
): ReadonlyMap<string, Choice> {
  const checkpoints = namedSteps(playbook, called).flatMap(({ step, name }) =>
    step.action === 'checkpoint' ? [{ name, step }] : [],
  )
  const names = checkpoints.map(({ name }) => name)
  const entries = Object.entries(texts).map(([name, text]) => {
    const step = checkpoints.find((each) => each.name === name)?.step
    if (step !== undefined) return [name, choiceOf(name, step.choices, text)] as const
    const meant = nearest(name, names)
    throw new NotFoundError('checkpoint_not_found', `the playbook has no checkpoint '${printable(name)}'`, {
      hint: meant === undefined ? `it has: ${names.join(', ') || 'none'}` : `did you mean ${meant}?`,
    })
  })
  return new Map(entries)
}

/** @throws ValidationError `answer_invalid`, TocsinError `json_invalid` */
export function choiceOf(name: string, choices: CheckpointStep['choices'], text: string): Choice {
  if (text === 'timeout') return 'timeout'
  if ('form' in choices) {
    const answer = parseJson(text)
    validate(compileSchema(choices.form), answer, `the answer to '${name}'`)
    return { answer }
  }
  if (choices.answers.includes(text)) return { answer: text }
  throw new ValidationError('answer_invalid', `'${printable(text)}' is no answer to '${name}'`, [], {
    hint: `answers: ${choices.answers.join(', ')}, timeout`,
  })
}
