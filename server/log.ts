import pino, { type DestinationStream } from 'pino'
import { currentLogFields } from '../core/common/log-context.ts'
import { stringifyJson } from '../core/common/json.ts'
import { Secret, TocsinError } from '../core/plugin/index.ts'
import { loggedFields, type Log, type LogFields } from '../core/ports/log.ts'
import type { LogLevel } from './config/config-values.ts'
import { isOfOutage, limitRepeatedLines, repeatedForMs } from './repeated-lines.ts'

export interface LogOptions {
  readonly level: LogLevel
  /** Removes secrets in use from a text, before the text is shortened. */
  readonly redact?: (text: string) => string
  /** Default: standard error, written synchronously so that a crash loses nothing. */
  readonly destination?: DestinationStream
}

export interface ServerLog extends Log {
  /** Writes pending counts of repeated lines. */
  flush(): void
}

const maxText = 8_000

export function createLog(options: LogOptions): ServerLog {
  const clean = (text: string): string => shorten(withoutKnownForms(options.redact?.(text) ?? text))
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  )
  const repeated = limitRepeatedLines()
  const write = (level: LogLevel) => (fields: LogFields, message: string) => {
    if (!logger.isLevelEnabled(level)) return
    const line = allowed({ ...currentLogFields(), ...fields }, clean)
    const text = clean(message)
    const same = sameOf(fields, line)
    const writeCount = (count: number, seconds: number) =>
      logger[level]({ ...same, suppressed: count }, `${text}, again within ${seconds} seconds`)
    const key = JSON.stringify([level, same, text])
    if (level === 'debug' || repeated.admit(key, writeCount, repeatedForMs(fields))) logger[level](line, text)
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: () => repeated.flush(),
  }
}

/** What the repetitions of a line have in common. */
function sameOf(fields: LogFields, line: LogFields): LogFields {
  if (isOfOutage(fields)) {
    const { kind, code, error } = line
    return { kind, code, error }
  }
  // These two differ between requests that are otherwise alike.
  const { request_id: _, duration_ms: __, ...same } = line
  return same
}

const allowlist: ReadonlySet<string> = new Set(loggedFields)

function allowed(fields: LogFields, clean: (text: string) => string): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  const dropped: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'fields') kept[name] = clean(asText(value))
    else if (allowlist.has(name)) kept[name] = printable(value, clean)
    else dropped.push(clean(name))
  }
  return dropped.length === 0 ? kept : { ...kept, dropped: dropped.slice(0, 20) }
}

/** Objects are not printed: they could contain anything. */
function printable(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Secret) return String(value)
  if (value instanceof Error) return errorFields(value, clean)
  return value === undefined ? undefined : `[${Array.isArray(value) ? 'list' : typeof value}]`
}

/** The fields of a skill's log call, as one bounded text. */
function asText(value: unknown): string {
  try {
    return stringifyJson(value)
  } catch {
    return '[not JSON]'
  }
}

/** Only unexpected errors have a stack: it is for developers. */
function errorFields(error: Error, clean: (text: string) => string): Readonly<Record<string, unknown>> {
  const name = clean(error.name)
  const cause = error.cause instanceof Error ? { cause: clean(error.cause.message) } : {}
  if (error instanceof TocsinError)
    return { name, code: clean(error.code), message: clean(error.message), ...cause }
  return { name, message: clean(error.message), stack: clean(error.stack ?? ''), ...cause }
}

const forms: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\btoc_([0-9a-f]{12})_[A-Za-z0-9_-]{43}/g, 'toc_$1_[redacted]'],
  [/\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]'],
  [/\bxox[a-z]-[A-Za-z0-9-]+/g, '[redacted]'],
  [/([?&](?:token|key|secret|password|access_token|api_key)=)[^&\s"']+/gi, '$1[redacted]'],
]

/** Removes everything that looks like a credential. */
function withoutKnownForms(text: string): string {
  return forms.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), text)
}

const shorten = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText)}…` : text)
