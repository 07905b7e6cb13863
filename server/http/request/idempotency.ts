import { canonicalJson } from '../../../core/audit/canonical-json.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import type { RecalledWork } from '../../../core/ports/access/request-store.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { patterns } from './patterns.ts'
import { RequestError } from './request-error.ts'
import type { Answer, ApiRequest, Route } from '../routing/route.ts'

/** The header `Idempotency-Key`. */
export const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  ...patterns.idempotencyKey,
  description:
    'Chosen by the sender, e.g. a uuid: repeating a request with the same key within 24 hours does nothing more, and answers ' +
    'with what the first one made and `Idempotency-Replayed: true`.',
} as const

/** How long a key is kept, in milliseconds. */
export const idempotencyKeepMs = 24 * 60 * 60 * 1_000

/** Every POST that makes something, but for those that see to it themselves and those that are for nobody's key; others say so. */
export function isOnce({ method, status, access, once }: Route): boolean {
  return once ?? (method === 'POST' && status === 201 && typeof access !== 'string')
}

/** The headers a route reads, with those that belong to what it does. */
export function headersOf(route: Route): JsonSchema | undefined {
  if (!isOnce(route)) return route.headers
  return {
    type: 'object',
    ...route.headers,
    properties: { ...route.headers?.properties, 'idempotency-key': idempotencyKey },
  }
}

/** Ids and names in paths whose letter case does not matter. */
const caseless: ReadonlySet<string> = new Set(['alert', 'case', 'organization', 'provider', 'connection'])

/** What a request is about, however its path is spelt. */
export function targetOf({ method, path }: Route, params: Readonly<Record<string, string>>): string {
  const values = Object.entries(params).map(([name, value]) =>
    caseless.has(name) ? value.toLowerCase() : value,
  )
  return canonicalJson([method, path, ...values])
}

type Sent = Pick<ApiRequest<unknown, unknown, unknown>, 'query' | 'body' | 'headers' | 'caller'>

/**
 * Handles a request once for its key, where it has one.
 *
 * @param target see `targetOf`
 * @throws RequestError `idempotency_key_reused`, `request_interrupted`
 */
export async function handleOnce(
  { requests }: Pick<Stores, 'requests'>,
  target: string,
  { query, body, headers, caller }: Sent,
  handle: () => Promise<Answer>,
  recall?: RecalledWork<Answer>,
): Promise<Answer> {
  const key = headers['idempotency-key']?.toString()
  if (key === undefined) return await handle()
  const asks = canonicalJson([target, query, body])
  let shown: Answer | undefined
  const { answer, replayed } = await requests
    .once(
      { apiKeyUuid: caller.keyUuid, key, asks, keepMs: idempotencyKeepMs },
      async () => {
        shown = await handle()
        return kept(shown)
      },
      recall,
    )
    .catch((error: unknown) => {
      throw (error instanceof ConflictError && refusals[error.code]?.(error)) || error
    })
  return replayed
    ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
    : (shown ?? answer)
}

/** What is shown once is not kept. */
function kept({ unkept = [], ...answer }: Answer): Answer {
  if (unkept.length === 0) return answer
  const fields = Object.entries(answer.body ?? {}) as [string, unknown][]
  return {
    ...answer,
    body: Object.fromEntries(fields.map(([name, value]) => [name, unkept.includes(name) ? null : value])),
  }
}

const refusals: Readonly<Record<string, (error: ConflictError) => RequestError>> = {
  idempotency_key_reused: () => idempotencyKeyReused('request'),
  request_interrupted: ({ message, hint }) =>
    new RequestError('request_interrupted', `${message}.`, hint === undefined ? {} : { hint }),
}

/** @param what the key was sent with before */
export const idempotencyKeyReused = (what: string): RequestError =>
  new RequestError('idempotency_key_reused', 'The Idempotency-Key was sent before, with another body.', {
    hint: `send a new key with each new ${what}, and the same body with each repetition`,
    errors: [{ pointer: '/idempotency-key', message: `belongs to another ${what}` }],
  })
