import type { JsonObject } from 'tocsin/plugin'
import type { SandboxCall, SandboxReply } from 'tocsin/plugin/testing'
import { failure } from '../answer.ts'
import { FilterError, parseFilter } from '../odata-filter.ts'

export interface Collection {
  /** Name in `@odata.context`. */
  readonly kind: string
  /** Fields that the vendor filters by. */
  readonly fields: readonly string[]
  /** Maximum `$top`. */
  readonly mostTop: number
}

const options = new Set(['$filter', '$top', '$skip', '$expand'])

/** Page size without `$top`. */
const defaultTop = 2

/**
 * Answers a list as the vendor does: pages by `$top` and `$skip`; without `$top`, an endless chain of next
 * links.
 */
export function answerList(
  { kind, fields, mostTop }: Collection,
  records: readonly JsonObject[],
  call: SandboxCall,
): SandboxReply {
  const { query } = call
  const foreign = [...query.keys()].find((name) => !options.has(name))
  if (foreign !== undefined) return odataError(`The query parameter '${foreign}' is not supported`)
  const top = wholeNumber(query.get('$top'))
  const skip = wholeNumber(query.get('$skip')) ?? 0
  if (Number.isNaN(top) || Number.isNaN(skip)) return odataError("Invalid value for '$top' or '$skip'")
  if (top !== undefined && top > mostTop)
    return odataError(`The limit of '${mostTop}' for Top query has been exceeded`)
  try {
    const filter = query.get('$filter')
    const fitting = filter === null ? records : records.filter(parseFilter(filter, fields))
    const size = top ?? defaultTop
    const context = { '@odata.context': `https://sandbox.example/api/$metadata#${kind}` }
    const page = { ...context, value: fitting.slice(skip, skip + size) }
    // The next link loses the filter, as the vendor's does.
    const link = `https://sandbox.example${call.pathname}?$skip=${skip + size}`
    return { json: top === undefined ? { ...page, '@odata.nextLink': link } : page }
  } catch (error) {
    if (error instanceof FilterError) return odataError(error.message)
    throw error
  }
}

const odataError = (message: string): SandboxReply => failure(400, 'ODataError', message)

/** NaN for anything but a number from 0; undefined if absent. */
const wholeNumber = (text: string | null): number | undefined =>
  text === null ? undefined : /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
