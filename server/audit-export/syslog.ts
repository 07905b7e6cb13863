import { hostname } from 'node:os'
import type { AuditRecord } from '../../core/domain/audit.ts'
import { openDatagrams, openStream, type MessageSocket } from '../egress/message-socket.ts'
import type { Destination, ExportedEntry } from './destination.ts'
import { lineOf } from './destination.ts'
import type { SyslogTarget } from './settings.ts'

/** Facility 13, log audit. */
const facility = 13
const severities = { warning: 4, info: 6 } as const
/** UDP carries no more, with the headers of IP. */
const maxDatagram = 65_000
/** Reserved for examples and, as here, for who has no number of their own (RFC 5612). */
const enterprise = 32_473

/** Sends each entry as a message of RFC 5424: over TCP and TLS with its length in front (RFC 6587, RFC 5425), over UDP one per datagram. */
export function syslogDestination(target: SyslogTarget): Destination {
  let socket: MessageSocket | undefined
  /** A peer that went away may not have read what it was sent last. */
  let last: readonly ExportedEntry[] = []

  async function connected(signal: AbortSignal): Promise<MessageSocket> {
    if (socket?.isOpen() === true) return socket
    socket?.close()
    socket = undefined
    socket =
      target.transport === 'udp' ? await openDatagrams(target, signal) : await openStream(target, signal)
    return socket
  }

  return {
    check: () => Promise.resolve(),
    async send(entries, signal) {
      try {
        const before = socket
        const now = await connected(signal)
        const isAgain = before !== undefined && before !== now
        const all = isAgain ? [...last, ...entries] : entries
        await now.send(
          all.map((entry) => framed(entry, target.transport === 'udp')),
          signal,
        )
        last = entries
      } catch (error) {
        socket?.close()
        throw error
      }
    },
    close() {
      socket?.close()
      return Promise.resolve()
    },
  }
}

function framed(entry: ExportedEntry, isDatagram: boolean): Buffer {
  const message = Buffer.from(syslogMessage(entry))
  if (!isDatagram) return Buffer.concat([Buffer.from(`${message.length} `), message])
  return message.length <= maxDatagram ? message : Buffer.from(syslogMessage(entry, true))
}

/** @param isShort without the entry itself, where no datagram could carry it; its number and hashes are there */
export function syslogMessage(exported: ExportedEntry, isShort = false): string {
  const { sequence, entry, hash, previousHash } = exported
  const { at, action, actor, organization_code, request_id, subject } = JSON.parse(entry) as AuditRecord
  const priority = facility * 8 + (action.endsWith('failed') ? severities.warning : severities.info)
  const time = new Date(at).toISOString()
  const fields = {
    sequence,
    hash,
    previousHash,
    actorKind: actor.kind,
    actor: actor.id,
    organization: organization_code ?? '',
    subjectKind: subject.kind,
    subject: subject.id,
    requestId: request_id ?? '',
  }
  const text = isShort ? 'the entry is too large for a datagram' : lineOf(exported)
  const head = `<${priority}>1 ${time} ${word(hostname(), 255)} tocsin ${process.pid} ${word(action, 32)}`
  return `${head} ${structuredData(`audit@${enterprise}`, fields)} ${text}`
}

/** @example structuredData('a@1', { b: 'c"d' }) // '[a@1 b="c\\"d"]' */
export function structuredData(id: string, fields: Readonly<Record<string, string | number>>): string {
  const parameters = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
  return `[${id}${parameters.join('')}]`
}

/** RFC 5424, section 6.3.3. Control characters would break messages apart in receivers that go by lines. */
const escaped = (value: string): string =>
  value
    .slice(0, 1_000)
    .replaceAll(/["\\\]]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()

/** Visible ASCII, at most so long; `-` where nothing is left. */
const word = (text: string, most: number): string =>
  text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, most) || '-'
