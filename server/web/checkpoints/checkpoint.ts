import type { FormSchema } from '../forms/form-fields.ts'

/** A question of a run to a person (`schemas/checkpoint.schema.json`). */
export interface Checkpoint {
  readonly checkpoint_id: string
  readonly run_uuid: string
  readonly organization_code: string
  readonly path: string
  readonly step_id: string | null
  readonly via: string
  readonly connection: string | null
  readonly input: unknown
  readonly answers: readonly string[] | null
  readonly form: FormSchema | null
  readonly created_at: number
  readonly timeout_at: number
}

/** What became of an answer. */
export type Outcome = 'accepted' | 'second' | 'late'

export const outcomeTexts: Readonly<Record<Outcome, string>> = {
  accepted: 'The answer counts, and the run goes on.',
  second: 'Somebody answered before; this answer is recorded without effect.',
  late: 'The time was up; this answer is recorded without effect.',
}

/** The words of the question, where the skill that asks calls them so. */
export function questionOf({ input, step_id: step, path }: Checkpoint): string {
  const given = input as { readonly message?: unknown; readonly text?: unknown } | null
  const words = typeof given === 'object' ? (given?.message ?? given?.text) : undefined
  return typeof words === 'string' ? words : `Step ${step ?? path}`
}

/** Whom the skill asks, where it calls them so. */
export function askedOf({ input }: Checkpoint): string | undefined {
  const given = input as { readonly user?: unknown } | null
  return typeof given === 'object' && typeof given?.user === 'string' ? given.user : undefined
}
