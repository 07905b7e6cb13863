import { connect, type Socket } from 'node:net'

/** What a load gave. */
export interface Figures {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connections: number
  readonly seconds: number
}

/**
 * A closed loop over HTTP: each connection posts the same body again when its last answer is complete. Every answer must have
 * the status 201. Bare sockets, so that the load costs little beside what it measures; times in fractions of a millisecond.
 */
export async function post(load: Load): Promise<Figures> {
  const request = requestBytes(load)
  const { hostname, port } = new URL(load.url)
  const latencies: number[] = []
  const began = performance.now()
  const until = began + load.seconds * 1000
  const one = async () => {
    const socket = connect(Number(port), hostname).setNoDelay(true)
    const answers = readAnswers(socket)
    while (performance.now() < until) {
      const sent = performance.now()
      socket.write(request)
      const status = (await answers.next()).value
      if (status !== 201)
        throw new Error(`an answer had the status ${status ?? 'of nothing: the connection ended'}`)
      latencies.push(performance.now() - sent)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: load.connections }, one))
  return figures(latencies, performance.now() - began)
}

/** Rate and percentiles of these durations in milliseconds. */
export function figures(latencies: readonly number[], elapsedMs: number): Figures {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { perSecond: (sorted.length * 1000) / elapsedMs, p50: at(0.5), p99: at(0.99) }
}

/** Cells for a table. */
export function cells({ perSecond, p50, p99 }: Figures): string[] {
  return [Math.round(perSecond).toLocaleString('en'), p50.toFixed(2), p99.toFixed(2)]
}

function requestBytes({ url, headers, body }: Load): Buffer {
  const { host, pathname } = new URL(url)
  const lines = Object.entries({ ...headers, host, 'content-length': String(Buffer.byteLength(body)) })
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

/** The statuses of the answers on a connection, one at a time; answers must say their length. */
async function* readAnswers(socket: Socket): AsyncGenerator<number, undefined> {
  let pending = ''
  for await (const chunk of socket) {
    pending += (chunk as Buffer).toString('latin1')
    const head = pending.indexOf('\r\n\r\n')
    if (head < 0) continue
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(pending)?.[1] ?? NaN)
    if (Number.isNaN(length)) throw new Error('an answer does not say its length')
    if (pending.length < head + 4 + length) continue
    const status = Number(pending.slice(9, 12))
    pending = pending.slice(head + 4 + length)
    yield status
  }
  return undefined
}
