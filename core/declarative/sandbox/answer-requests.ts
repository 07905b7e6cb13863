import type { SandboxCall, SandboxReply } from '../../plugin/testing/index.ts'
import { toReply, type RecordedExchange, type RecordedExample } from './record-examples.ts'
import { hasPathname, hasShape } from './request-shape.ts'

export interface AnswerOptions {
  readonly examples: readonly Pick<RecordedExample, 'exchanges'>[]
  /** Names in the query that hold credentials. */
  readonly credentials: readonly string[]
  /** Of the sandbox. */
  readonly url: string
}

/** The progress of a client through an example. */
interface Progress {
  /** The last exchange. */
  readonly at: number
  /** Counts requests. */
  readonly time: number
}

/**
 * Answers requests with the recorded answers. A request that an example makes several times, such as one for the
 * state of an operation, gets its answers in turn, and then the last one again.
 *
 * @returns undefined for a request without a recorded answer
 */
export function answerRequests({
  examples,
  credentials,
  url,
}: AnswerOptions): (call: SandboxCall) => SandboxReply | undefined {
  const progress = new Map<number, Progress>()
  let time = 0
  return (call) => {
    const fitting = examples.flatMap(({ exchanges }, example) => {
      const places = exchanges.flatMap(({ request, isVerification }, at) =>
        hasShape(call, request, credentials) && (!isVerification || progress.has(example)) ? [at] : [],
      )
      return places.length === 0 ? [] : [{ example, places, exchanges }]
    })
    // If several examples make the request, the one in progress continues.
    const [chosen] = fitting.toSorted(
      (a, b) => (progress.get(b.example)?.time ?? 0) - (progress.get(a.example)?.time ?? 0),
    )
    if (chosen === undefined) return undefined
    const { example, places, exchanges } = chosen
    const last = progress.get(example)?.at ?? -1
    const at = places.find((place) => place > last) ?? places.at(-1)!
    progress.set(example, { at, time: ++time })
    return withLinks(toReply(exchanges[at]!.response), exchanges.slice(at + 1), url)
  }
}

/** Replaces the addresses of later requests, such as that of the next page, by those of the sandbox. */
function withLinks(reply: SandboxReply, later: readonly RecordedExchange[], url: string): SandboxReply {
  const wanted = new Set(later.map((exchange) => new URL(exchange.url).href))
  const here = (text: string): string => {
    const address = URL.parse(text)
    if (address === null || ![...wanted].some((each) => isSameAddress(each, address))) return text
    return url + text.slice(text.indexOf(address.host) + address.host.length)
  }
  const { link, ...headers } = reply.headers ?? {}
  return {
    ...reply,
    headers: {
      ...headers,
      ...(link !== undefined && {
        link: link.replaceAll(/<([^>]*)>/g, (_, target: string) => `<${here(target)}>`),
      }),
    },
    ...('json' in reply && { json: mapTexts(reply.json, here) }),
  }
}

/** A credential in the query belongs to the request, not to the link. */
function isSameAddress(requested: string, link: URL): boolean {
  const { origin, pathname, searchParams } = new URL(requested)
  return (
    origin === link.origin &&
    pathname === link.pathname &&
    [...link.searchParams].every(([name, value]) => searchParams.getAll(name).includes(value))
  )
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change)]))
}

/** The answer to a request without a recorded one: 405 where another method has an answer, else 404. */
export function missingAnswer(
  call: SandboxCall,
  known: readonly Pick<RecordedExchange['request'], 'method' | 'pathname'>[],
): SandboxReply {
  const methods = [...new Set(known.filter((each) => hasPathname(call, each)).map(({ method }) => method))]
  const what = `${call.method} ${call.path}`
  if (methods.length > 0 && !methods.includes(call.method)) {
    const message = `${what} is not allowed; the sandbox knows ${methods.join(', ')}`
    return { status: 405, headers: { allow: methods.join(', ') }, json: { error: { message } } }
  }
  const names = [...new Set(known.map((each) => `${each.method} ${each.pathname}`))].slice(0, 5)
  const message = `no example has the request ${what}; the sandbox answers ${names.join(', ')}`
  return { status: 404, json: { error: { message } } }
}
