import ipaddr from 'ipaddr.js'
import { noFacts, type AlertFacts, type NewAlert } from '../domain/alert.ts'
import { severities, type ObservableKind, type Severity } from '../plugin/index.ts'
import type { AlertSource, SeverityRule } from './alert-source.ts'
import { AlertFields } from './alert-fields.ts'
import { readLine } from './line-formats.ts'
import { alertSources, unknownSource } from './sources/index.ts'

/** The fields that a source reads from an alert. */
interface AlertDescription extends AlertFacts {
  /** Null: no source recognizes the alert, and only fields with common names were read. */
  readonly source: AlertSource | null
  /** The observables of the alert, in the order of the source, without repeats. */
  readonly observables: readonly AlertObservable[]
}

interface AlertObservable {
  readonly kind: ObservableKind
  readonly value: string
}

/** Characters of a title. */
const maxTitle = 200
/**
 * Characters of an id or observable; longer ones are dropped, because a cut value would be a different
 * value.
 */
const maxValue = 500
const maxObservables = 50

/** Larger contents are not read: the sender waits meanwhile. */
const maxRead = 262_144

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

const nothing: AlertDescription = { ...noFacts, source: null, observables: [] }

/** Reads title, severity, time, id and observables from the content of an alert. Never throws, whatever the content is. */
export function describeAlert({ content }: Pick<NewAlert, 'content'>): AlertDescription {
  const found = recognize(content)
  return found === undefined ? nothing : describeFields(found)
}

export function describeFields({ source, fields }: Recognized): AlertDescription {
  const observables = source === null ? [] : observablesOf(source, fields)
  return { source, ...readFacts(source ?? unknownSource, fields), observables }
}

export interface Recognized {
  readonly source: AlertSource | null
  readonly fields: AlertFields
}

/** Undefined if the content cannot be read; a null source: its product is unknown. */
export function recognize(content: string): Recognized | undefined {
  if (content.length > maxRead) return undefined
  const data = readContent(content)
  if (data === undefined) return undefined
  const fields = new AlertFields(data)
  return { source: alertSources.find((each) => matches(each, fields)) ?? null, fields }
}

/** How JSON begins. A failed parse creates an error with a stack, which costs more than reading a line. */
const beginsLikeJson = /^[\t\n\r ]*["[{]/

/** JSON, without the envelope of an event bus, or a log line; undefined for anything else. */
function readContent(content: string): unknown {
  let data: unknown = content
  if (beginsLikeJson.test(content)) {
    try {
      // Ids beyond 2^53 lose digits here, and are left out.
      data = JSON.parse(content)
    } catch {
      // Other formats are lines.
    }
  }
  if (typeof data === 'string') return readLine(data)
  return isObject(data) && 'detail-type' in data && isObject(data['detail'])
    ? findingIn(data['detail'])
    : data
}

/** Security Hub sends its finding as the only item of a list. */
function findingIn(detail: Readonly<Record<string, unknown>>): unknown {
  const { findings } = detail
  return Array.isArray(findings) && findings.length === 1 ? findings[0] : detail
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function matches({ when }: AlertSource, fields: AlertFields): boolean {
  for (const path in when) {
    const expected = when[path]
    if (expected === true) {
      if (!fields.has(path)) return false
      continue
    }
    const found = fields.first(path)
    const isExpected = Array.isArray(expected) ? expected.includes(found) : found === expected
    if (!isExpected) return false
  }
  return true
}

export function readFacts(source: typeof unknownSource, fields: AlertFields): AlertFacts {
  return {
    title: titleOf(source, fields),
    severity: source.severity === undefined ? null : severityOf(source.severity, fields),
    occurredAt: firstOf(source.times, (path) => timeOf(fields.first(path))),
    sourceId: firstOf(source.ids, (path) => idOf(fields.only(path))),
  }
}

function firstOf<T>(paths: readonly string[] = [], read: (path: string) => T | undefined): T | null {
  for (const path of paths) {
    const value = read(path)
    if (value !== undefined) return value
  }
  return null
}

function titleOf({ titles }: Pick<AlertSource, 'titles'>, fields: AlertFields): string | null {
  return firstOf(titles, (title) => {
    if (!title.includes('{')) return shownLine(fields.first(title))
    let isWhole = true
    const text = title.replaceAll(/\{([^}]+)\}/g, (_, path: string) => {
      const value = shownLine(fields.first(path))
      isWhole &&= value !== undefined
      return value ?? ''
    })
    return isWhole ? cut(text) : undefined
  })
}

/** Anything but words of ASCII with single spaces between them. */
const unusual = /[^ -~]|^ | $| {2}/

/** Marks that change the direction of text or hide a part of it; not the joiners, which some scripts need. */
const invisible = /[\p{Cf}--[\u200c\u200d]]/gv

/** In one line, without control characters and invisible marks. */
export function shownLine(value: string | number | boolean | undefined): string | undefined {
  if (typeof value === 'boolean' || value === undefined) return undefined
  const text = String(value)
  if (text.length <= maxTitle && !unusual.test(text)) return text === '' ? undefined : text
  const line = text
    .slice(0, 4 * maxTitle)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(invisible, '')
    .trim()
  return line === '' ? undefined : cut(line)
}

/** At most `maxTitle` characters, without half of a surrogate pair at the end. */
const cut = (text: string): string => text.slice(0, maxTitle).replace(/[\uD800-\uDBFF]$/, '')

const usualWords: Readonly<Record<string, Severity>> = {
  informational: 'informational',
  information: 'informational',
  info: 'informational',
  notice: 'informational',
  debug: 'informational',
  low: 'low',
  minor: 'low',
  medium: 'medium',
  moderate: 'medium',
  warning: 'medium',
  warn: 'medium',
  high: 'high',
  major: 'high',
  error: 'high',
  severe: 'high',
  critical: 'critical',
  emergency: 'critical',
  alert: 'critical',
}

function severityOf(rule: SeverityRule, fields: AlertFields): Severity | null {
  const readAt = (path: string) => gravest(fields.all(path).map((value) => readSeverity(rule, value)))
  return (rule.isHighest ? gravest(rule.at.map(readAt)) : firstOf(rule.at, readAt)) ?? null
}

/** Of a list, the item with the highest severity counts. `severities` is in ascending order. */
function gravest(found: readonly (Severity | undefined)[]): Severity | undefined {
  return severities.findLast((severity) => found.includes(severity))
}

function readSeverity({ from, words }: SeverityRule, value: string | number | boolean): Severity | undefined {
  if (typeof value === 'boolean') return undefined
  const word = String(value).trim().toLowerCase()
  const own = words?.[word] ?? (Object.hasOwn(usualWords, word) ? usualWords[word] : undefined)
  if (own !== undefined) return own
  const number = Number(value)
  if (from === undefined || !Number.isFinite(number)) return undefined
  const reached = Object.entries(from).filter(([, least]) => number >= least)
  return reached.at(-1)?.[0] as Severity | undefined
}

const dateAndTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s*(Z|UTC|\(UTC\)|[+-]\d\d:?\d\d)?$/

/** Unix times from 2001 to 2286 in seconds; later units are larger by a thousand each. */
const earliest = 1_000_000_000
const units = [1_000, 1, 0.001] as const

/** Epoch milliseconds; undefined for anything that is not clearly a time. */
function timeOf(value: string | number | boolean | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d{9,17}(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof number === 'number') {
    const unit = units.find((_, index) => {
      const least = earliest * 1_000 ** index
      return number >= least && number < least * 10
    })
    return unit === undefined ? undefined : Math.round(number * unit)
  }
  const [, date, time, fraction = '', zone = 'Z'] = dateAndTime.exec(String(value).trim()) ?? []
  if (date === undefined) return undefined
  const at = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${zone.includes('UTC') ? 'Z' : zone}`)
  return Number.isNaN(at) ? undefined : at
}

function idOf(value: string | number | boolean | undefined): string | undefined {
  // A number that lost digits would be the id of another alert.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' && value.length <= maxValue ? value : undefined
}

function observablesOf(
  { observables = {} }: Pick<AlertSource, 'observables'>,
  fields: AlertFields,
): readonly AlertObservable[] {
  const found = new Map<string, AlertObservable>()
  for (const [kind, paths = []] of Object.entries(observables)) {
    for (const value of paths.flatMap((path) => fields.all(path))) {
      if (found.size >= maxObservables) return [...found.values()]
      const text = shownLine(value)
      if (text === undefined || String(value).length > maxTitle) continue
      if (kind === 'ip' && !isAddress(text)) continue
      const observable = { kind: kind as ObservableKind, value: text }
      found.set(`${kind} ${text}`, observable)
    }
  }
  return [...found.values()]
}
