import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long the rest of a body is read on after the answer, so that the sender sees the answer and not a broken connection. */
const graceMs = 1_000

/** A request that was answered before its body was read whole: the rest is dropped, and the connection if it takes long. */
export function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete || request.destroyed) return
    const timer = setTimeout(() => request.socket.destroy(), graceMs).unref()
    request.once('close', () => clearTimeout(timer))
    request.once('end', () => clearTimeout(timer))
    request.resume()
  })
}
