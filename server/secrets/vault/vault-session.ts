import { isObject, type Secret } from '../../../core/plugin/index.ts'
import type { VaultAuth } from '../../config/secret-settings.ts'
import { readSecretFile } from '../sources/secret-file.ts'
import { Unresolved } from '../sources/unresolved.ts'
import type { VaultAnswer, VaultHttp } from './vault-http.ts'

export interface VaultSessionOptions {
  readonly auth: VaultAuth
  readonly http: VaultHttp
  /** Called with every credential and token. */
  readonly onSecret: (secret: string) => void
}

interface Lease {
  readonly token: string
  /** Seconds; 0: without end. */
  readonly seconds: number
  readonly isRenewable: boolean
}

/** Minimum delay before a refused sign-in is repeated. */
const afterRefusalMs = 5_000
const longestTimerMs = 2_000_000_000
/** A shorter lease is not renewed. */
const shortestLifeMs = 1_000
/** Used when the renewal itself fails. */
const renewAgainMs = 10_000

/** The token of Vault: signs in when it is first needed, renews it, and signs in again when it has ended. */
export class VaultSession {
  readonly #options: VaultSessionOptions
  #current: { readonly lease: Lease; readonly endsAt: number } | undefined
  #signingIn: Promise<Lease> | undefined
  #refusal: { readonly error: Unresolved; readonly until: number } | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: VaultSessionOptions) {
    this.#options = options
  }

  /** Rejects with `Unresolved`. */
  async token(): Promise<string> {
    const current = this.#current
    if (current !== undefined && performance.now() < current.endsAt) return current.lease.token
    this.#signingIn ??= this.#signIn().finally(() => (this.#signingIn = undefined))
    return (await this.#signingIn).token
  }

  /** Whether Vault still accepts the token. If not, it is not used again. */
  async isAccepted(token: string): Promise<boolean> {
    if (this.#current?.lease.token !== token) return false
    const isAlive = (await lookUp(this.#options.http, token)).status === 200
    if (!isAlive) this.#drop(token)
    return isAlive
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #signIn(): Promise<Lease> {
    const { auth, http } = this.#options
    const refusal = this.#refusal
    if (refusal !== undefined && performance.now() < refusal.until) throw refusal.error
    try {
      const lease =
        auth.kind === 'token'
          ? await ownToken(http, await this.#reveal(auth.token))
          : await this.#appRole(auth)
      this.#hold(lease)
      return lease
    } catch (error) {
      const isRefusal = error instanceof Unresolved && !error.isTemporary
      if (isRefusal) this.#refusal = { error, until: performance.now() + afterRefusalMs }
      throw error
    }
  }

  async #appRole({ mount, roleId, secretId }: Extract<VaultAuth, { kind: 'approle' }>): Promise<Lease> {
    const body = {
      role_id: await this.#reveal(roleId),
      ...(secretId !== undefined && { secret_id: await this.#reveal(secretId) }),
    }
    const path = ['auth', ...mount.split('/'), 'login']
    const answer = await this.#options.http.send({ method: 'POST', path, token: undefined, body })
    if (answer.status === 200) return leaseIn(answer)
    throw new Unresolved(
      `Vault refused the sign-in of the server (${answer.status})`,
      'check TOCSIN_VAULT_ROLE_ID, TOCSIN_VAULT_SECRET_ID, TOCSIN_VAULT_AUTH_MOUNT and TOCSIN_VAULT_NAMESPACE; a secret id may have expired',
    )
  }

  async #reveal(secret: Secret): Promise<string> {
    const text = secret.reveal()
    const value = text.startsWith('file:') ? await readSecretFile(text.slice('file:'.length)) : text
    this.#options.onSecret(value)
    return value
  }

  #hold(lease: Lease): void {
    this.#options.onSecret(lease.token)
    clearTimeout(this.#timer)
    const lifeMs = lease.seconds === 0 ? Infinity : lease.seconds * 1_000
    this.#current = { lease, endsAt: performance.now() + lifeMs }
    // Near its maximum lifetime, renewals get shorter: the token is then left to expire, and the next
    // use signs in.
    if (lease.isRenewable && lifeMs >= shortestLifeMs && lifeMs !== Infinity) this.#renewIn((lifeMs * 2) / 3)
  }

  #drop(token: string): void {
    if (this.#current?.lease.token !== token) return
    clearTimeout(this.#timer)
    this.#current = undefined
  }

  #renewIn(delayMs: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#renew(), Math.min(delayMs, longestTimerMs))
    this.#timer.unref()
  }

  async #renew(): Promise<void> {
    const { http } = this.#options
    const held = this.#current?.lease
    if (held === undefined) return
    try {
      const body = { increment: `${held.seconds}s` }
      const path = ['auth', 'token', 'renew-self']
      const answer = await http.send({ method: 'POST', path, token: held.token, body })
      if (answer.status !== 200) return this.#drop(held.token)
      const renewed = leaseIn(answer, held.token)
      if (this.#current?.lease === held) this.#hold(renewed)
    } catch {
      if (this.#current?.lease === held) this.#renewIn(renewAgainMs)
    }
  }
}

const lookUp = (http: VaultHttp, token: string): Promise<VaultAnswer> =>
  http.send({ method: 'GET', path: ['auth', 'token', 'lookup-self'], token })

async function ownToken(http: VaultHttp, token: string): Promise<Lease> {
  const { status, json } = await lookUp(http, token)
  const data = json?.['data']
  if (status !== 200 || !isObject(data))
    throw new Unresolved(
      `Vault refused the token of the server (${status})`,
      'set TOCSIN_VAULT_TOKEN to a token that has not expired, and check TOCSIN_VAULT_NAMESPACE',
    )
  if (Number(data['num_uses'] ?? 0) > 0)
    throw new Unresolved(
      'the token of the server has a limited number of uses',
      'create TOCSIN_VAULT_TOKEN without such a limit',
    )
  return { token, seconds: secondsIn(data['ttl']), isRenewable: data['renewable'] === true }
}

function leaseIn({ json }: VaultAnswer, known?: string): Lease {
  const auth = json?.['auth']
  const token = isObject(auth) ? (known ?? auth['client_token']) : undefined
  if (!isObject(auth) || typeof token !== 'string' || token === '')
    throw new Unresolved('Vault gave no token', 'check TOCSIN_VAULT_AUTH_MOUNT')
  return { token, seconds: secondsIn(auth['lease_duration']), isRenewable: auth['renewable'] === true }
}

const secondsIn = (value: unknown): number => {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0
}
