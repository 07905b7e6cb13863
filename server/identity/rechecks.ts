import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { theServer } from '../../core/domain/audit.ts'
import type { Session } from '../../core/domain/session.ts'
import { confirmationOf, type ProviderSession } from '../../core/identity/provider-session.ts'
import { ForbiddenError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { Sessions } from '../access/sessions.ts'
import { admitPerson } from './admit-person.ts'
import type { SingleSignOn } from './single-sign-on.ts'
import { openTokens, sealTokens } from './token-seal.ts'

export interface RecheckOptions {
  readonly sessions: Sessions
  readonly singleSignOn: SingleSignOn | undefined
  readonly stores: Pick<Stores, 'accounts' | 'organizations' | 'singleSignOn'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/** After a provider that did not answer. */
const pauseMs = 60_000
/** How long a node that stops meanwhile keeps others from asking the provider. */
const claimMs = 30_000
/** Between two looks whether another node has asked. */
const lookMs = 100

/**
 * Sessions whose people the identity provider confirms from time to time: with a refresh token while the session is used, otherwise the
 * session ends. What the provider says about groups then changes the roles of the account.
 */
export function withRechecks(options: RecheckOptions): Sessions {
  const { sessions } = options
  const rechecks = new Rechecks(options)
  return {
    ...sessions,
    async use(token, isActivity) {
      const session = await sessions.use(token, isActivity)
      if (session?.method !== 'oidc') return session
      const state = await rechecks.check(session, token)
      if (state === 'confirmed') return session
      // Roles may have changed, or the session has ended.
      return state === 'rechecked' ? await sessions.use(token, false) : undefined
    },
    isOver: async (session) =>
      (await sessions.isOver(session)) || (session.method === 'oidc' && (await rechecks.isOver(session))),
  }
}

class Rechecks {
  readonly #options: RecheckOptions
  /** By uuid of the session. */
  readonly #active = new Map<string, Promise<boolean>>()
  readonly #pausedUntil = new Map<string, number>()

  constructor(options: RecheckOptions) {
    this.#options = options
  }

  async check(session: Session, token: string): Promise<'confirmed' | 'rechecked' | 'over'> {
    const { singleSignOn, stores, clock } = this.#options
    const found = await stores.singleSignOn.providerSession(session.uuid)
    if (found === undefined || found.issuer !== singleSignOn?.settings.issuer) return 'over'
    const state = confirmationOf(found, singleSignOn.settings.recheckMs, clock.now())
    if (state === 'confirmed') return 'confirmed'
    if (state === 'over') return 'over'
    if (state === 'due' && clock.now() < (this.#pausedUntil.get(session.uuid) ?? 0)) return 'confirmed'
    const isOverdue = state === 'overdue'
    const active = this.#active.get(session.uuid) ?? this.#recheck(session, found, token, isOverdue)
    this.#active.set(session.uuid, active)
    const isAnswered = await active.finally(() => this.#active.delete(session.uuid))
    if (isAnswered) return 'rechecked'
    return isOverdue ? 'over' : 'confirmed'
  }

  /** Without the token of the session, the provider cannot be asked. */
  async isOver({ uuid }: Session): Promise<boolean> {
    const { singleSignOn, stores, clock } = this.#options
    const found = await stores.singleSignOn.providerSession(uuid)
    if (found === undefined || found.issuer !== singleSignOn?.settings.issuer) return true
    return ['overdue', 'over'].includes(confirmationOf(found, singleSignOn.settings.recheckMs, clock.now()))
  }

  /**
   * Asks the provider whether a session is still valid. Only one node asks at a time, because many refresh tokens work only once. If another
   * node is asking, this waits for its result if the session is overdue, and returns at once if it is not. Returns false if there is no result.
   */
  async #recheck(
    session: Session,
    { checkedAt }: ProviderSession,
    token: string,
    isOverdue: boolean,
  ): Promise<boolean> {
    const { singleSignOn: store } = this.#options.stores
    const claim = hash('sha256', `recheck ${session.uuid}`, 'buffer')
    const giveUpAt = performance.now() + claimMs
    while (!(await store.claim(claim, this.#options.clock.now() + claimMs))) {
      if (!isOverdue || performance.now() > giveUpAt) return false
      await sleep(lookMs)
    }
    try {
      const now = await store.providerSession(session.uuid)
      if (now?.checkedAt !== checkedAt) return true // another node has asked
      return await this.#ask(session, now, token)
    } finally {
      await store.release(claim)
    }
  }

  /** Asks the provider about the person. False: it did not answer. */
  async #ask(session: Session, { subject, sealedTokens }: ProviderSession, token: string): Promise<boolean> {
    const { singleSignOn, stores, clock, log } = this.#options
    const refreshToken = openTokens(sealedTokens, token)?.refreshToken
    try {
      const now = refreshToken ? await singleSignOn!.client.refresh(refreshToken, subject) : undefined
      if (now === undefined)
        return await this.#end(session, 'the identity provider no longer accepts the refresh token')
      // Stored first: the old refresh token may be used up.
      await stores.singleSignOn.confirm(session.uuid, {
        sealedTokens: sealTokens(now, token),
        isRenewable: now.refreshToken !== null,
        checkedAt: clock.now(),
      })
      await admitPerson(now.identity, { stores, rules: singleSignOn!.settings.roles, log }, theServer)
      this.#pausedUntil.delete(session.uuid)
      return true
    } catch (error) {
      if (error instanceof ForbiddenError) return await this.#end(session, error.message)
      log.warn(
        { error, actor: nameOf(session) },
        'could not ask the identity provider about the person of a session',
      )
      if (this.#pausedUntil.size > 10_000) this.#pausedUntil.clear()
      this.#pausedUntil.set(session.uuid, clock.now() + pauseMs)
      return false
    }
  }

  async #end(session: Session, reason: string): Promise<true> {
    this.#options.log.info({ actor: nameOf(session), reason }, 'ended a session of single sign-on')
    await this.#options.sessions.end(session, theServer)
    return true
  }
}

const nameOf = ({ holder }: Session): string => ('account' in holder ? holder.account.email : holder.key.name)
