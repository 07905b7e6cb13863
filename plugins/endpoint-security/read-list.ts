import { collectPages, SkillError, valueAt, type HttpClient } from 'tocsin/plugin'
import { odataFilter, type Wanted } from './odata.ts'
import type { Permission } from './permissions.ts'
import { refusal, refusals, saysNotFound } from './vendor-error.ts'

export interface ListOptions<T extends { readonly id: string }> {
  readonly path: string
  /** What the call needs. */
  readonly needs: Permission
  readonly decode: (record: unknown) => T
  readonly filter?: Readonly<Record<string, Wanted | undefined>>
  /** Other query parameters. */
  readonly query?: Readonly<Record<string, string>>
  readonly limit: number
  /** Records of one answer, so that it stays below the cap on a body. Default 1000. */
  readonly pageSize?: number
}

export interface Listed<T> {
  readonly items: readonly T[]
  readonly truncated: boolean
}

/**
 * Reads a list page by page with `$top` and `$skip`. Without `$top` the vendor gives links to next pages, some of them endless
 * or without the question's parameters; they are never followed. A 404 of the vendor means an empty list.
 */
export async function readList<T extends { readonly id: string }>(
  http: HttpClient,
  options: ListOptions<T>,
): Promise<Listed<T>> {
  const { path, needs, decode, limit, pageSize = 1000 } = options
  const question = { ...options.query, $filter: odataFilter(options.filter ?? {}) }
  const { items, complete } = await collectPages<T>({
    // One more than wanted tells whether there are more.
    limit: limit + 1,
    pageSize,
    idOf: ({ id }) => id,
    fetch: async ({ offset, size }) => {
      const query = { ...question, $top: size, $skip: offset === 0 ? undefined : offset }
      const response = await http.get(path, { query, accept: refusals })
      if (saysNotFound(response)) return []
      if (response.status >= 400) throw refusal(`GET ${path}`, response, needs)
      return recordsIn(response.json(), path).map((record) => decode(record))
    },
  })
  return { items: items.slice(0, limit), truncated: !complete || items.length > limit }
}

/**
 * Reads a list that the vendor gives whole.
 *
 * @throws SkillError `not_found` or `resource_not_found` where the vendor does not know what it is a list of
 */
export async function readAll<T>(
  http: HttpClient,
  path: string,
  needs: Permission,
  decode: (record: unknown) => T,
): Promise<readonly T[]> {
  const response = await http.get(path, { accept: refusals })
  if (response.status >= 400) throw refusal(`GET ${path}`, response, needs)
  return recordsIn(response.json(), path).map((record) => decode(record))
}

function recordsIn(body: unknown, path: string): readonly unknown[] {
  const records = valueAt(body, 'value')
  if (Array.isArray(records)) return records
  throw new SkillError('bad_response', `the answer of ${path} lacks the list 'value'`, {
    hint: 'check endpoint_api_url: it ends before /api and must not lead to a sign-in page or a proxy',
  })
}
