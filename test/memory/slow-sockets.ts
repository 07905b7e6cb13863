import { connect, type Socket } from 'node:net'

/** How somebody can be slow: what is sent at once, and what follows byte by byte. */
interface Slowness {
  readonly first: (host: string, key: string) => string | Buffer
  readonly drip: string
  /** Of what is answered, nothing is taken. */
  readonly readsNothing?: true
}

/** One byte less than a body may have: the last one never comes. */
const bodyBytes = 1_048_576 - 1

const kinds: readonly Slowness[] = [
  // Headers that do not end.
  { first: (host) => `GET /api/alerts HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, drip: 'x' },
  // A body of which nearly all has come.
  {
    first: (host, key) =>
      Buffer.concat([
        Buffer.from(
          `POST /api/alerts HTTP/1.1\r\nHost: ${host}\r\nCookie: Session=${key}\r\nContent-Type: application/json\r\nContent-Length: ${bodyBytes + 1}\r\n\r\n`,
        ),
        Buffer.alloc(bodyBytes, ' '),
      ]),
    drip: '',
  },
  // The largest answer there is, which is not read.
  {
    first: (host, key) =>
      `GET /api/alerts?limit=200&content=true HTTP/1.1\r\nHost: ${host}\r\nCookie: Session=${key}\r\n\r\n`.repeat(
        3,
      ),
    drip: '',
    readsNothing: true,
  },
  // Requests that come and never stop.
  {
    first: (host) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(100),
    drip: 'G',
    readsNothing: true,
  },
]

export interface SlowSockets {
  /** How often the server has closed one; it is opened again. */
  readonly closed: () => number
  /** How many are open. */
  readonly open: () => number
  stop(): void
}

/** So many sockets that take their time, of each kind as many, as long as they are not stopped. */
export function openSlowSockets(url: string, key: string, count: number): SlowSockets {
  const { hostname, port, host } = new URL(url)
  const sockets = new Set<Socket>()
  let closed = 0
  let isOver = false

  function open(kind: Slowness): void {
    if (isOver) return
    const socket = connect(Number(port), hostname)
    sockets.add(socket)
    socket.on('connect', () => socket.write(kind.first(host, key)))
    if (kind.readsNothing === true) socket.pause()
    else socket.resume()
    const trickle = setInterval(() => kind.drip !== '' && socket.writable && socket.write(kind.drip), 500)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(trickle)
      sockets.delete(socket)
      closed++
      setTimeout(() => open(kind), 1_000)
    })
    // A socket that is paused does not see its end.
    if (kind.readsNothing === true) setTimeout(() => socket.destroy(), 60_000).unref()
  }

  for (let at = 0; at < count; at++) open(kinds[at % kinds.length]!)
  return {
    closed: () => closed,
    open: () => sockets.size,
    stop() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
