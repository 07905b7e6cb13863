import { contentOf, type SandboxReply } from './routes.ts'
import type { SandboxRequest } from '../index.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../ports/egress.ts'

/** A request sent by a skill. */
export interface SentRequest extends SandboxRequest {
  /** Absolute. */
  readonly url: string
}

/** A response, or an error that the egress rejects with. */
export type CannedReply = Omit<SandboxReply, 'delayMs'> | Error

/** Responses in the order of the requests, or one function for all of them. */
export type Replies = readonly CannedReply[] | ((request: SentRequest) => CannedReply)

/** Returns the given replies and records the requests. A request beyond the last reply is an error. */
export function cannedEgress(replies: Replies): {
  readonly egress: Egress
  readonly requests: readonly SentRequest[]
} {
  const requests: SentRequest[] = []
  const next = (request: SentRequest): CannedReply => {
    if (typeof replies === 'function') return replies(request)
    const reply = replies[requests.length - 1]
    if (reply !== undefined) return reply
    throw new Error(`request ${requests.length} (${request.method} ${request.url}) has no canned reply`)
  }
  const send = async (request: EgressRequest): Promise<EgressResponse> => {
    request.signal.throwIfAborted()
    const sent = toSent(request)
    requests.push(sent)
    const reply = next(sent)
    if (reply instanceof Error) throw reply
    const { type, body } = contentOf(reply)
    const headers = { 'content-type': type, ...reply.headers }
    const bytes = Buffer.from(body)
    return request.maxBytes === undefined
      ? { status: reply.status ?? 200, headers, body: bytes.toString() }
      : { status: reply.status ?? 200, headers, body: '', bytes }
  }
  return { egress: { send }, requests }
}

function toSent({ method, url, headers, body }: EgressRequest): SentRequest {
  const { pathname, search } = new URL(url)
  return { method, url, path: `${pathname}${search}`, headers, body: Buffer.from(body ?? '').toString() }
}
