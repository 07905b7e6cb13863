import type { Actor } from '../domain/audit.ts'
import type { Connection, ConnectionSignIn } from '../domain/connection.ts'
import type { Secret } from '../plugin/index.ts'

/** The sign-ins of connections. Their tokens are encrypted at rest. All throw NotFoundError `connection_not_found`. */
export interface SignInStore {
  /**
   * Stores a completed sign-in, which replaces an earlier one. Throws ConflictError `revision_changed`.
   *
   * @param revision of the connection when the sign-in started
   */
  save(of: ConnectionId, made: NewSignIn, revision: number, by: Actor): Promise<Connection>
  /** Undefined: there is none. Throws ConnectionError `secret_unreadable`. */
  open(of: ConnectionId): Promise<OpenSignIn | undefined>
  /** Records that a renewal begins. False: the sign-in was replaced, ended or deleted, or another node renews it. */
  beginRenewal(of: ConnectionId, id: string): Promise<boolean>
  /** Records the outcome of a renewal. Ignored if the sign-in was replaced or deleted. */
  endRenewal(of: ConnectionId, id: string, outcome: RenewalOutcome): Promise<void>
  /** Deletes the sign-in with its tokens. False: there is none. */
  remove(of: ConnectionId, by: Actor): Promise<boolean>
  /** Ends all sign-ins with a renewal whose outcome was not recorded by a process that is not among the nodes. Gives their number. */
  endInterrupted(reason: string): Promise<number>
}

export interface ConnectionId {
  readonly organizationUuid: string
  readonly uuid: string
}

export interface GrantedTokens {
  readonly access: Secret
  /** Undefined: none. */
  readonly refresh: Secret | undefined
}

export interface NewSignIn
  extends Pick<ConnectionSignIn, 'client' | 'scope' | 'renewAt' | 'expiresAt'>, GrantedTokens {}

export interface OpenSignIn {
  readonly signIn: ConnectionSignIn
  /** Undefined: deleted, because the sign-in has ended. */
  readonly access: Secret | undefined
  readonly refresh: Secret | undefined
}

/** `kept`: nothing was renewed, and the tokens are still valid. */
export type RenewalOutcome =
  | { readonly kind: 'renewed'; readonly tokens: Omit<NewSignIn, 'client'> }
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'kept' }
