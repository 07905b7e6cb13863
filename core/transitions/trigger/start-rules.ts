import { isFromFuture } from '../grouping.ts'

/** Playbooks in the chain that leads to a run. */
export const maxTriggerChain = 5

/**
 * The reason why an event must not start a playbook; undefined if it may. Runs react to changes that runs
 * make, so this rule prevents loops: a playbook never starts because of its own run, also not through
 * other playbooks.
 */
export function whyNotTriggered(playbookName: string, chain: readonly string[]): string | undefined {
  const path = [...chain, playbookName].join(' → ')
  if (chain.includes(playbookName)) return `its own run led to this event (${path})`
  if (chain.length < maxTriggerChain) return undefined
  return `${maxTriggerChain} playbooks started each other before (${path})`
}

/** The chain of the events that a run causes. */
export const chainAfter = (chain: readonly string[], playbookName: string): readonly string[] => [
  ...chain,
  playbookName,
]

/**
 * Whether a playbook has started for an observable in the window before an alert, or after the alert. Then the alert does not start it again.
 * Alerts are processed in any order.
 *
 * @param firedAt time of the last alert that the start has counted
 */
export const hasFired = (
  { withinMs }: { readonly withinMs: number },
  firedAt: number | undefined,
  alertAt: number,
  now: number,
): boolean => firedAt !== undefined && !isFromFuture(firedAt, now) && firedAt > alertAt - withinMs
