import { connect } from 'node:net'

/** For the first byte, or the end, of an answer that surely comes; in milliseconds. */
const patienceMs = 20_000

/**
 * Sends bytes as they are over a new connection and resolves to all that comes back: until the connection is closed, or after an answer has begun and
 * nothing more has come for `quietMs`.
 */
export function sendRaw(url: string, text: string, quietMs = 1_000): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let timer = setTimeout(() => socket.destroy(), patienceMs)
    socket.on('data', (chunk) => {
      received += chunk.toString()
      clearTimeout(timer)
      timer = setTimeout(() => socket.destroy(), quietMs)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
  })
}
