import {
  defaultDestructivePerHour,
  type DestructiveLimits,
  type HeldUse,
  type OwnDestructiveLimits,
} from '../domain/destructive-use.ts'
import type { DestructiveClass } from '../plugin/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** The limits of a server: what is set, and the default for every other class. */
export function serverLimits(set: OwnDestructiveLimits = {}): DestructiveLimits {
  const limit = defaultDestructivePerHour
  return { containment: limit, blocking: limit, deletion: limit, execution: limit, ...set }
}

/** The limit of one class in an organization: its own, else the server's. */
export const limitOf = (
  server: DestructiveLimits,
  own: OwnDestructiveLimits | undefined,
  kind: DestructiveClass,
): number => own?.[kind] ?? server[kind]

/** Whether uses have to wait for an approval. `uses`: within the last hour, without the wanted ones. */
export function heldUse(
  kind: DestructiveClass,
  counts: { readonly uses: number; readonly wanted: number; readonly limit: number },
): HeldUse | undefined {
  const { uses, wanted, limit } = counts
  return uses + wanted > limit ? { class: kind, uses, wanted, limit } : undefined
}

/** `30 blocking actions`, `1 containment action`. */
export const actionsText = (count: number, kind: DestructiveClass): string =>
  `${count} ${kind} ${count === 1 ? 'action' : 'actions'}`

/** For people who are asked: what happened so far and what is allowed. */
export const heldText = ({ class: kind, uses, limit }: HeldUse): string =>
  `${actionsText(uses, kind)} within the last hour in this organization; the limit without approval is ${limit} per hour`

/** For the timeline of the case. */
export const heldNote = (skill: string, held: HeldUse): string =>
  `${skill} waits for an approval of ${actionsText(held.wanted, held.class)}: ${heldText(held)}.`

/** What would wait for an approval if all these skills were used within an hour, e.g. in a dry run. */
export function wouldAsk(
  skills: readonly string[],
  catalogue: Pick<Catalogue, 'skill'>,
  limits: DestructiveLimits = serverLimits(),
): readonly string[] {
  const classes = skills.flatMap((name) => {
    const skill = catalogue.skill(name)?.skill
    return skill?.effect === 'write' && skill.destructive !== undefined ? [skill.destructive] : []
  })
  return Array.from(
    Map.groupBy(classes, (kind) => kind),
    ([kind, { length }]) =>
      length > limits[kind]
        ? `would ask for approval: ${actionsText(length, kind)}, limit ${limits[kind]} per hour`
        : '',
  ).filter((text) => text !== '')
}
