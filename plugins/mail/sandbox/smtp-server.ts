import type { MailAccount, Peer } from './account.ts'

/** The envelope of the message that a client is about to send. */
interface Envelope {
  from: string | undefined
  to: string[]
}

export interface Delivery {
  readonly from: string
  readonly to: readonly string[]
  readonly source: Buffer
}

/** Addresses of this domain do not exist. */
const refusedDomain = 'refused.example'

/** One session of the emulated SMTP server. */
export function serveSmtp(peer: Peer, account: MailAccount, deliver: (mail: Delivery) => void): void {
  const envelope: Envelope = { from: undefined, to: [] }
  let isSignedIn = false
  let isReadingData = false
  let buffer: Buffer = Buffer.alloc(0)
  const say = (text: string): void => peer.write(`${text}\r\n`)

  const receive = (source: Buffer): void => {
    isReadingData = false
    if (!peer.begins('MESSAGE')) return
    deliver({ from: envelope.from ?? '', to: [...envelope.to], source: unstuffed(source) })
    Object.assign(envelope, { from: undefined, to: [] })
    say('250 2.0.0 queued')
  }
  const take = (line: string): void => {
    const [word = '', ...rest] = line.split(' ')
    const name = word.toUpperCase()
    if (!peer.begins(name)) return
    const [, address = ''] = /<([^>]*)>/.exec(line) ?? []
    if (name === 'EHLO') return say('250-sandbox\r\n250-AUTH PLAIN XOAUTH2\r\n250 SIZE 26214400')
    if (name === 'NOOP' || name === 'RSET') return say('250 2.0.0 OK')
    if (name === 'QUIT') return (say('221 2.0.0 bye'), void peer.socket.end())
    if (name === 'AUTH') {
      isSignedIn = account.acceptsSasl(rest[0] ?? '', rest[1] ?? '')
      return say(isSignedIn ? '235 2.7.0 welcome' : '535 5.7.8 invalid credentials')
    }
    if (!isSignedIn) return say('530 5.7.0 sign in first')
    if (name === 'MAIL') {
      if (address !== account.user) return say('553 5.7.1 not your address')
      envelope.from = address
      return say('250 2.1.0 OK')
    }
    if (name === 'RCPT') {
      if (address.endsWith(`@${refusedDomain}`)) return say('550 5.1.1 no such user')
      envelope.to.push(address)
      return say('250 2.1.5 OK')
    }
    if (name !== 'DATA') return say(`502 5.5.1 the sandbox does not know ${name}`)
    if (envelope.to.length === 0) return say('503 5.5.1 no recipients')
    isReadingData = true
    say('354 go ahead')
  }
  peer.socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const mark = isReadingData ? '\r\n.\r\n' : '\r\n'
      const end = buffer.indexOf(mark)
      if (end === -1) return
      const part = buffer.subarray(0, end)
      buffer = buffer.subarray(end + mark.length)
      if (isReadingData) receive(Buffer.concat([part, Buffer.from('\r\n')]))
      else take(part.toString())
    }
  })
  if (peer.begins('greeting')) say('220 sandbox ESMTP')
}

/** Lines that begin with a dot are sent with one more. */
const unstuffed = (source: Buffer): Buffer =>
  Buffer.from(source.toString('latin1').replaceAll('\r\n..', '\r\n.'), 'latin1')
