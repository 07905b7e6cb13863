import { hostname } from 'node:os'
import type { AuditRecord } from '../../core/domain/audit.ts'
import { openDatagrams, openStream, type MessageSocket } from '../egress/message-socket.ts'
import { lineOf, type Destination, type ExportedEntry } from './destination.ts'
import type { SyslogTarget } from './settings.ts'

/** Facility 13, log audit. */
const facility = 13
const severities = { warning: 4, info: 6 } as const
/** The largest payload of a UDP datagram. */
const maxDatagram = 65_000
/** The enterprise number for examples (RFC 5612); Tocsin has not registered a number. */
const enterprise = 32_473

/**
 * Sends each entry as an RFC 5424 message: over TCP and TLS with a length prefix (RFC 6587, RFC 5425), over
 * UDP as one datagram.
 */
export function syslogDestination(target: SyslogTarget): Destination {
  let socket: MessageSocket | undefined
  /** A peer that closed the connection may not have read the last messages. */
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

/** @param isShort leaves out the entry, which is too large for a datagram, but keeps its number and hashes */
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

/**
 * Escapes by RFC 5424, section 6.3.3. Control characters are removed: they would split messages in line-based
 * receivers.
 */
const escaped = (value: string): string =>
  value
    .slice(0, 1_000)
    .replaceAll(/["\\\]]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()

/** Visible ASCII of limited length; `-` if nothing is left. */
const word = (text: string, most: number): string =>
  text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, most) || '-'
