import { setTimeout as sleep } from 'node:timers/promises'
import { mayHaveHappened } from '../../../core/engine/context/retry-class.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../../core/ports/egress.ts'
import { bodyAsJson, retryAfterOf } from '../../../core/skill/http/status-error.ts'
import type { VaultSettings } from '../../config/secret-settings.ts'
import { unavailable, type Unresolved } from '../sources/unresolved.ts'

export interface VaultRequest {
  readonly method: 'GET' | 'POST'
  /** Below `/v1/`, as segments. */
  readonly path: readonly string[]
  /** Undefined: before the sign-in. */
  readonly token: string | undefined
  readonly body?: Readonly<Record<string, unknown>>
}

/** An answer of Vault itself: 200 to 299, 400, 403, 404 or another refusal. */
export interface VaultAnswer {
  readonly status: number
  /** The body; undefined if it is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

export interface VaultHttp {
  /** Rejects with a temporary `Unresolved` if no node answers. */
  send(request: VaultRequest): Promise<VaultAnswer>
}

export interface VaultHttpOptions {
  readonly settings: Pick<VaultSettings, 'addresses' | 'namespace'>
  readonly egress: Egress
  /** Receives the reason why a node did not answer, for the log of the operator. */
  readonly onTrouble: (address: string, why: string) => void
  /** Default: {@link defaultPatience}. */
  readonly patience?: Patience
}

interface Patience {
  /** For one node, and for all of them. */
  readonly nodeTimeoutMs: number
  readonly totalTimeoutMs: number
  /** Before the second round; twice as long before each further one. */
  readonly firstPauseMs: number
}

const defaultPatience: Patience = { nodeTimeoutMs: 3_000, totalTimeoutMs: 10_000, firstPauseMs: 100 }

const maxRedirects = 3
const maxRounds = 4
/** A longer `Retry-After` is left to the caller. */
const longestPauseMs = 2_000

/** The states that a node reports instead of an answer, and the hint for each. */
const nodeStates: Readonly<Record<number, readonly [string, string]>> = {
  412: ['the node is behind the others', 'check the replication of Vault'],
  429: ['too many requests', 'check the rate limit quotas of Vault'],
  472: ['the node is a disaster recovery secondary', 'use the address of the active cluster'],
  473: ['the node is a standby', 'use the address of the active node'],
  501: ['Vault is not initialized', 'initialize it'],
  503: ['Vault is sealed or in maintenance', 'unseal it'],
}

/**
 * Sends requests to the nodes of one cluster. A redirect is followed only to another configured node: the token must reach nothing
 * else.
 */
export function createVaultHttp(options: VaultHttpOptions): VaultHttp {
  const { settings, egress, onTrouble, patience = defaultPatience } = options
  const { addresses, namespace } = settings
  let preferred = addresses[0]!

  /** The answer of the cluster as this node gives it, or why there is none. */
  async function ask(address: string, request: VaultRequest): Promise<VaultAnswer | Unresolved> {
    let at = address
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const response = await egress.send(
        requestTo(at, namespace, request, AbortSignal.timeout(patience.nodeTimeoutMs)),
      )
      const { status } = response
      if (status !== 307 && status !== 308) {
        const answer = answerOf(response)
        if ('status' in answer) preferred = at
        return answer
      }
      const next = URL.parse(response.headers['location'] ?? '', at)?.origin
      if (next === undefined || !addresses.includes(next)) {
        onTrouble(at, `it redirects to ${next ?? 'no address'}, which is not in TOCSIN_VAULT_ADDRESS`)
        return unavailable(
          'Vault redirects to a node that is not configured',
          'list the addresses of all nodes in TOCSIN_VAULT_ADDRESS',
        )
      }
      at = next
    }
    return unavailable('the nodes of Vault redirect to each other', 'check the cluster of Vault')
  }

  async function askOnce(address: string, request: VaultRequest): Promise<VaultAnswer | Unresolved> {
    try {
      const answer = await ask(address, request)
      if (!('status' in answer)) onTrouble(address, answer.message)
      return answer
    } catch (error) {
      onTrouble(address, (error as Error).message)
      const failure = unavailable(
        'Vault does not answer',
        'check that it runs and that the server can reach it',
      )
      // A sign-in may use up a secret id: it is not sent twice if it may have arrived.
      if (request.method === 'POST' && mayHaveHappened(error)) throw failure
      return failure
    }
  }

  return {
    async send(request) {
      const end = performance.now() + patience.totalTimeoutMs
      for (let round = 0; ; round++) {
        let trouble: Unresolved | undefined
        for (const address of [preferred, ...addresses.filter((one) => one !== preferred)]) {
          const answer = await askOnce(address, request)
          if ('status' in answer) return answer
          trouble = answer
        }
        const pauseMs = trouble?.retryAfterMs ?? patience.firstPauseMs * 2 ** round
        const isLate = performance.now() + pauseMs > end
        if (round + 1 >= maxRounds || pauseMs > longestPauseMs || isLate) throw trouble!
        await sleep(pauseMs)
      }
    },
  }
}

function requestTo(
  address: string,
  namespace: string | undefined,
  { method, path, token, body }: VaultRequest,
  signal: AbortSignal,
): EgressRequest {
  return {
    isConnection: true,
    method,
    url: `${address}/v1/${path.map(encodeURIComponent).join('/')}`,
    headers: {
      accept: 'application/json',
      'x-vault-request': 'true',
      ...(token !== undefined && { 'x-vault-token': token }),
      ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    signal,
  }
}

function answerOf(response: EgressResponse): VaultAnswer | Unresolved {
  const { status, body } = response
  const state = nodeStates[status]
  if (state !== undefined) return unavailable(...state, retryAfterOf(response, Date.now()))
  if (status >= 500) return unavailable(`Vault answered ${status}`, 'see its log')
  const json = bodyAsJson(body)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  if (!isObject && (body !== '' || status === 200))
    return unavailable(
      `the answer (${status}) is not from Vault`,
      'check TOCSIN_VAULT_ADDRESS: a proxy or a sign-in page may have answered instead',
    )
  return { status, json: isObject ? (json as VaultAnswer['json']) : undefined }
}
