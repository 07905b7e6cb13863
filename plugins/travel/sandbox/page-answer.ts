import type { JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'

export interface PageQuery {
  readonly number: number
  readonly size: number
}

export const badRequest = (message: string): SandboxReply => ({
  status: 400,
  json: { error: 'bad_request', message },
})

/** Undefined if the text is no page number. */
export function readPageQuery(query: URLSearchParams, defaultSize: number): PageQuery | undefined {
  const number = Number(query.get('page') ?? 0)
  const size = Number(query.get('size') ?? defaultSize)
  const fits = Number.isInteger(number) && number >= 0 && Number.isInteger(size) && size >= 1 && size <= 100
  return fits ? { number, size } : undefined
}

export function pageAnswer(items: readonly JsonObject[], { number, size }: PageQuery): SandboxReply {
  const totalPages = Math.ceil(items.length / size)
  const page = { totalPages, currentPage: number, pageSize: size, totalElements: items.length }
  return { json: { data: items.slice(number * size, (number + 1) * size), page } }
}
