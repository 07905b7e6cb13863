import type { Question } from '../../../domain/checkpoint.ts'

/** The input of a skill that asks: the playbook's input, the checkpoint id, and the possible answers. */
export function questionInput(
  id: string,
  { input, answers, form }: Question,
): Readonly<Record<string, unknown>> {
  return {
    ...(input as object),
    checkpoint_id: id,
    ...(form === null ? { answers } : { form }),
  }
}
