import { checkpointTabs } from './checkpoint.ts'
import type { apiGet } from '../api/call.ts'
import type { ApiPage, ApiCheckpoint } from '../api/types.ts'

/** Questions of one kind in one organization. One answer can decide them. */
export interface QuestionKind {
  readonly kind: string
  readonly organization_code: string
  readonly ids: readonly string[]
}

/** Kinds with more than one question, most frequent first. Forms are answered one by one. */
export function kindsOf(checkpoints: readonly ApiCheckpoint[]): readonly QuestionKind[] {
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

/** Limit of the API. */
export const maxBulkAnswers = 100

/** The oldest questions of a kind, up to the limit. */
export const oldestOf = (kind: QuestionKind): QuestionKind => ({
  ...kind,
  ids: kind.ids.slice(0, maxBulkAnswers),
})

/** `approval:a.b` → `Approvals of a.b`; `playbook:step` → `step of playbook`. */
export function kindText(kind: string): string {
  const at = kind.indexOf(':')
  const [before, after] = [kind.slice(0, at), kind.slice(at + 1)]
  return before === 'approval' && after.includes('.') ? `Approvals of ${after}` : `${after} of ${before}`
}

/** How many answers took effect. */
export function outcomesText(outcomes: readonly string[]): string {
  const accepted = outcomes.filter((outcome) => outcome === 'accepted').length
  const others = outcomes.length - accepted
  return others === 0
    ? `Recorded all ${accepted} answers`
    : `Recorded ${accepted} of ${outcomes.length} answers. The others have no effect: too late, already answered, or the same person.`
}

/** Limit of closed questions that stay in view. */
const mostEnded = 200

/**
 * Closed questions keep their place, so that no click hits another question; new questions come last.
 * Beyond a limit, the oldest closed questions are removed.
 */
export function keepPositions(
  shown: readonly ApiCheckpoint[],
  waiting: readonly ApiCheckpoint[],
): readonly ApiCheckpoint[] {
  const fresh = new Map(waiting.map((checkpoint) => [checkpoint.checkpoint_id, checkpoint]))
  const known = new Set(shown.map(({ checkpoint_id: id }) => id))
  let tooMany = shown.filter(({ checkpoint_id: id }) => !fresh.has(id)).length - mostEnded
  const kept = shown.filter(({ checkpoint_id: id }) => fresh.has(id) || tooMany-- <= 0)
  return [
    ...kept.map((checkpoint) => fresh.get(checkpoint.checkpoint_id) ?? checkpoint),
    ...waiting.filter(({ checkpoint_id: id }) => !known.has(id)),
  ]
}

/** Answered questions come first. */
const ends = Object.keys(checkpointTabs).filter((state) => state !== 'waiting')

type Get = typeof apiGet

interface Wanted {
  readonly resolve: (checkpoint: ApiCheckpoint) => void
  readonly reject: (error: unknown) => void
}

/** Loads closed questions in batches: many from the lists, and the rest one by one. */
export function batchedLoader(ask: Get): (id: string) => Promise<ApiCheckpoint> {
  let wanted = new Map<string, Wanted[]>()
  let last = Promise.resolve()
  const begin = (): void => {
    const now = wanted
    wanted = new Map()
    last = last.then(() => loadAll(ask, now))
  }
  return (id) =>
    new Promise((resolve, reject) => {
      if (wanted.size === 0) setTimeout(begin)
      wanted.set(id, [...(wanted.get(id) ?? []), { resolve, reject }])
    })
}

async function loadAll(ask: Get, wanted: Map<string, Wanted[]>): Promise<void> {
  const settle = (id: string, how: (one: Wanted) => void): void => {
    for (const one of wanted.get(id) ?? []) how(one)
    wanted.delete(id)
  }
  for (const state of ends) {
    if (wanted.size < 2) break
    // If a list fails, the questions are loaded one by one.
    // oxlint-disable-next-line no-await-in-loop -- one request at a time: there is no hurry
    const page = await ask<ApiPage<ApiCheckpoint>>('/checkpoints', { state, limit: 200 }).catch(
      () => undefined,
    )
    for (const found of page?.data ?? []) settle(found.checkpoint_id, ({ resolve }) => resolve(found))
  }
  for (const id of wanted.keys()) {
    try {
      const path = `/checkpoints/${encodeURIComponent(id)}`
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { checkpoint } = await ask<{ readonly checkpoint: ApiCheckpoint }>(path)
      settle(id, ({ resolve }) => resolve(checkpoint))
    } catch (error) {
      settle(id, ({ reject }) => reject(error))
    }
  }
}
