/** A named set of settings and secrets for a plugin. Secrets are held apart, encrypted. */
export interface Connection {
  readonly uuid: string
  readonly organizationUuid: string
  /** The instance name: unique within the organization, ignoring case. */
  readonly name: string
  readonly plugin: string
  /** Fields of the plugin's schema that are not secret. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly enabled: boolean
  /** Counts its edits, from 1. */
  readonly revision: number
  /** When its secrets were last entered, epoch milliseconds; null where it has none. */
  readonly secretsAt: number | null
  /** Why it cannot be used, until it was edited or its credentials were found to work; null where it can. */
  readonly broken: ConnectionNote | null
  /** What its other system said that an operator should know; ends like `broken`. */
  readonly warning: ConnectionNote | null
  /** How its credentials or settings were refused the last time; null: never, or they were edited or have worked since. */
  readonly lastFailure: ConnectionFailure | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}

/** What became known of a connection. */
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

/** In one sentence for the operator. */
export const failureText = ({ code }: ConnectionFailure): string =>
  `it was refused when it was used the last time (${code}): authenticate it to see why`

/** From this age on, credentials should be replaced. */
export const credentialDays = 90

const dayMs = 86_400_000

/** Age of the credentials in whole days; null where there are none. */
export function credentialAgeDays({ secretsAt }: Connection, now: number): number | null {
  return secretsAt === null ? null : Math.max(0, Math.floor((now - secretsAt) / dayMs))
}
