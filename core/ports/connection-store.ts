import type { Actor } from '../domain/audit.ts'
import type { Connection, ConnectionFailure } from '../domain/connection.ts'
import type { Secret } from '../plugin/index.ts'
import type { OrganizationScope, SeenRevision } from './common.ts'

export interface ConnectionStore {
  /** Secrets are encrypted at rest. Throws ConflictError `connection_exists`. */
  create(organizationUuid: string, connection: NewConnection, by: Actor): Promise<Connection>
  list(scope: OrganizationScope): Promise<readonly Connection[]>
  /** With its secrets, for calls of skills. Names are compared ignoring case. */
  open(organizationUuid: string, name: string): Promise<OpenConnection | undefined>
  /**
   * Throws NotFoundError `connection_not_found`, ConflictError `revision_changed`.
   *
   * @param changes the changes, or a function of the stored connection; if it throws, nothing changes
   */
  update(
    organizationUuid: string,
    uuid: string,
    changes: ConnectionChanges | ((stored: StoredConnection) => ConnectionChanges),
    revision: SeenRevision,
    by: Actor,
  ): Promise<Connection>
  /** Deletes the connection with its secrets. Throws NotFoundError `connection_not_found`, ConflictError `revision_changed`. */
  remove(organizationUuid: string, uuid: string, revision: SeenRevision, by: Actor): Promise<void>
  /** The token in the connection's webhook addresses, unique to the connection. Throws NotFoundError `connection_not_found`. */
  eventsToken(organizationUuid: string, uuid: string): Promise<Secret>
  /** Replaces the token immediately. Throws NotFoundError `connection_not_found`. */
  rotateEventsToken(organizationUuid: string, uuid: string, by: Actor): Promise<Connection>
  /** The connection of a token, with its secrets. */
  openByEventsToken(token: string): Promise<OpenConnection | undefined>
  /**
   * Records a successful test that began at `asOf` (epoch milliseconds): it clears older notes, and may leave a warning. The
   * account is kept with a sign-in. Throws NotFoundError `connection_not_found`.
   */
  works(organizationUuid: string, uuid: string, found: ConnectionTest, by: Actor): Promise<Connection>
  /** Records how the last use failed; null: it succeeded. Ignores a deleted connection. */
  used(organizationUuid: string, uuid: string, failure: ConnectionFailure | null): Promise<void>
}

export interface ConnectionTest {
  readonly asOf: number
  readonly warning: string | null
  readonly account?: string | undefined
}

/** Absent fields keep their values. New settings or secrets clear all notes. */
export interface ConnectionChanges {
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** All stored secrets, entered now; others are deleted. */
  readonly secrets?: Readonly<Record<string, Secret>> | undefined
  /** All references of secrets by field; others are deleted. */
  readonly secretReferences?: Readonly<Record<string, string>> | undefined
  readonly enabled?: boolean | undefined
  /** Deletes the sign-in with its tokens. Default: it stays. */
  readonly discardSignIn?: boolean | undefined
}

export interface StoredConnection {
  readonly connection: Connection
  /** Throws ConnectionError `secret_unreadable`. */
  readonly secrets: () => OpenConnection['secrets']
}

export interface NewConnection {
  readonly name: string
  readonly plugin: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, Secret>>
  /** Default: none. */
  readonly secretReferences?: Readonly<Record<string, string>>
}

export interface OpenConnection {
  readonly connection: Connection
  /** The store returns only the secrets that it keeps; `SecretResolver` adds the others. */
  readonly secrets: Readonly<Record<string, Secret>>
  /** Replaced values of references, which are still redacted. Default: none. */
  readonly formerSecrets?: readonly string[] | undefined
  /** The tokens of its sign-in. Default: none. */
  readonly tokens?: SignInTokens | undefined
}

/** Gives the access token of a sign-in. Both reject with ConnectionError `sign_in_needed`, or like a token request. */
export interface SignInTokens {
  /** Digest of the client and the addresses that they may be sent to. */
  readonly client: string
  get(): Promise<string>
  /** A token other than `refused`, which the other system rejected; undefined if there is no other. */
  replace(refused: string): Promise<string | undefined>
}
