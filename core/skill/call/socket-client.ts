import { ForbiddenError } from '../../errors/errors.ts'
import type { Duplex } from 'node:stream'
import type { Effect, SocketClient } from '../../plugin/index.ts'
import { budgetOf, type ConnectionTarget } from '../connection/target.ts'
import { waitForTurn, type SendInTurnOptions } from '../http/send-in-turn.ts'

export interface SocketClientOptions extends SendInTurnOptions {
  readonly signal: AbortSignal
  /** Undefined: there is nothing to open. */
  readonly target: ConnectionTarget | undefined
  /** Called with the known effect of a writing skill. Default: none. */
  readonly onEffect?: ((effect: Effect) => void) | undefined
}

/** The sockets of one call, which `close` ends. */
export interface CallSockets extends SocketClient {
  close(): void
}

const defaultMaxBytes = 67_108_864

export function createSocketClient(options: SocketClientOptions): CallSockets {
  const { egress, signal, target, onEffect } = options
  const opened: Duplex[] = []
  let hasChanged = false
  return {
    async open(name, maxBytes = defaultMaxBytes) {
      signal.throwIfAborted()
      const address = target?.sockets.get(name)
      if (target === undefined || address === undefined)
        throw new Error(`the connection declares no socket '${name}'`)
      if (egress.connect === undefined)
        throw new ForbiddenError('egress_forbidden', 'no socket can be opened here', {
          hint: 'mock the skill in tests',
        })
      await waitForTurn(signal, budgetOf(target, { method: 'CONNECT', path: `/${name}` }), options)
      if (!hasChanged) onEffect?.('none')
      signal.throwIfAborted()
      const { host, port, tls = 'immediate' } = address
      const socket = await egress.connect({ host, port, tls, maxBytes, signal })
      // This listener is never removed: a late error must not crash the process.
      socket.on('error', () => {})
      opened.push(socket)
      return socket
    },
    beforeChange() {
      hasChanged = true
      onEffect?.('unknown')
      signal.throwIfAborted()
    },
    close() {
      for (const socket of opened) socket.destroy()
    },
  }
}
