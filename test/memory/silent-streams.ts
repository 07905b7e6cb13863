import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '../support/server/start-server.ts'

export interface SilentStreams {
  readonly open: () => number
  stop(): void
}

/** Maximum number per key. */
const perKey = 32

/** Streams of events whose readers stop after the headers: the same number for each path. */
export async function openSilentStreams(
  server: RunningServer,
  count: number,
  paths: readonly string[],
): Promise<SilentStreams> {
  const { hostname, port } = new URL(server.url)
  const sockets = new Set<Socket>()
  let key = ''
  for (let at = 0; at < count; at++) {
    if (at % perKey === 0) {
      const { body } = await server.call('/keys', { body: { name: `reader ${at}`, role: 'reader' } })
      key = body.key
    }
    const socket = connect(Number(port), hostname)
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.write(`GET /api${paths[at % paths.length]} HTTP/1.1\r\nHost: x\r\nCookie: Session=${key}\r\n\r\n`)
    await new Promise<void>((resolve, reject) => {
      socket.once('data', (chunk) => {
        socket.pause()
        if (chunk.toString('latin1').startsWith('HTTP/1.1 200')) resolve()
        else reject(new Error(chunk.toString('latin1')))
      })
    })
  }
  await sleep(1_000)
  return {
    open: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
