import { choiceOf } from '../../core/dry-run/choices.ts'
import { parseJson } from '../../core/common/json.ts'
import type { Choice } from '../../core/playbook-test/run/checkpoint-answers.ts'
import type { CheckpointStep } from '../../core/playbook/language/playbook.ts'

/**
 * What is typed as an answer: a word, or JSON where the checkpoint has a form.
 *
 * @throws what `choiceOf` throws, TocsinError `json_invalid`
 */
export function typedChoice(name: string, choices: CheckpointStep['choices'], text: string): Choice {
  return choiceOf(name, choices, 'form' in choices && text !== 'timeout' ? parseJson(text) : text)
}
