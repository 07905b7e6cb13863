import type { Question } from '../../domain/checkpoint.ts'

/** What a skill that asks is given: what the playbook says, the id to come back with, and what can be answered. */
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
