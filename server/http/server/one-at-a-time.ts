import type { IncomingMessage, ServerResponse } from 'node:http'

type Take = (request: IncomingMessage, response: ServerResponse) => void

/** Maximum number of pipelined requests per connection, far above what well-behaved clients send. */
const maxWaiting = 100
/** Further requests read in the same chunk. A client that sends even more is disconnected. */
const maxLeftOut = 1_000

/**
 * Handles pipelined requests one at a time: each waits until the previous one is answered, so that a
 * connection never holds more than one answer. Beyond the limit, the connection is closed after the queued
 * answers, which tells the client which requests to send again (RFC 9112, section 9.3.2).
 */
export function oneAtATime(take: Take): Take {
  const waiting = new WeakMap<IncomingMessage['socket'], (() => void)[]>()
  const leftOut = new WeakMap<IncomingMessage['socket'], number>()

  function next(socket: IncomingMessage['socket']): void {
    if (!socket.destroyed) waiting.get(socket)?.shift()?.()
  }

  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    response.once('close', () => next(socket))
    // An answer has no socket until it is its turn.
    if (response.socket !== null) {
      take(request, response)
      return
    }
    const queue = waiting.get(socket) ?? []
    waiting.set(socket, queue)
    const before = leftOut.get(socket) ?? 0
    if (before === 0 && queue.length < maxWaiting) {
      queue.push(() => take(request, response))
      return
    }
    if (before === 0) queue.push(() => socket.destroySoon())
    if (before >= maxLeftOut) socket.destroy()
    leftOut.set(socket, before + 1)
  }
}
