import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { numberMark } from './alert-body.ts'
import type { Usage } from './answer-parent.ts'
import { measure, type Figures } from './measure.ts'

export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connections: number
  readonly seconds: number
  /** Opens a connection for each request. Default: each loop keeps its own. */
  readonly fresh?: boolean
  /** Of the process under test. */
  readonly usage: () => Promise<Usage>
}

/**
 * A closed loop over HTTP: each connection posts the body again with a new number once the previous answer is
 * complete. Every answer must have the status 201. Bare sockets, so that the load generator costs little;
 * times in fractions of a millisecond.
 */
export function post(load: Load): Promise<Figures> {
  return load.fresh === true ? postFresh(load) : postKept(load)
}

async function postKept(load: Load): Promise<Figures> {
  const bytes = requestBytes(load)
  const at = bytes.indexOf(numberMark)
  const { hostname, port } = new URL(load.url)
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true)
      await once(socket, 'connect')
      return { socket, answers: readAnswers(socket), request: Buffer.from(bytes) }
    }),
  )
  const one = async (loop: number): Promise<void> => {
    const { socket, answers, request } = sockets[loop]!
    request.write(String(++lastNumber).padStart(numberMark.length, '0'), at, 'latin1')
    socket.write(request)
    requireCreated((await answers.next()).value)
  }
  const figures = await measure(one, { ...load, count: load.connections })
  for (const { socket } of sockets) socket.destroy()
  return figures
}

/** Behaviour of senders without keep-alive, such as cloud functions and some proxies. */
async function postFresh(load: Load): Promise<Figures> {
  const headers = { ...load.headers, connection: 'close' }
  const bytes = requestBytes({ ...load, headers })
  const at = bytes.indexOf(numberMark)
  const { hostname, port } = new URL(load.url)
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = Buffer.from(bytes)
      request.write(String(++lastNumber).padStart(numberMark.length, '0'), at, 'latin1')
      let answer = ''
      const socket = connect(Number(port), hostname, () => socket.write(request)).setNoDelay(true)
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
      socket.on('error', reject)
      socket.on('close', () => {
        try {
          requireCreated(answer === '' ? undefined : Number(answer.slice(9, 12)))
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
  return measure(one, { ...load, count: load.connections })
}

function requireCreated(status: number | undefined): void {
  if (status !== 201)
    throw new Error(`an answer had the status ${status ?? 'of nothing: the connection ended'}`)
}

/** Counter of this process, so that no two alerts are equal. */
let lastNumber = 0

function requestBytes({ url, headers, body }: Pick<Load, 'url' | 'headers' | 'body'>): Buffer {
  const { host, pathname } = new URL(url)
  const lines = Object.entries({ ...headers, host, 'content-length': String(Buffer.byteLength(body)) })
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

/** Reads the statuses of the answers on a connection, one at a time; answers must have a content length. */
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
