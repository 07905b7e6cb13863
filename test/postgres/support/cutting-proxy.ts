import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepared } from '../../../server/postgres/driver/statement.ts'

/**
 * What happens to the next connection that sends COMMIT: the server does not get it, or its answer is lost; `silence` loses the COMMIT
 * and leaves both connections open.
 */
export type Cut = 'before' | 'after' | 'silence'

export interface CuttingProxy {
  /** The address of the database, through the proxy. */
  readonly address: string
  /** Where new connections lead: the address of a database; undefined: they end at once. Default: the first one. */
  target: string | undefined
  /** For the next COMMIT. */
  cut: Cut | undefined
  /** How many COMMITs were cut. */
  readonly cuts: number
  /** Bytes of the server that pass at once, and the pause after them; undefined: no limit. */
  slow: { readonly bytes: number; readonly pauseMs: number } | undefined
  /** Ends new connections at once. */
  refuses: boolean
  /** Loses what the server sends. */
  isSilent: boolean
  /** Number of messages of the server that were lost. */
  readonly lost: number
  /** Ends all connections. */
  cutAll(): void
  close(): Promise<void>
}

/** Stands between the driver and PostgreSQL, and reads the messages of the driver. */
export async function startProxy(tcpAddress: string): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((client) => {
    if (proxy.refuses || proxy.target === undefined) {
      client.destroy()
      return
    }
    const target = new URL(proxy.target)
    const upstream = connect(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
      pairs.delete(pair)
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    let passing = Promise.resolve()
    const pass = (chunk: Buffer): Promise<void> =>
      (passing = passing.then(() => send(client, chunk, proxy.slow)))
    const commits = watchForCommit()
    let isCut = false
    client.on('data', (chunk) => {
      if (isCut) return
      if (!commits(chunk) || proxy.cut === undefined) {
        upstream.write(chunk)
        return
      }
      const { cut } = proxy
      proxy.cut = undefined
      proxy.cuts++
      isCut = true
      if (cut === 'before') end()
      if (cut === 'after') upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isCut) end()
      else if (proxy.isSilent) proxy.lost++
      else void pass(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = new URL(tcpAddress)
  address.port = String((server.address() as AddressInfo).port)
  const proxy = {
    address: String(address),
    target: tcpAddress as string | undefined,
    cut: undefined as Cut | undefined,
    cuts: 0,
    refuses: false,
    isSilent: false,
    lost: 0,
    slow: undefined as CuttingProxy['slow'],
    cutAll() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    },
    async close() {
      proxy.cutAll()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

async function send(client: Socket, chunk: Buffer, slow: CuttingProxy['slow']): Promise<void> {
  const size = slow?.bytes ?? chunk.length
  for (let at = 0; at < chunk.length; at += size) {
    client.write(chunk.subarray(at, at + size))
    if (slow !== undefined) await sleep(slow.pauseMs)
  }
}

/** Tells whether a chunk of the driver contains a COMMIT: a Bind message ('B') with the name of that statement. */
function watchForCommit(): (chunk: Buffer) => boolean {
  let buffer = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    let found = false
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      // The first message has no type.
      const start = isStarted ? 1 : 0
      if (buffer.length < start + 4) return found
      const end = start + buffer.readInt32BE(start)
      if (buffer.length < end) return found
      if (isStarted && buffer[0] === 0x42) {
        const [, statement] = buffer.subarray(5, end).toString('latin1').split('\0')
        found ||= statement === prepared('COMMIT').name
      }
      isStarted = true
      buffer = buffer.subarray(end)
    }
  }
}
