/** A sign-in that waits for the answer of the identity provider. */
export interface SignOnAttempt {
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
  /** Path of the page to show after the sign-in. */
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** What is known about the provider's side of a session. */
export interface ProviderSession {
  readonly issuer: string
  readonly subject: string
  /** Tokens of the provider, encrypted with the token of the session. */
  readonly sealedTokens: Uint8Array
  /** Whether there is a refresh token. */
  readonly isRenewable: boolean
  /** When the provider last confirmed the person, in epoch milliseconds. */
  readonly checkedAt: number
}

/**
 * Whether a session can be used without asking the provider: `confirmed`; only if the provider confirms the person, or does not answer:
 * `due`; only if it confirms the person: `overdue`; not at all: `over`.
 *
 * @param recheckMs how long a confirmation lasts; while the provider does not answer, twice as long
 */
export function confirmationOf(
  { checkedAt, isRenewable }: Pick<ProviderSession, 'checkedAt' | 'isRenewable'>,
  recheckMs: number,
  now: number,
): 'confirmed' | 'due' | 'overdue' | 'over' {
  const age = now - checkedAt
  if (age < recheckMs) return 'confirmed'
  if (!isRenewable) return 'over'
  return age < 2 * recheckMs ? 'due' : 'overdue'
}
