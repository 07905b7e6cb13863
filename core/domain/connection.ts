/** A named set of settings and secrets for a plugin. Secrets are stored separately and encrypted, or kept elsewhere. */
export interface Connection {
  readonly uuid: string
  readonly organizationUuid: string
  /** The instance name: unique within the organization, ignoring case. */
  readonly name: string
  readonly plugin: string
  /** Fields of the plugin's schema that are not secret. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Secrets that are kept elsewhere, by field: references such as `vault:intel#api_key`, read at each use. */
  readonly secretReferences: Readonly<Record<string, string>>
  readonly enabled: boolean
  /** Starts at 1 and rises with each edit. */
  readonly revision: number
  /** When its stored secrets were last entered, in epoch milliseconds; null if it has none. */
  readonly secretsAt: number | null
  /** Why it cannot be used; null if it can. Cleared by an edit or a successful test of its credentials. */
  readonly broken: ConnectionNote | null
  /** A warning of the other system for the operator; cleared like `broken`. */
  readonly warning: ConnectionNote | null
  /** The latest refusal of its credentials or settings; null if none since the last edit or success. */
  readonly lastFailure: ConnectionFailure | null
  /** The sign-in of an administrator to the other system; null: none. Without its tokens. */
  readonly signIn: ConnectionSignIn | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}

/** An OAuth 2.0 sign-in to the other system. Times are epoch milliseconds. */
export interface ConnectionSignIn {
  /** Changes with each sign-in. */
  readonly id: string
  readonly at: number
  /** Name of the API key that signed in. */
  readonly by: string
  /** The account, as the latest test of the connection reported it. */
  readonly account: string | null
  /** The granted scope; null: the vendor did not say. */
  readonly scope: string | null
  /** Digest of the client and the addresses that the tokens belong to. */
  readonly client: string
  /** Whether there is a refresh token. */
  readonly isRenewable: boolean
  /** When the access token should be renewed, and when it expires; null: the vendor did not say. */
  readonly renewAt: number | null
  readonly expiresAt: number | null
  readonly renewedAt: number | null
  /** A renewal has begun whose outcome is not recorded yet; null: none. */
  readonly renewingSince: number | null
  /** The node that renews it. Default: an earlier version did not record it. */
  readonly renewingOn?: string | undefined
  /** Why a new sign-in is needed; null: it is not. */
  readonly ended: ConnectionNote | null
}

/** Why an administrator must sign in again; undefined: the sign-in can be used. */
export function signInProblem(signIn: ConnectionSignIn | null, now: number): ConnectionNote | undefined {
  if (signIn === null) return { reason: 'not signed in yet', at: 0 }
  if (signIn.ended !== null) return signIn.ended
  const { isRenewable, expiresAt } = signIn
  if (isRenewable || expiresAt === null || now < expiresAt) return undefined
  return { reason: 'the access token has expired, and the vendor gave no refresh token', at: expiresAt }
}

/** A note about the state of a connection. */
export interface ConnectionNote {
  /** One sentence for the operator. */
  readonly reason: string
  /** Epoch milliseconds. */
  readonly at: number
}

export interface ConnectionFailure {
  /** Code of the error, e.g. `http_401`. */
  readonly code: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** One sentence for the operator. */
export const failureText = ({ code }: ConnectionFailure): string =>
  `the other system refused its last use (${code}): test the connection for details`

/** From this age on, credentials should be replaced. */
export const credentialDays = 90

const dayMs = 86_400_000

/** Age of the credentials in whole days; null if there are none. */
export function credentialAgeDays({ secretsAt }: Connection, now: number): number | null {
  return secretsAt === null ? null : Math.max(0, Math.floor((now - secretsAt) / dayMs))
}
