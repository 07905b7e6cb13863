import QuickLRU from 'quick-lru'
import { isObject } from '../../../core/plugin/index.ts'
import type { VaultSettings } from '../../config/secret-settings.ts'
import { Unresolved } from '../sources/unresolved.ts'
import type { VaultAnswer, VaultHttp } from './vault-http.ts'
import type { VaultSession } from './vault-session.ts'

export interface ReadOptions {
  /** The other system refused the cached value. */
  readonly isRefused: boolean
}

/** Reads secrets of the KV version 2 engine. */
export interface VaultReader {
  /** @param path within the engine. Rejects with `Unresolved`. */
  read(path: readonly string[], key: string, options: ReadOptions): Promise<string>
}

export interface VaultReaderOptions {
  readonly settings: Pick<VaultSettings, 'mount' | 'cacheMs' | 'graceMs'>
  readonly http: VaultHttp
  readonly session: VaultSession
  /** Monotonic, in milliseconds. Default: that of the process. */
  readonly nowMs?: () => number
  /** Vault cannot be reached, and a value from before is used. */
  readonly onGrace: (path: string, why: string) => void
}

type Values = Readonly<Record<string, unknown>>

interface Cached {
  readonly values: Values
  readonly at: number
}

const maxPaths = 10_000

/**
 * A secret is used for `cacheMs` without asking again, and for `graceMs` longer while Vault cannot be reached: a restart of Vault should
 * not stop investigations. A refusal by Vault, such as for a deleted secret, counts at once.
 */
export function createVaultReader(options: VaultReaderOptions): VaultReader {
  const { settings, onGrace, nowMs = () => performance.now() } = options
  const cache = new QuickLRU<string, Cached>({ maxSize: maxPaths })
  const underWay = new Map<string, Promise<Values>>()

  async function fetchInto(id: string, path: readonly string[]): Promise<Values> {
    try {
      const values = await fetchSecret(options, path)
      cache.set(id, { values, at: nowMs() })
      return values
    } catch (error) {
      if (!(error instanceof Unresolved && error.isTemporary)) cache.delete(id)
      throw error
    } finally {
      underWay.delete(id)
    }
  }

  function fetchOnce(id: string, path: readonly string[]): Promise<Values> {
    const known = underWay.get(id)
    if (known !== undefined) return known
    const work = fetchInto(id, path)
    underWay.set(id, work)
    return work
  }

  async function valuesAt(path: readonly string[], { isRefused }: ReadOptions): Promise<Values> {
    const id = path.join('/')
    const cached = cache.get(id)
    const age = cached === undefined ? Infinity : nowMs() - cached.at
    if (cached !== undefined && age < settings.cacheMs && !isRefused) return cached.values
    try {
      return await fetchOnce(id, path)
    } catch (error) {
      const isTemporary = error instanceof Unresolved && error.isTemporary
      if (cached === undefined || !isTemporary || isRefused || age >= settings.cacheMs + settings.graceMs)
        throw error
      onGrace(id, error.message)
      return cached.values
    }
  }

  return {
    async read(path, key, how) {
      const values = await valuesAt(path, how)
      const value = Object.hasOwn(values, key) ? values[key] : undefined
      if (typeof value === 'string' && value !== '') return value
      const what = value === undefined ? `has no key '${key}'` : `has no text under '${key}'`
      throw new Unresolved(`the secret ${what}`, 'correct the key behind #, or the secret')
    },
  }
}

async function fetchSecret(
  { http, session, settings }: VaultReaderOptions,
  path: readonly string[],
): Promise<Values> {
  const ask = (token: string) =>
    http.send({ method: 'GET', path: [...settings.mount.split('/'), 'data', ...path], token })
  const token = await session.token()
  let answer = await ask(token)
  // 403 means a policy, or a token that has ended.
  if (answer.status === 403 && !(await session.isAccepted(token))) answer = await ask(await session.token())
  return valuesIn(answer)
}

function valuesIn({ status, json }: VaultAnswer): Values {
  const data = json?.['data']
  const [values, metadata] = isObject(data) ? [data['data'], data['metadata']] : []
  if (status === 200 && isObject(values)) return values
  if (status === 404 && isObject(metadata))
    throw new Unresolved('its newest version is deleted', 'write a new version, or restore the deleted one')
  if (status === 404)
    throw new Unresolved(
      'there is no such secret',
      'write it, or correct the reference; the operator sets its folder with TOCSIN_VAULT_MOUNT and TOCSIN_VAULT_PATH',
    )
  if (status === 403)
    throw new Unresolved(
      'Vault denies access',
      'allow the server to read this path, in the policy of its token',
    )
  throw new Unresolved(
    `Vault answered ${status} without the secret`,
    'check that TOCSIN_VAULT_MOUNT is a KV engine of version 2',
  )
}
