import { takeEmails } from '../find/emails.ts'
import { meaningOf } from '../key-meaning.ts'
import type { NamedValue, FormatReading } from './reading.ts'
import { decodeEntities } from './xml.ts'

const maxHeaders = 500
const maxDepth = 5

/** A text is a mail if it has three of these headers, one of them about the sender. */
const mailHeaders =
  /^(?:from|to|cc|subject|date|message-id|received|return-path|mime-version|content-type|delivered-to|reply-to|sender|dkim-signature|x-[\w-]+)$/
const senderHeaders = /^(?:from|return-path|received|sender)$/
const recipientHeaders =
  /^(?:to|cc|bcc|delivered-to|x-original-to|envelope-to|x-envelope-to|x-forwarded-to|apparently-to)$/

type Header = readonly [name: string, value: string]

/** Reads a raw mail (RFC 5322): headers and text parts, decoded. `undefined` if it is not a mail. */
export function readMail(text: string): FormatReading | undefined {
  if (!/^\s{0,20}(?:>?From |[A-Za-z][\w-]{1,60}:)/.test(text.slice(0, 100))) return undefined
  const { headers, body } = splitHeaders(text.replace(/^\s{0,20}(?:>?From [^\n]{0,200}\n)?/, ''))
  const known = new Set(headers.map(([name]) => name).filter((name) => mailHeaders.test(name)))
  if (known.size < 3 || ![...known].some((name) => senderHeaders.test(name))) return undefined
  const named = headers
    .filter(([name]) => !/^(?:content-|arc-|dkim-|mime-|references$|in-reply-to$)/.test(name))
    .map(([name, value]): NamedValue => ({ key: name, parentKey: 'headers', value: decodeWords(value) }))
  const parts = textParts(headers, body, 0).map((value): NamedValue => ({
    key: 'body',
    parentKey: '',
    value,
  }))
  return { records: [named, parts], rest: '', recipientDomains: recipientDomainsOf(named) }
}

/** A recipient domain that also sends is listed: attackers who hide the recipients write to themselves. */
function recipientDomainsOf(headers: readonly NamedValue[]): ReadonlySet<string> {
  const of = (matches: (name: string) => boolean) =>
    headers
      .filter(({ key }) => matches(key))
      .flatMap(({ value }) => takeEmails(value).emails.map(({ domain }) => domain))
  const senders = new Set(of((name) => meaningOf(name).sender))
  return new Set(of((name) => recipientHeaders.test(name)).filter((domain) => !senders.has(domain)))
}

/** Header fields, unfolded, names in lower case, up to the first blank line, and the rest. */
function splitHeaders(text: string): { readonly headers: readonly Header[]; readonly body: string } {
  const line = /([A-Za-z][\w-]{0,76}):([^\n]*(?:\n[ \t][^\n]*)*)(?:\n|$)/y
  const headers: Header[] = []
  let at = 0
  while (headers.length < maxHeaders) {
    line.lastIndex = at
    const match = line.exec(text)
    if (match === null) break
    headers.push([(match[1] ?? '').toLowerCase(), (match[2] ?? '').replace(/\r?\n[ \t]+/g, ' ').trim()])
    at = line.lastIndex
  }
  return { headers, body: text.slice(at).replace(/^\r?\n/, '') }
}

/** The text parts of a mail or part; binary attachments are left out. */
function textParts(headers: readonly Header[], body: string, depth: number): string[] {
  const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? ''
  const type = header('content-type')
  const boundary = /^multipart\//i.test(type) ? parameter(type, 'boundary') : undefined
  if (boundary !== undefined && boundary !== '' && depth < maxDepth) {
    return splitParts(body, boundary).flatMap((part) => {
      const inner = splitHeaders(part)
      return textParts(inner.headers, inner.body, depth + 1)
    })
  }
  const encoding = header('content-transfer-encoding').toLowerCase()
  const isText = type === '' || /^(?:text|message|multipart)\//i.test(type)
  if (!isText) return encoding === 'base64' ? [] : [body]
  const text = decodeBody(body, encoding, parameter(type, 'charset') ?? 'utf-8')
  return [/^text\/html/i.test(type) ? decodeEntities(text) : text]
}

function decodeBody(body: string, encoding: string, charset: string): string {
  if (encoding === 'base64') return decodeBase64(body, charset)
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(body, charset) : body
}

const parameter = (header: string, name: string): string | undefined =>
  new RegExp(`;\\s{0,10}${name}="?([^";\\s]{1,200})`, 'i').exec(header.slice(0, 2000))?.[1]

/**
 * Keeps the text before the first and after the last boundary: attackers may put text there, and some
 * programs show it.
 */
function splitParts(body: string, boundary: string): string[] {
  return `\n${body}`.split(`\n--${boundary}`).map((part) => part.replace(/^(?:--)?[ \t]{0,20}\r?\n/, ''))
}

/** Undoes quoted-printable (RFC 2045): `=3D`, and `=` at the end of a line. */
function decodeQuotedPrintable(text: string, charset: string): string {
  return text
    .replace(/=[ \t]{0,20}\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2}){1,20000}/gi, (run) =>
      decodeBytes(Buffer.from(run.replaceAll('=', ''), 'hex'), charset),
    )
}

const decodeBase64 = (text: string, charset: string): string =>
  decodeBytes(Buffer.from(text, 'base64'), charset)

function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Undoes the encoded words of mail headers (RFC 2047): `=?utf-8?B?…?=`. */
function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  return text
    .replace(/(\?=)\s{1,10}(?==\?)/g, '$1')
    .replace(
      /=\?([\w-]{1,40})\?([BQ])\?([^?\s]{0,1000})\?=/gi,
      (_, charset: string, how: string, coded: string) =>
        how.toUpperCase() === 'B'
          ? decodeBase64(coded, charset)
          : decodeQuotedPrintable(coded.replaceAll('_', ' '), charset),
    )
}
