import {
  collectPages,
  countAt,
  pathText,
  readRecords,
  SkillError,
  textAt,
  valueAt,
  type HttpClient,
  type JsonObject,
  type LeftOut,
  type RequestPath,
} from 'tocsin/plugin'
import { odataFilter, type WantedRecords } from './odata.ts'
import type { Permission } from '../permissions.ts'
import { refusal, vendorRefusals, saysNotFound } from '../vendor-error.ts'

export interface ListOptions<T extends { readonly id: string }> {
  readonly path: RequestPath
  /** Permission that the call needs. */
  readonly needs: Permission
  readonly decode: (record: unknown) => T
  readonly filter?: Readonly<Record<string, WantedRecords | undefined>>
  /** Additional query parameters. */
  readonly query?: Readonly<Record<string, string>>
  readonly limit: number
  /** Records per page. Default 1000; reduced if a response exceeds the size limit. */
  readonly pageSize?: number
}

interface Readable<T> extends LeftOut {
  readonly items: readonly T[]
  /** Number of unreadable records; always set. */
  readonly unreadable: number
}

export interface Listed<T> extends Readable<T> {
  readonly truncated: boolean
}

/**
 * Reads a list page by page with `$top` and `$skip`. Links to next pages are never followed, since some are
 * endless or drop the query parameters; a link only tells that there are more records. A 404 of the vendor
 * means an empty list.
 *
 * @throws SkillError `bad_response` if no record can be read, or the response has no list
 */
export async function readList<T extends { readonly id: string }>(
  http: HttpClient,
  options: ListOptions<T>,
): Promise<Listed<T>> {
  const { limit, pageSize = 1000 } = options
  try {
    return await readPages(http, options, pageSize)
  } catch (error) {
    const smaller = Math.floor(Math.min(pageSize, limit) / 4)
    if (!(error instanceof SkillError) || error.code !== 'response_too_large' || smaller === 0) throw error
    return await readList(http, { ...options, pageSize: smaller })
  }
}

async function readPages<T extends { readonly id: string }>(
  http: HttpClient,
  options: ListOptions<T>,
  pageSize: number,
): Promise<Listed<T>> {
  const { path, needs, decode, limit } = options
  const question = { ...options.query, $filter: odataFilter(options.filter ?? {}) }
  const { items, complete } = await collectPages<unknown>({
    // Reads one record more than wanted to learn whether there are more.
    limit: limit + 1,
    pageSize,
    idOf: (record) => textAt(record, 'id') ?? JSON.stringify(record),
    fetch: async ({ offset, size }) => {
      const query = { ...question, $top: size, $skip: offset === 0 ? undefined : offset }
      const response = await http.get(path, { query, accept: vendorRefusals })
      if (saysNotFound(response)) return []
      if (response.status >= 400) throw refusal(`GET ${pathText(path)}`, response, needs)
      const body = response.json()
      const records = recordsIn(body, path)
      return {
        items: records,
        more: records.length >= size || hasNextLink(body),
        total: countAt(body, '@odata.count'),
      }
    },
  })
  return {
    ...readableOf(items.slice(0, limit), decode),
    truncated: !complete || items.length > limit,
  }
}

const hasNextLink = (body: unknown): boolean => textAt(body, '@odata.nextLink') !== null

/**
 * Reads a list without pages; `truncated` if the vendor says that it is incomplete.
 *
 * @throws SkillError `not_found` or `resource_not_found` if the vendor does not know the parent of the list
 */
export async function readAll<T>(
  http: HttpClient,
  path: RequestPath,
  needs: Permission,
  decode: (record: unknown) => T,
): Promise<Readable<T> & { readonly truncated?: true }> {
  const response = await http.get(path, { accept: vendorRefusals })
  if (response.status >= 400) throw refusal(`GET ${pathText(path)}`, response, needs)
  const body = response.json()
  const records = recordsIn(body, path)
  const truncated = hasNextLink(body) || records.length < (countAt(body, '@odata.count') ?? 0)
  return { ...readableOf(records, decode), ...(truncated && { truncated: true as const }) }
}

function readableOf<T>(records: readonly unknown[], decode: (record: JsonObject) => T): Readable<T> {
  const { items, leftOut } = readRecords(records, decode)
  return { items, unreadable: 0, ...leftOut }
}

function recordsIn(body: unknown, path: RequestPath): readonly unknown[] {
  const records = valueAt(body, 'value')
  if (Array.isArray(records)) return records
  throw new SkillError('bad_response', `the response of ${pathText(path)} lacks the list 'value'`, {
    hint: 'check endpoint_api_url: it ends before /api and must not lead to a sign-in page or a proxy',
  })
}
