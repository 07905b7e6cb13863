/**
 * A storm of alerts from its own process until it is stopped: closed loops of one organization over many
 * sockets. `slow` sockets send their body in pieces with pauses, `fresh` ones open a connection per alert.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { alertBody, numberMark } from './alert-body.ts'
import { answerParent } from './answer-parent.ts'

const { STORM_URL = '', STORM_KEY = '', STORM_KIND = '', STORM_SOCKETS = '0' } = process.env
const { hostname, port, pathname, host } = new URL(STORM_URL)
const body = alertBody(1, 2_048, 'suspicious_sign_in')
const [pieces, pauseMs] = [4, 25]
let [sent, refused] = [0, 0]

const head = (connection: string): string =>
  `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncookie: Session=${STORM_KEY}\r\ncontent-type: application/json\r\n` +
  `content-length: ${body.length}\r\nconnection: ${connection}\r\n\r\n`

async function open(): Promise<Socket> {
  const socket = connect(Number(port), hostname).setNoDelay(true)
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function answered(socket: Socket): Promise<void> {
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  if (chunk.toString('latin1', 9, 12) !== '201') refused++
}

async function post(socket: Socket, connection: string): Promise<void> {
  const text = body.replace(numberMark, String(++sent).padStart(numberMark.length, '0'))
  const size = STORM_KIND === 'slow' ? Math.ceil(text.length / pieces) : text.length
  socket.write(head(connection) + text.slice(0, size))
  for (let at = size; at < text.length; at += size) {
    await pause(pauseMs)
    socket.write(text.slice(at, at + size))
  }
  await answered(socket)
}

async function loop(): Promise<never> {
  let socket = await open()
  for (;;) {
    await post(socket, STORM_KIND === 'fresh' ? 'close' : 'keep-alive').catch(() => undefined)
    if (STORM_KIND !== 'fresh' && !socket.destroyed) continue
    socket.destroy()
    socket = await open().catch(async () => {
      await pause(100)
      return await open()
    })
  }
}

for (let n = 0; n < Number(STORM_SOCKETS); n++) void loop()
answerParent({}, () => refused)
process.on('SIGTERM', () => process.exit(0))
