import { connect } from 'node:net'

/** Sends bytes as they are over a new connection and resolves to all that comes back until it is closed, or after `ms`. */
export function sendRaw(url: string, text: string, ms = 1_000): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
  })
}
