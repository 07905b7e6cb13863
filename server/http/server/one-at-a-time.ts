import type { IncomingMessage, ServerResponse } from 'node:http'

type Take = (request: IncomingMessage, response: ServerResponse) => void

/** Requests of one connection that may wait for their turn: as many as no program sends that waits for answers at all. */
const maxWaiting = 100
/** Further requests read in the same chunk. A client that sends even more is disconnected. */
const maxLeftOut = 1_000

/**
 * Requests that come over one connection before the last one was answered wait for it: only then is anything done for them, so that a
 * connection never holds more than one answer. Of very many only so many are answered, and then the connection is closed: the sender
 * knows by that which of them to send again (RFC 9112, section 9.3.2).
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
