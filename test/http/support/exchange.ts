import { connect } from 'node:net'

/** Response on a connection: the last answer, `undefined` if there was none. */
export interface Exchanged {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Number of answers before the relevant one. */
const interim = /^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/

/**
 * Sends raw bytes over a new connection, closes it if they are truncated, and waits until the server closes
 * it. Rejects after `patienceMs`.
 */
export function exchange(
  url: string,
  { bytes, isCut = false }: { readonly bytes: Uint8Array; readonly isCut?: boolean },
  patienceMs = 15_000,
): Promise<Exchanged | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      if (isCut) socket.end(bytes)
      else socket.write(bytes)
    })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error('the server neither answers nor closes the connection'))
    }, patienceMs)
    socket.on('data', (chunk) => {
      received.push(chunk)
      // A stream of events has no end.
      if (/^content-type: text\/event-stream\r$/im.test(chunk.toString('latin1'))) socket.end()
    })
    // After its answer, a server may drop unread bytes.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(parsed(Buffer.concat(received).toString()))
    })
  })
}

function parsed(text: string): Exchanged | undefined {
  const answer = text.replace(interim, '')
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(line) ?? []
  if (status === undefined) return undefined
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  return { status: Number(status), headers, body: rest.join('\r\n\r\n') }
}
