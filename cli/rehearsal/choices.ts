import { NotFoundError, ValidationError } from '../../core/errors/errors.ts'
import type { Choice } from '../../core/playbook-test/index.ts'
import { placedSteps } from '../../core/playbook-test/placed-steps.ts'
import type { CheckpointStep, Playbook } from '../../core/playbook/playbook.ts'
import { compileSchema, nearest, validate } from '../../core/schema/index.ts'
import { parseJson } from '../../core/json.ts'
import { printable } from '../output/printable.ts'
import type { Texts } from './key-value.ts'

/**
 * What `--answer step=answer` says, by step id.
 *
 * @throws NotFoundError `checkpoint_not_found`, ValidationError `answer_invalid`
 */
export function choicesOf(playbook: Playbook, texts: Texts): ReadonlyMap<string, Choice> {
  const checkpoints = placedSteps(playbook).flatMap(({ step }) =>
    step.action === 'checkpoint' ? [step] : [],
  )
  const entries = Object.entries(texts).map(([id, text]) => {
    const step = checkpoints.find((each) => each.id === id)
    if (step !== undefined) return [id, choiceOf(step, text)] as const
    const ids = checkpoints.map((each) => each.id).filter((each) => each !== null)
    const meant = nearest(id, ids)
    throw new NotFoundError('checkpoint_not_found', `the playbook has no checkpoint '${printable(id)}'`, {
      hint: meant === undefined ? `it has: ${ids.join(', ') || 'none with an id'}` : `did you mean ${meant}?`,
    })
  })
  return new Map(entries)
}

function choiceOf({ id, choices }: CheckpointStep, text: string): Choice {
  if (text === 'timeout') return 'timeout'
  if ('form' in choices) {
    const answer = parseJson(text)
    validate(compileSchema(choices.form), answer, `the answer to '${id}'`)
    return { answer }
  }
  if (choices.answers.includes(text)) return { answer: text }
  throw new ValidationError('answer_invalid', `'${printable(text)}' is no answer to '${id}'`, [], {
    hint: `answers: ${choices.answers.join(', ')}, timeout`,
  })
}
