import type { Checkpoint } from '../checkpoint.ts'

/** Questions of one kind in one organization, which one answer can decide. */
export interface Kind {
  readonly kind: string
  readonly organization_code: string
  readonly ids: readonly string[]
}

/** The kinds with more than one question, the most frequent first. Forms are filled in one by one. */
export function kindsOf(checkpoints: readonly Checkpoint[]): readonly Kind[] {
  const words = checkpoints.filter(({ form }) => form === null)
  const groups = Map.groupBy(words, ({ kind, organization_code: code }) => `${code} ${kind}`)
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      kind: group[0]!.kind,
      organization_code: group[0]!.organization_code,
      ids: group.map(({ checkpoint_id: id }) => id),
    }))
    .toSorted((a, b) => b.ids.length - a.ids.length)
}

/** So many the API takes at once. */
export const maxTogether = 100

/** The oldest of a kind, as many as one answer can decide. */
export const firstOf = (kind: Kind): Kind => ({ ...kind, ids: kind.ids.slice(0, maxTogether) })

/** `approval:a.b` → `Approvals of a.b`; `playbook:step` → `step of playbook`. */
export function kindText(kind: string): string {
  const at = kind.indexOf(':')
  const [before, after] = [kind.slice(0, at), kind.slice(at + 1)]
  return before === 'approval' && after.includes('.') ? `Approvals of ${after}` : `${after} of ${before}`
}

/** What is about to be decided (`POST /checkpoints/answer/preview`). */
export interface AnswerPreview {
  readonly kind: string | null
  readonly organization_code: string | null
  readonly answers: readonly { readonly value: string; readonly label: string }[]
  readonly seen: string | null
  readonly targets: readonly { readonly target: string; readonly count: number }[]
  readonly data: readonly PreviewedQuestion[]
  readonly gone: number
  readonly left: number
}

interface PreviewedQuestion {
  readonly checkpoint_id: string
  readonly run_uuid: string
  readonly playbook: string
  readonly alert_id: string | null
  readonly case_id: string | null
  readonly message: string | null
  readonly skill: string | null
  readonly target: string
  readonly created_at: number
}

/** Tells how many answers took effect. */
export function outcomesText(outcomes: readonly string[]): string {
  const accepted = outcomes.filter((outcome) => outcome === 'accepted').length
  const others = outcomes.length - accepted
  return others === 0
    ? `Recorded all ${accepted} answers; runs resumed`
    : `Recorded ${accepted} answers. ${others} came too late or after another answer, and have no effect.`
}
