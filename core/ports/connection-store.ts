import type { Actor } from '../domain/audit.ts'
import type { Connection, ConnectionFailure } from '../domain/connection.ts'
import type { Secret } from '../plugin/index.ts'
import type { Scope, SeenRevision } from './common.ts'

export interface ConnectionStore {
  /** Secrets are encrypted at rest. Throws ConflictError `connection_exists`. */
  create(organizationUuid: string, connection: NewConnection, by: Actor): Promise<Connection>
  list(scope: Scope): Promise<readonly Connection[]>
  /** With its secrets, for calling skills. Name compared ignoring case. */
  open(organizationUuid: string, name: string): Promise<OpenConnection | undefined>
  /**
   * Throws NotFoundError `connection_not_found`, ConflictError `revision_changed`.
   *
   * @param changes or what makes them of what is stored, which nobody else changes meanwhile; what it throws leaves all as it is
   */
  update(
    organizationUuid: string,
    uuid: string,
    changes: ConnectionChanges | ((stored: StoredConnection) => ConnectionChanges),
    revision: SeenRevision,
    by: Actor,
  ): Promise<Connection>
  /** With its secrets. Throws NotFoundError `connection_not_found`, ConflictError `revision_changed`. */
  remove(organizationUuid: string, uuid: string, revision: SeenRevision, by: Actor): Promise<void>
  /**
   * The token that stands in the addresses to which the other system sends. Belongs to this connection alone, from its creation
   * until its end. Throws NotFoundError `connection_not_found`.
   */
  eventsToken(organizationUuid: string, uuid: string): Promise<Secret>
  /** Another token takes its place, at once. Throws NotFoundError `connection_not_found`. */
  rotateEventsToken(organizationUuid: string, uuid: string, by: Actor): Promise<Connection>
  /** The connection that a token belongs to, with its secrets. */
  openByEventsToken(token: string): Promise<OpenConnection | undefined>
  /**
   * Its credentials work, as was found out at `asOf` (epoch milliseconds): what made it broken or was a warning until then is
   * forgotten. `warning`: what is to be said about it now. Throws NotFoundError `connection_not_found`.
   */
  works(
    organizationUuid: string,
    uuid: string,
    found: { readonly asOf: number; readonly warning: string | null },
    by: Actor,
  ): Promise<Connection>
  /** Keeps how it was refused; null: it has worked. Nothing happens to one that is gone. */
  used(organizationUuid: string, uuid: string, failure: ConnectionFailure | null): Promise<void>
}

/** What is absent stays as it is. With settings or secrets, what made it broken or was a warning is forgotten. */
export interface ConnectionChanges {
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** All of them, entered now: one that is not named is deleted. */
  readonly secrets?: Readonly<Record<string, Secret>> | undefined
  readonly enabled?: boolean | undefined
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
}

export interface OpenConnection {
  readonly connection: Connection
  readonly secrets: Readonly<Record<string, Secret>>
}
