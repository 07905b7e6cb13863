import type { Unjudged } from './recording.ts'

/**
 * What to do about a call or question that was not recorded: the alert cannot be judged (`fail`), the reply is the example of the
 * skill and people do not answer (`assume`), or read-only skills make real calls (`live`).
 */
export const newInputPolicies = ['fail', 'assume', 'live'] as const
export type NewInputPolicy = (typeof newInputPolicies)[number]

/**
 * The policy of a replay. `shadow` makes real calls of read-only skills like `live`, and nobody answers a question that was not
 * asked in the recorded run: that it would be asked is a part of the decision.
 */
export type ReplayPolicy = NewInputPolicy | 'shadow'

/** Notes of a replay besides its journal. */
export interface ReplayNotes {
  readonly connection: (path: string, name: string) => void
  readonly assume: (text: string) => void
  /** The first reason counts. */
  readonly cannotJudge: (reason: Unjudged) => void
}

export function createNotes() {
  const connections = new Map<string, string>()
  const assumed: string[] = []
  let unjudged: Unjudged | undefined
  return {
    connection: (path: string, name: string) => void connections.set(path, name),
    assume: (text: string) => void (assumed.length < maxAssumed && assumed.push(text)),
    cannotJudge: (reason: Unjudged) => void (unjudged ??= reason),
    taken: () => ({ connections, assumed, unjudged }),
  }
}

const maxAssumed = 20
