/** How a person can sign in. Secrets are hashed, or encrypted at rest. */
export interface AccountCredentials {
  /** Of the password; null: none. */
  readonly passwordHash: string | null
  /** Epoch milliseconds. */
  readonly passwordChangedAt: number | null
  readonly totp: TotpCredential | null
  /** Recovery codes that are left. */
  readonly recoveryCodes: number
  readonly passkeys: readonly Passkey[]
}

/** A secret for one-time codes (RFC 6238). */
export interface TotpCredential {
  /** In base32. */
  readonly secret: string
  /** When the person entered a first code, in epoch milliseconds; null: offered, and not in use yet. */
  readonly confirmedAt: number | null
  /** The time step of the last accepted code: this and earlier steps are refused. */
  readonly lastStep: number
}

/** A WebAuthn credential. */
export interface Passkey extends NewPasskey {
  readonly uuid: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface NewPasskey {
  /** In base64url, as the browser names it. */
  readonly credentialId: string
  readonly publicKey: Uint8Array
  /** Uses, as the authenticator counts them; 0 if it does not. */
  readonly counter: number
  readonly transports: readonly string[]
  /** Whether the credential is synced to other devices. */
  readonly isBackedUp: boolean
  readonly name: string
}

/** An unguessable link with which a person sets a password, once. */
export interface Invitation {
  readonly uuid: string
  /** Null: for the first administrator, whose account it creates. */
  readonly accountUuid: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly usedAt: number | null
}

export const isInvitationUsable = ({ usedAt, expiresAt }: Invitation, now: number): boolean =>
  usedAt === null && now < expiresAt
