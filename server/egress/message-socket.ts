import { createSocket } from 'node:dgram'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { checkUrl, guardedLookup } from './address-guard.ts'
import { parseAllowList } from './allow-list.ts'

/** Sends messages to a system that does not answer. */
export interface MessageSocket {
  isOpen(): boolean
  /**
   * Resolves when the operating system has taken the message and the peer has not closed the connection
   * shortly after; no more can be known.
   */
  send(messages: readonly Buffer[], signal: AbortSignal): Promise<void>
  close(): void
}

export interface MessageTarget {
  readonly transport: 'udp' | 'tcp' | 'tls'
  /** An IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

/** Time in which a peer that closed the connection reports it. */
const settleMs = 100

/**
 * Verifies certificates. The operator named the address, so it may be private, but never a cloud metadata
 * service.
 */
export async function openStream(target: MessageTarget, signal: AbortSignal): Promise<MessageSocket> {
  const { transport, host, port } = target
  const options = { host, port, lookup: lookupFor(target) }
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const socket: Socket = transport === 'tls' ? connectTls({ ...options, ...servername }) : connect(options)
  // This listener is never removed: an error must not crash the process.
  let broken: Error | undefined
  socket.on('error', (error) => (broken ??= error))
  // Reads and ignores what the peer sends, to notice when it closes.
  socket.resume()
  await settled(socket, signal, (resolve) =>
    socket.once(transport === 'tls' ? 'secureConnect' : 'connect', resolve),
  )
  socket.setKeepAlive(true, 30_000)
  return {
    isOpen: () => socket.writable && broken === undefined,
    send: (messages, within) =>
      settled(socket, within, (resolve) => {
        socket.write(Buffer.concat(messages), () => setTimeout(resolve, settleMs))
      }),
    close() {
      socket.destroySoon()
    },
  }

  /** Rejects if the socket fails or ends first, or time is up; do not use it after that. */
  function settled(of: Socket, within: AbortSignal, begin: (resolve: () => void) => void): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const onClose = () => reject(broken ?? new Error('the other side closed the connection'))
      const onAbort = () => {
        of.destroy()
        reject(within.reason as Error)
      }
      const done = () => {
        of.off('close', onClose)
        of.off('end', onClose)
        within.removeEventListener('abort', onAbort)
      }
      if (of.destroyed) return onClose()
      if (within.aborted) return onAbort()
      of.once('close', onClose)
      of.once('end', onClose)
      within.addEventListener('abort', onAbort, { once: true })
      begin(() => {
        done()
        resolve()
      })
    })
  }
}

/** Delivery of a datagram is unknown; only a rejected port can be noticed. */
export async function openDatagrams(target: MessageTarget, signal: AbortSignal): Promise<MessageSocket> {
  signal.throwIfAborted()
  const lookup = promisify(lookupFor(target)) as (host: string, options: object) => Promise<string>
  const address = isIP(target.host) === 0 ? await lookup(target.host, {}) : target.host
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  let broken: Error | undefined
  socket.on('error', (error) => (broken ??= error))
  socket.connect(target.port, address)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return {
    isOpen: () => broken === undefined,
    async send(messages) {
      for (const message of messages)
        await new Promise<void>((resolve, reject) => {
          socket.send(message, (error) => (error === null ? resolve() : reject(error)))
        })
      await new Promise((resolve) => setTimeout(resolve, settleMs))
      if (broken !== undefined) throw broken
    },
    close: () => void socket.close(),
  }
}

/** @throws ForbiddenError `egress_forbidden` */
function lookupFor({ host, port }: MessageTarget): LookupFunction {
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const url = new URL(`https://${place}`)
  const allowed = parseAllowList([place])
  checkUrl(url, allowed)
  return guardedLookup(url, allowed)
}
