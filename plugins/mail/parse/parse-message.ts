import { createHash } from 'node:crypto'
import { SkillError } from 'tocsin/plugin'
import type { Address, Attachment, Email } from 'postal-mime'
import { fileName, plainLine, plainLines } from '../text.ts'
import { readHtml } from './html.ts'

export interface ParsedAddress {
  readonly name: string
  readonly address: string
}

/** What `messageSchema` describes. */
export interface ParsedMessage {
  readonly message_id: string | null
  readonly date: string | null
  readonly subject: string
  readonly from: readonly ParsedAddress[]
  readonly reply_to: readonly ParsedAddress[]
  readonly to: readonly ParsedAddress[]
  readonly cc: readonly ParsedAddress[]
  readonly return_path: string | null
  readonly authentication: readonly Authentication[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly text: string
  readonly text_truncated: boolean
  readonly links: readonly string[]
  readonly attachments: readonly Omit<ParsedFile, 'bytes'>[]
}

interface Authentication {
  readonly trusted: boolean
  readonly server: string
  readonly spf: string | null
  readonly dkim: string | null
  readonly dmarc: string | null
  readonly text: string
}

/** An attachment with its content. */
export interface ParsedFile {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
  readonly md5: string
  readonly bytes: Uint8Array
}

/** An attached message. */
export interface InnerMessage {
  readonly sha256: string
  readonly message: ParsedMessage | null
  readonly problem: string | null
}

const max = {
  headers: 200,
  header: 2_000,
  text: 100_000,
  html: 1_000_000,
  links: 500,
  link: 2_000,
  files: 100,
  addresses: 100,
}
const maxInner = 10
const maxDepth = 3

/** A message, its attachments, and the messages among them. */
export interface ParsedMail {
  readonly message: ParsedMessage
  /** All attachments, those of inner messages included. */
  readonly files: readonly ParsedFile[]
  readonly inner: readonly InnerMessage[]
}

/**
 * Reads a message that an attacker may have written. Nothing is rendered, opened or fetched.
 *
 * @param authservId of the server whose Authentication-Results count
 * @throws SkillError `message_unreadable`
 */
export async function parseMail(source: Uint8Array, authservId: string | undefined): Promise<ParsedMail> {
  const { message, files: own } = await parseOne(source, authservId)
  const files = [...own]
  const inner: InnerMessage[] = []
  let level: readonly ParsedFile[] = own
  for (let depth = 0; depth < maxDepth; depth++) {
    const next: ParsedFile[] = []
    for (const { sha256, bytes } of level.filter(isMessage)) {
      if (inner.length >= maxInner) break
      try {
        // The person who attached it may have written its headers.
        const parsed = await parseOne(bytes, undefined)
        inner.push({ sha256, message: parsed.message, problem: null })
        next.push(...parsed.files)
        files.push(...parsed.files)
      } catch (error) {
        if (!(error instanceof SkillError)) throw error
        inner.push({ sha256, message: null, problem: error.message })
      }
    }
    level = next
  }
  return { message, files, inner }
}

const isMessage = ({ name, type }: ParsedFile): boolean => type === 'message/rfc822' || /\.eml$/i.test(name)

/** Only its headers are read. */
export const parseHeaders = async (source: Uint8Array, authservId?: string): Promise<ParsedMessage> =>
  (await parseOne(source, authservId)).message

async function parseOne(
  source: Uint8Array,
  authservId: string | undefined,
): Promise<{ readonly message: ParsedMessage; readonly files: readonly ParsedFile[] }> {
  const email = await readMime(source)
  const files = email.attachments.slice(0, max.files).map(toFile)
  const html = email.html === undefined ? undefined : readHtml(email.html.slice(0, max.html), max.links)
  const text = plainLines((email.text ?? '').trim() || (html?.text ?? ''))
  const headers = email.headers.slice(0, max.headers).map(({ key, value }) => ({
    name: plainLine(key.toLowerCase(), 200),
    value: plainLine(value, max.header),
  }))
  const valueOf = (name: string): string | null => headers.find((one) => one.name === name)?.value ?? null
  const message = {
    message_id: valueOf('message-id'),
    date: isoTime(email.date),
    subject: plainLine(email.subject ?? '', 1_000),
    from: addressesOf(email.from),
    reply_to: addressesOf(...(email.replyTo ?? [])),
    to: addressesOf(...(email.to ?? [])),
    cc: addressesOf(...(email.cc ?? [])),
    return_path: valueOf('return-path')?.replaceAll(/^<|>$/g, '') ?? null,
    authentication: authenticationIn(headers, authservId),
    headers,
    text: text.slice(0, max.text).toWellFormed(),
    text_truncated: text.length > max.text || (email.html?.length ?? 0) > max.html,
    links: linksOf(text, html?.links ?? []),
    attachments: files.map(({ bytes: _, ...shown }) => shown),
  }
  return { message, files }
}

async function readMime(source: Uint8Array): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime')
  try {
    return await PostalMime.parse(source, {
      attachmentEncoding: 'arraybuffer',
      forceRfc822Attachments: true,
      maxNestingDepth: 50,
      maxHeadersSize: 262_144,
    })
  } catch (error) {
    const why = plainLine(error instanceof Error ? error.message : '', 200)
    throw new SkillError('message_unreadable', `the message cannot be read: ${why}`, {
      hint: 'save it with mail.save_file and look at it in a safe place',
    })
  }
}

function toFile({ filename, mimeType, content }: Attachment, index: number): ParsedFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
  const type = plainLine(mimeType.toLowerCase(), 100)
  const hash = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex')
  return {
    name: fileName(
      filename,
      type === 'message/rfc822' ? `message-${index + 1}.eml` : `attachment-${index + 1}`,
    ),
    type,
    size: bytes.length,
    sha256: hash('sha256'),
    md5: hash('md5'),
    bytes,
  }
}

const addressesOf = (...given: readonly (Address | undefined)[]): readonly ParsedAddress[] =>
  given
    .flatMap((one) => (one === undefined ? [] : (one.group ?? [one])))
    .slice(0, max.addresses)
    .map(({ name, address }) => ({ name: plainLine(name ?? '', 300), address: plainLine(address, 320) }))

function isoTime(date: string | undefined): string | null {
  const time = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Servers add theirs at the top; the sender may have written those below. */
function authenticationIn(
  headers: ParsedMessage['headers'],
  authservId: string | undefined,
): readonly Authentication[] {
  const results = headers.filter(({ name }) => name === 'authentication-results').slice(0, 10)
  return results.map(({ value }, index) => {
    const server = /^[^\s;]{1,253}/.exec(value)?.[0] ?? ''
    const result = (method: string): string | null =>
      new RegExp(`(?:^|[;\\s])${method}=([a-z]{1,20})`, 'i').exec(value)?.[1]?.toLowerCase() ?? null
    return {
      trusted: index === 0 && authservId !== undefined && server.toLowerCase() === authservId.toLowerCase(),
      server,
      spf: result('spf'),
      dkim: result('dkim'),
      dmarc: result('dmarc'),
      text: value,
    }
  })
}

/** The visible text of a link is not its target: only the address counts. */
function linksOf(text: string, ofHtml: readonly string[]): readonly string[] {
  const inText = text.slice(0, 4 * max.text).match(/\b(?:https?|ftp):\/\/[^\s<>"'`]{1,2000}/gi) ?? []
  const all = [...ofHtml, ...inText.map((link) => link.replace(/[).,;:!?\]}]{1,20}$/, ''))]
  return [...new Set(all.map((link) => plainLine(link, max.link)))].slice(0, max.links)
}
