import { connect } from 'node:net'

/** Maximum wait for the first byte, or the end, of an answer that is certain to come; in milliseconds. */
const patienceMs = 20_000

/**
 * Sends raw bytes over a new connection and resolves to the response: until the connection closes, or
 * `quietMs` after the last byte of an answer.
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
