import type { IncomingMessage, ServerResponse } from 'node:http'

type Take = (request: IncomingMessage, response: ServerResponse) => void

/** Requests of one connection that may wait for their turn: as many as no program sends that waits for answers at all. */
const maxWaiting = 100

/**
 * Requests that come over one connection before the last one was answered wait for it: only then is anything done for them, so that a
 * connection never holds more than one answer. One with very many of them is closed.
 */
export function oneAtATime(take: Take): Take {
  const waiting = new WeakMap<IncomingMessage['socket'], (() => void)[]>()

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
    queue.push(() => take(request, response))
    if (queue.length > maxWaiting) socket.destroy()
  }
}
