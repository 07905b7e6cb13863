import { createCollector, type Collector } from './collector.ts'
import { parseDomain } from './find/domain-names.ts'
import { parseEmail } from './find/emails.ts'
import { parseWhole, splitDocuments } from './find/embedded-json.ts'
import {
  contextOf,
  keyOfMember,
  textOf,
  type Field,
  type Members,
  type TextContext,
} from './field-context.ts'
import { findInText, type Reports } from './find/find-in-text.ts'
import { decodeCommands } from './formats/encoded-commands.ts'
import type { FormatReading } from './formats/reading.ts'
import { findHashes } from './find/hashes.ts'
import { parseIp, type IpAddress } from './find/ip-addresses.ts'
import { parseUser } from './find/names.ts'
import {
  maxCharacters,
  maxInputDepth,
  maxNestedDocuments,
  maxInputNodes,
  type ExtractedKind,
  type Extraction,
  type ExtractionOptions,
} from './observables.ts'
import { readCsv } from './formats/csv.ts'
import { readLeef } from './formats/leef.ts'
import { readMail } from './formats/mail.ts'
import { readXml } from './formats/xml.ts'

/** Finds the observables of a text; JSON text is parsed. Pure, and linear in the length of the text. */
export function extractObservables(text: string, options: ExtractionOptions = {}): Extraction {
  return extract(text, options)
}

/** Finds the observables of any JSON value; strings that contain JSON are parsed. */
export function extractFromJson(value: unknown, options: ExtractionOptions = {}): Extraction {
  return extract(value, options)
}

function extract(value: unknown, options: ExtractionOptions): Extraction {
  const collector = createCollector(options.maxPerKind ?? 50)
  const walk: Walk = { collector, reportsAt: reportsFor(collector, options), characters: 0, nodes: 0 }
  visit(
    walk,
    value,
    { key: '', parentKey: '', members: undefined, inLinks: false },
    { pointer: '', fixed: false, depth: 0, documents: 0, decoded: false },
  )
  return collector.result()
}

interface Walk {
  readonly collector: Collector
  readonly reportsAt: (place: string) => Reports
  characters: number
  nodes: number
}

interface Position {
  readonly pointer: string
  /** Set inside a JSON document in a string: pointers end at the string. */
  readonly fixed: boolean
  readonly depth: number
  readonly documents: number
  /** Set inside a decoded command, which is not decoded again. */
  readonly decoded: boolean
}

function visit(walk: Walk, value: unknown, field: Field, position: Position): void {
  if (typeof value === 'string') {
    visitText(walk, value, field, position)
  } else if (Array.isArray(value) || isMembers(value)) {
    if (position.depth >= maxInputDepth) return walk.collector.cut('depth')
    if (Array.isArray(value)) visitArray(walk, value, field, position)
    else visitObject(walk, value, field, position)
  }
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

function visitArray(walk: Walk, values: readonly unknown[], field: Field, position: Position): void {
  for (const [index, value] of values.entries()) {
    if (!spend(walk, 0, 1)) return
    visit(walk, value, field, inside(position, String(index)))
  }
}

function visitObject(walk: Walk, members: Members, field: Field, position: Position): void {
  const upnSuffix = textOf(members, 'UPNSuffix')
  const account =
    upnSuffix === undefined ? undefined : parseUser(`${textOf(members, 'Name') ?? ''}@${upnSuffix}`)
  if (account !== undefined) walk.reportsAt(position.pointer).report('user', account)
  for (const [key, value] of Object.entries(members)) {
    if (!spend(walk, key.length, 1)) return
    const at = inside(position, key)
    reportKey(key, walk.reportsAt(at.pointer))
    if (account !== undefined && (key === 'Name' || key === 'UPNSuffix')) continue
    const inLinks = field.inLinks || /^_?links$/.test(field.key) || textOf(members, 'rel') !== undefined
    visit(walk, value, { key: keyOfMember(members, key), parentKey: field.key, members, inLinks }, at)
  }
}

/** Tables keyed by address, hash or account. */
function reportKey(key: string, reports: Reports): void {
  if (key.length < 3 || key.length > 320) return
  const ip = /^[0-9a-f:.]+$/i.test(key) ? parseIp(key) : undefined
  if (ip !== undefined) reports.ip(ip)
  for (const hash of /^[0-9a-f]{32,128}$/i.test(key) ? findHashes(key) : []) reports.report('hash', hash)
  const email = key.includes('@') ? parseEmail(key) : undefined
  if (email !== undefined) reports.report('email', email.value)
}

function visitText(walk: Walk, written: string, field: Field, position: Position): void {
  const room = maxCharacters - walk.characters
  if (!spend(walk, written.length, 0) && room <= 0) return
  const text = written.length > room ? written.slice(0, room) : written
  const mayBeDocument = position.documents <= maxNestedDocuments
  const whole = mayBeDocument ? parseWhole(text) : undefined
  const inner = {
    ...position,
    fixed: position.fixed || position.depth > 0 || whole === undefined,
    documents: position.documents + 1,
  }
  // The budget counts a text once: parsing its content again costs no more than scanning it.
  const counted = walk.characters
  walk.characters = Math.max(0, walk.characters - text.length)
  if (whole !== undefined) visit(walk, whole.value, field, inner)
  const rest = whole !== undefined ? '' : mayBeDocument ? visitFormats(walk, text, field, inner) : text
  if (!position.decoded) visitCommands(walk, rest, field, inner)
  walk.characters = Math.max(walk.characters, counted)
  const context = contextOf(field)
  findInText(rest, field.key === '' ? asProse(context) : context, walk.reportsAt(position.pointer))
}

/** Visits the values of a text in a known format and returns the remaining text. */
function visitFormats(walk: Walk, text: string, field: Field, inner: Position): string {
  const whole = readWholeFormat(text)
  if (whole !== undefined) {
    visitRecords(walk, whole, field, inner)
    return whole.rest
  }
  const { documents, rest } = splitDocuments(text)
  for (const document of documents) visit(walk, document, field, inner)
  const parts = readPartFormats(rest)
  visitRecords(walk, parts, field, inner)
  return parts.rest
}

function visitRecords(
  walk: Walk,
  { records, recipientDomains }: FormatReading,
  field: Field,
  inner: Position,
): void {
  const domains = recipientDomains ?? field.recipientDomains
  for (const record of records) {
    const members: Members = Object.fromEntries(record.map(({ key, value }) => [key, value]))
    for (const { key, parentKey, value } of record) {
      if (!spend(walk, 0, 1)) return
      visit(walk, value, { key, parentKey, members, inLinks: false, recipientDomains: domains }, inner)
    }
  }
}

function visitCommands(walk: Walk, text: string, field: Field, inner: Position): void {
  const { texts, cut } = decodeCommands(text)
  if (cut) walk.collector.cut('input')
  for (const command of texts) {
    visit(walk, command, { ...field, key: 'command', parentKey: '' }, { ...inner, decoded: true })
  }
}

/** A text without a key is the whole message. */
const asProse = (context: TextContext): TextContext => ({
  ...context,
  meaning: { ...context.meaning, prose: true },
})

/**
 * Spends from the budget of the whole input; when it is used up, marks the result as cut and returns false.
 */
function spend(walk: Walk, characters: number, nodes: number): boolean {
  walk.characters += characters
  walk.nodes += nodes
  if (walk.characters <= maxCharacters && walk.nodes <= maxInputNodes) return true
  walk.collector.cut('input')
  return false
}

function inside(position: Position, name: string): Position {
  const pointer = position.fixed
    ? position.pointer
    : `${position.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return { ...position, pointer, depth: position.depth + 1 }
}

/** Applies the options to the findings. */
function reportsFor(collector: Collector, options: ExtractionOptions): (place: string) => Reports {
  const own = (options.ownDomains ?? []).map((name) => parseDomain(name) ?? name.toLowerCase())
  const isOwn = (name: string) => own.some((domain) => name === domain || name.endsWith(`.${domain}`))
  const isPrivate = (ip: IpAddress | undefined) => ip?.scope === 'private' && options.includePrivate !== true
  return (place) => {
    const put = (kind: ExtractedKind, value: string, leaveOut: boolean) =>
      leaveOut ? collector.leaveOut(kind, value) : collector.add(kind, value, place)
    return {
      report: (kind, value) => put(kind, value, kind === 'domain' && isOwn(value)),
      ip: (ip) => put('ip', ip.value, isPrivate(ip)),
      url: (url, at) => put('url', url, isPrivate(at) || isOwn(new URL(url).hostname)),
    }
  }
}

/** Reads a whole text as a mail or a table; `undefined` if it is neither. */
const readWholeFormat = (text: string): FormatReading | undefined => readMail(text) ?? readCsv(text)

/** Reads the LEEF lines and XML elements in a text. */
function readPartFormats(text: string): FormatReading {
  const leef = readLeef(text)
  const xml = readXml(leef.rest)
  return { records: [...leef.records, ...xml.records], rest: xml.rest }
}
