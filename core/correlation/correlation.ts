/**
 * Decides which case an alert joins: alerts of an organization with the same key within a time window share a
 * case, but each is investigated by a separate run. Unlike the groups of repeats, keys span alert types,
 * providers and playbooks.
 */
export interface NewCorrelation {
  /** In the order of the rules: the first match decides. At least one. */
  readonly keys: readonly CorrelationKey[]
  /** Rules that do not apply because a value is too common to relate alerts, as sentences for the timeline. */
  readonly skipped: readonly string[]
  /** Title of the case if the alert opens one. */
  readonly caseTitle: string
}

/** The values that one rule compares. */
export interface CorrelationKey {
  /** SHA-256 of the names and values. */
  readonly key: Uint8Array
  /** Why alerts with this key are related, phrased to follow "because". */
  readonly reason: string
  /** Milliseconds after the last alert with the key. */
  readonly windowMs: number
  /** Maximum number of investigated alerts of a case that alerts join. */
  readonly max: number
}

export const defaultCorrelation = { withinMs: 86_400_000, max: 100 } as const
export const correlationBounds = {
  withinMs: [1_000, 30 * 86_400_000],
  max: [2, 1_000],
  rules: 5,
  names: 5,
} as const
