import { NotFoundError } from '../../errors/errors.ts'
import { signInProblem, type ConnectionSignIn } from '../../domain/connection.ts'
import { ConnectionError, RetryableError, type Secret } from '../../plugin/index.ts'
import type { OpenConnection, SignInTokens } from '../../ports/connection-store.ts'
import type { ConnectionId, OpenSignIn, RenewalOutcome, SignInStore } from '../../ports/sign-in-store.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { openOnce } from '../connection/open-connection.ts'
import type { SecretResolver } from '../connection/secret-resolver.ts'
import type { OnSecret } from '../redaction/redactor.ts'
import { isAnswerLost, refresh, type GrantCall, type GrantOptions } from './grants.ts'

export interface StoredTokensOptions extends GrantOptions {
  readonly store: SignInStore
  readonly catalogue: Pick<Catalogue, 'connection'>
  /** Whether this process renews tokens. Only one may: a refresh token can often be used only once. */
  readonly isRenewing: boolean
  readonly onSecret?: OnSecret | undefined
}

/** The stored tokens of sign-ins. The calls of a connection share its renewals. */
export interface StoredTokens {
  /** What calls need to exchange tokens for a connection; undefined: its plugin has no sign-in. */
  callFor(open: OpenConnection): GrantCall | undefined
  /** Adds the tokens of its sign-in to a connection; gives the same object for the same connection. */
  attach(open: OpenConnection): OpenConnection
  /** Resolves when no renewal is active. */
  idle(): Promise<void>
}

/** Shortest interval between a renewal and the next after a 401, and between two refused renewals. */
const pauseMs = 10_000

export function createStoredTokens(options: StoredTokensOptions): StoredTokens {
  const { catalogue, onSecret } = options
  const renewals = new Renewals(options)
  const attached = new WeakMap<OpenConnection, OpenConnection>()

  const callFor = (open: OpenConnection): GrantCall | undefined => {
    const definition = catalogue.connection(open.connection.plugin)
    if (definition?.signIn === undefined) return undefined
    const ready = openOnce(definition, open, onSecret)
    const { signIn: target } = ready.target
    return target && { open, definition, ready, target }
  }

  return {
    callFor,
    attach(open) {
      const known = attached.get(open)
      if (known !== undefined) return known
      const call = callFor(open)
      if (call === undefined) return open
      const withTokens = { ...open, tokens: tokensOf(call, renewals, options) }
      attached.set(open, withTokens)
      return withTokens
    },
    idle: () => renewals.idle(),
  }
}

/** A resolver that also gives connections the tokens of their sign-ins. */
export function withSignIns(secrets: SecretResolver, tokens: Pick<StoredTokens, 'attach'>): SecretResolver {
  const resolved = new WeakMap<OpenConnection, OpenConnection>()
  const attach = (open: OpenConnection): OpenConnection => {
    const withTokens = tokens.attach(open)
    resolved.set(withTokens, open)
    return withTokens
  }
  return {
    resolve: async (stored, how) => attach(await secrets.resolve(stored, how)),
    async renew(refused, signal) {
      const renewed = await secrets.renew(resolved.get(refused) ?? refused, signal)
      return renewed && attach(renewed)
    },
    values: (...given) => secrets.values(...given),
  }
}

function tokensOf(
  call: GrantCall,
  renewals: Renewals,
  { store, clock, isRenewing }: StoredTokensOptions,
): SignInTokens {
  const of = call.open.connection
  const find = async (): Promise<Usable> => usable(call, await store.open(of), clock.now())
  return {
    client: call.target.client,
    async get() {
      const { signIn, access } = await find()
      const now = clock.now()
      const isDue = signIn.isRenewable && signIn.renewAt !== null && now >= signIn.renewAt
      const isValid = signIn.expiresAt === null || now < signIn.expiresAt
      if (!isDue || (!isRenewing && isValid)) return access
      if (!isRenewing) throw onlyTheServerRenews(call)
      try {
        return await renewals.renew(call, signIn.id)
      } catch (error) {
        if (error instanceof RetryableError && isValid) return access
        throw error
      }
    },
    async replace(refused) {
      const { signIn, access } = await find()
      if (access !== refused) return access
      const isTooSoon = clock.now() - (signIn.renewedAt ?? signIn.at) < pauseMs
      if (!isRenewing || !signIn.isRenewable || isTooSoon) return undefined
      return await renewals.renew(call, signIn.id, refused)
    },
  }
}

interface Usable {
  readonly signIn: ConnectionSignIn
  readonly access: string
  readonly refresh: Secret | undefined
}

/** @throws ConnectionError `sign_in_needed` */
function usable(call: GrantCall, found: OpenSignIn | undefined, now: number): Usable {
  const problem = signInProblem(found?.signIn ?? null, now)
  if (problem !== undefined) throw signInNeeded(call, problem.reason)
  const { signIn, access, refresh } = found!
  if (signIn.client !== call.target.client)
    throw signInNeeded(call, 'the client or an address has changed since the sign-in')
  if (access === undefined) throw signInNeeded(call, 'the tokens are missing')
  return { signIn, access: access.reveal(), refresh }
}

function signInNeeded({ open: { connection } }: GrantCall, reason: string): ConnectionError {
  const { name } = connection
  return new ConnectionError('sign_in_needed', `connection '${name}' needs a sign-in: ${reason}`, {
    hint: `an administrator signs in on the page of the connection, or with POST connections/${name}/sign-in`,
    details: { connection: name },
    effect: 'none',
  })
}

function onlyTheServerRenews({ open: { connection } }: GrantCall): ConnectionError {
  const message = `the access token of connection '${connection.name}' has expired, and only the server renews it`
  return new ConnectionError('sign_in_expired', message, {
    hint: 'test the connection on its page, which renews the token, and try again',
    effect: 'none',
  })
}

/** Between two looks whether another node has renewed a token, and how long to look. */
const [lookMs, longestRenewalMs] = [250, 15_000]
const never = new AbortController().signal

/** Renews the tokens of sign-ins: concurrent callers share one renewal, which is never aborted. */
class Renewals {
  readonly #options: StoredTokensOptions
  /** By id of the sign-in. */
  readonly #active = new Map<string, Promise<string>>()
  /** Outcomes that could not be stored yet. */
  readonly #unsaved = new Map<string, RenewalOutcome>()
  readonly #refused = new Map<string, { readonly error: unknown; readonly until: number }>()

  constructor(options: StoredTokensOptions) {
    this.#options = options
  }

  /** @param refused the access token that the other system rejected. Default: it has expired. */
  renew(call: GrantCall, id: string, refused?: string): Promise<string> {
    const active = this.#active.get(id)
    if (active !== undefined) return active
    const work = this.#renew(call, id, refused).finally(() => this.#active.delete(id))
    this.#active.set(id, work)
    return work
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#active.values())
  }

  async #renew(call: GrantCall, id: string, refused: string | undefined): Promise<string> {
    const { store, clock } = this.#options
    const of = call.open.connection
    const unsaved = this.#unsaved.get(id)
    if (unsaved !== undefined) await this.#save(of, id, unsaved)
    const { signIn, access, refresh: token } = usable(call, await store.open(of), clock.now())
    const isDone = refused === undefined ? clock.now() < (signIn.renewAt ?? Infinity) : access !== refused
    // Another caller has renewed it, or someone has signed in again.
    if (isDone || token === undefined || signIn.id !== id) return access
    const last = this.#refused.get(id)
    if (last !== undefined && clock.now() < last.until) throw last.error
    if (!call.target.isReusable && !(await store.beginRenewal(of, id)))
      return await this.#awaitOther(call, id)
    return await this.#exchange(call, id, token)
  }

  /** Another node renews the sign-in, or it was replaced or ended. */
  async #awaitOther(call: GrantCall, id: string): Promise<string> {
    const { store, clock } = this.#options
    for (let waitedMs = 0; ; waitedMs += lookMs) {
      const found = usable(call, await store.open(call.open.connection), clock.now())
      const isOver = found.signIn.id !== id || found.signIn.renewingSince === null
      if (isOver || waitedMs >= longestRenewalMs) return found.access
      await clock.sleep(lookMs, never)
    }
  }

  async #exchange(call: GrantCall, id: string, token: Secret): Promise<string> {
    const { clock, onSecret } = this.#options
    const of = call.open.connection
    try {
      const tokens = await refresh(this.#options, call, token)
      for (const secret of [tokens.access, tokens.refresh]) if (secret) onSecret?.(secret.reveal())
      // On disk before its first use: with the next crash, only the stored refresh token is left.
      await this.#save(of, id, { kind: 'renewed', tokens })
      return tokens.access.reveal()
    } catch (error) {
      if (this.#unsaved.has(id)) throw error
      const reason = endOf(error, call)
      await this.#save(of, id, reason === undefined ? { kind: 'kept' } : { kind: 'ended', reason })
      if (reason !== undefined) throw signInNeeded(call, reason)
      if (error instanceof ConnectionError) this.#refuse(id, { error, until: clock.now() + pauseMs })
      throw error
    }
  }

  async #save({ organizationUuid, uuid }: ConnectionId, id: string, outcome: RenewalOutcome): Promise<void> {
    this.#unsaved.set(id, outcome)
    try {
      await this.#options.store.endRenewal({ organizationUuid, uuid }, id, outcome)
    } catch (error) {
      // A deleted connection needs no tokens.
      if (error instanceof NotFoundError) this.#unsaved.delete(id)
      throw error
    }
    this.#unsaved.delete(id)
  }

  #refuse(id: string, refusal: { readonly error: unknown; readonly until: number }): void {
    const now = this.#options.clock.now()
    for (const [each, { until }] of this.#refused) if (until <= now) this.#refused.delete(each)
    this.#refused.set(id, refusal)
  }
}

/** Refusals that concern the client, not the refresh token. */
const ofClient: ReadonlySet<unknown> = new Set([
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
])

/** Why a failed renewal ends the sign-in; undefined: it can be tried again. */
function endOf(error: unknown, { target }: GrantCall): string | undefined {
  if (isAnswerLost(error) && !target.isReusable)
    return 'the answer to a token renewal was lost, so the vendor may have replaced the refresh token'
  if (!(error instanceof ConnectionError) || error.code !== 'token_refused') return undefined
  const reason = error.details?.['reason']
  if (typeof reason !== 'string' || ofClient.has(reason)) return undefined
  return `the vendor refused to renew the tokens (${reason})`
}

/** Why sign-ins end whose renewal was active when an earlier process ended. */
export const interruptedRenewal =
  'the server stopped during a token renewal, so the vendor may have replaced the refresh token'
