import type { Socket } from 'node:net'
import { ConnectionError, RetryableError } from '../../core/plugin/index.ts'
import type { TlsStart } from '../../core/ports/egress.ts'

/** Maximum bytes read in clear text. */
const maxClearText = 16_384

/**
 * Talks to a server in clear text until it is ready for the TLS handshake. Sends no credentials, and discards
 * everything that it reads, because it may be forged on the way.
 *
 * @returns the greeting with which the encrypted conversation may begin
 * @throws ConnectionError `tls_refused`, RetryableError, or the error of the socket
 */
export async function startTls(
  socket: Socket,
  protocol: Exclude<TlsStart, 'immediate'>,
  where: string,
): Promise<string> {
  const lines = createLines(socket)
  const refuse = (line: string): never => {
    throw refusal(where, line)
  }
  if (protocol === 'starttls_smtp') {
    await smtpReply(lines, '220', refuse)
    socket.write('EHLO [127.0.0.1]\r\n')
    await smtpReply(lines, '250', refuse)
    socket.write('STARTTLS\r\n')
    await smtpReply(lines, '220', refuse)
  } else {
    const greeting = await lines.next()
    // `PREAUTH` would be a session without TLS.
    if (!/^\* OK\b/i.test(greeting)) refuse(greeting)
    socket.write('t1 STARTTLS\r\n')
    let line = await lines.next()
    while (line.startsWith('* ')) line = await lines.next()
    if (!/^t1 OK\b/i.test(line)) refuse(line)
  }
  // A person in the middle could put commands or answers before the handshake.
  if (!lines.end()) refuse('more text than the answer to STARTTLS')
  return protocol === 'starttls_smtp' ? '220 ready\r\n' : '* OK ready\r\n'
}

async function smtpReply(lines: Lines, code: string, refuse: (line: string) => never): Promise<void> {
  let line = await lines.next()
  while (/^\d{3}-/.test(line)) line = await lines.next()
  if (!line.startsWith(code)) refuse(line)
}

/** 4xx and BYE are temporary: the server is busy or restarts. */
function refusal(where: string, line: string): Error {
  const said = line
    .replaceAll(/[^\x20-\x7e]/g, ' ')
    .trim()
    .slice(0, 200)
  const details = { sent: false }
  if (/^4\d\d|^\* BYE/i.test(line))
    return new RetryableError('unavailable', `${where} does not start TLS now: ${said}`, {
      hint: 'the other system has a problem, usually a temporary one',
      details,
    })
  return new ConnectionError('tls_refused', `${where} does not start TLS: ${said}`, {
    hint: 'check the port and how TLS begins there; nothing is sent in clear text. A device on the path may have removed STARTTLS',
    details,
  })
}

interface Lines {
  /** Rejects with the error of the socket. */
  next(): Promise<string>
  /** Stops reading; false if unexpected text arrived. */
  end(): boolean
}

function createLines(socket: Socket): Lines {
  let text = ''
  let total = 0
  let failure: Error | undefined
  let look = (): void => {}
  const fail = (error: Error): void => {
    failure ??= error
    look()
  }
  const onError = (error: Error): void => fail(error)
  const onEnd = (): void => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null
    if (chunk === null) return
    total += chunk.length
    text += chunk.toString('latin1')
    if (total > maxClearText) fail(new Error('too much text before TLS'))
    look()
  }
  socket.on('readable', onReadable).on('error', onError).on('end', onEnd).on('close', onEnd)
  return {
    next: () =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = text.indexOf('\n')
          if (at === -1) return failure === undefined ? undefined : reject(failure)
          look = () => {}
          const line = text.slice(0, at).replace(/\r$/, '')
          text = text.slice(at + 1)
          resolve(line)
        }
        look()
      }),
    end() {
      socket.off('readable', onReadable).off('error', onError).off('end', onEnd).off('close', onEnd)
      return text === '' && socket.read() === null
    },
  }
}
