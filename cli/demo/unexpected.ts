import { printable } from '../output/printable.ts'
import type { DoneByHand } from './act-by-hand.ts'
import type { FollowedIncidents } from './follow-incidents.ts'
import type { Outcome } from './post-and-await.ts'

/** Unexpected outcomes, one per line. */
export function unexpected(
  outcomes: readonly Outcome[],
  { incidents, byHand }: { incidents: FollowedIncidents | undefined; byHand: readonly DoneByHand[] },
): readonly string[] {
  return [
    ...outcomes.flatMap(ofAlert),
    ...(incidents === undefined || incidents.status === 'completed'
      ? []
      : ['the incidents could not be synchronized']),
    ...byHand
      .filter(({ outcome, expected }) => outcome !== expected)
      .map(({ story, outcome, expected }) => printable(`${story} Expected ${expected}, got ${outcome}.`)),
  ]
}

function ofAlert({ alertId, status, sample: { expected }, ...found }: Outcome): readonly string[] {
  if (status !== 'Completed') return [`${alertId} was not investigated: ${status}`]
  if (expected === undefined) return []
  return (['playbook', 'severity', 'verdict'] as const)
    .filter((key) => found[key] !== expected[key])
    .map((key) => printable(`${alertId}: its ${key} is ${found[key]}, not ${expected[key]}`))
}
