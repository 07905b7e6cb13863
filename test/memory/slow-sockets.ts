import { connect, type Socket } from 'node:net'

/** Ways to be slow: the bytes sent at once, and those sent one by one. */
interface Slowness {
  readonly first: (host: string, key: string) => string | Buffer
  readonly drip: string
  /** The answer is never read. */
  readonly readsNothing?: true
}

/** One byte less than the maximum body: the last one never arrives. */
const bodyBytes = 1_048_576 - 1

const kinds: readonly Slowness[] = [
  // Endless headers.
  { first: (host) => `GET /api/alerts HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, drip: 'x' },
  // An almost complete body.
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
  // The largest answer, which is never read.
  {
    first: (host, key) =>
      `GET /api/alerts?limit=200&content=true HTTP/1.1\r\nHost: ${host}\r\nCookie: Session=${key}\r\n\r\n`.repeat(
        3,
      ),
    drip: '',
    readsNothing: true,
  },
  // Endless requests.
  {
    first: (host) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(100),
    drip: 'G',
    readsNothing: true,
  },
]

export interface SlowSockets {
  /** How often the server has closed a socket, which is then reopened. */
  readonly closed: () => number
  /** Number of open sockets. */
  readonly open: () => number
  stop(): void
}

/** This many slow sockets, evenly of each kind, until they are stopped. */
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
    // A paused socket does not notice its end.
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
