import { canonicalJson } from '../../../core/audit/canonical-json.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import type { RecalledWork } from '../../../core/ports/access/request-store.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { needsCaller } from '../caller/caller.ts'
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
    'Chosen by the sender, e.g. a uuid: repeating a request with the same key within 24 hours has no further effect, and answers ' +
    'with the result of the first one and `Idempotency-Replayed: true`.',
} as const

/** How long a key is kept, in milliseconds. */
export const idempotencyKeepMs = 24 * 60 * 60 * 1_000

/** By default, every POST that creates something with an API key. */
export function isOnce({ method, status, access, once }: Route): boolean {
  return once ?? (method === 'POST' && status !== 200 && needsCaller(access))
}

/** The headers of a route, including `idempotency-key`. */
export function headersOf(route: Route): JsonSchema | undefined {
  if (!isOnce(route)) return route.headers
  return {
    type: 'object',
    ...route.headers,
    properties: { ...route.headers?.properties, 'idempotency-key': idempotencyKey },
  }
}

/** Path parameters that ignore case. */
const caseless: ReadonlySet<string> = new Set(['alert', 'case', 'organization', 'provider', 'connection'])

/** The target of a request, independent of the spelling of its path. */
export function requestTarget({ method, path }: Route, params: Readonly<Record<string, string>>): string {
  const values = Object.entries(params).map(([name, value]) =>
    caseless.has(name) ? value.toLowerCase() : value,
  )
  return canonicalJson([method, path, ...values])
}

type Sent = Pick<ApiRequest<unknown, unknown, unknown>, 'query' | 'body' | 'stream' | 'headers' | 'caller'>

/**
 * Handles a request once per idempotency key.
 *
 * @param target see `targetOf`
 * @throws RequestError `idempotency_key_reused`, `request_interrupted`
 */
export async function handleOnce(
  { requests }: Pick<Stores, 'requests'>,
  target: string,
  { query, body, stream, headers, caller }: Sent,
  handle: () => Promise<Answer>,
  recall?: RecalledWork<Answer>,
  streamed?: Route['stream'],
): Promise<Answer> {
  const key = headers['idempotency-key']?.toString()
  if (key === undefined) return await handle()
  // An address with a key must not be stored.
  const { key: _, ...parameters } = query as Readonly<Record<string, unknown>>
  const asks = canonicalJson([target, parameters, body])
  let shown: Answer | undefined
  const { answer, replayed } = await requests
    .once(
      { apiKeyUuid: caller.uuid, key, asks, keepMs: idempotencyKeepMs },
      async () => {
        shown = await handle()
        return kept(shown)
      },
      recall,
    )
    .catch((error: unknown) => {
      throw (error instanceof ConflictError && refusals[error.code]?.(error)) || error
    })
  if (replayed && streamed !== undefined && !streamed.isSame(answer, await stream.sha256()))
    throw idempotencyKeyReused('request')
  return replayed
    ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
    : (shown ?? answer)
}

/** Values shown once are not stored. */
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

/** @param what the kind of thing the key was used for */
export const idempotencyKeyReused = (what: string): RequestError =>
  new RequestError('idempotency_key_reused', 'The Idempotency-Key was used before with another body.', {
    hint: `use a new key for each new ${what}, and the same body for each repetition`,
    errors: [{ pointer: '/idempotency-key', message: `belongs to another ${what}` }],
  })
