import { suggest } from '../../playbook/language/did-you-mean.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { durationHint, parseDurationMs } from '../../playbook/language/durations.ts'
import { describe, readFields } from '../../playbook/template/fields.ts'
import { quote, type Problems } from '../../playbook/language/problem.ts'
import { parseTimeMs, timeHint } from '../../playbook/language/times.ts'
import { grammar } from './grammar.ts'
import type { TimeRange } from './playbook-test.ts'

/** Any text, also one with `${{`: nothing is evaluated in a test. */
export function readString(problems: Problems, { name, value }: Entry): string | undefined {
  if (value.kind === 'scalar' && typeof value.value === 'string') return value.value
  const hint =
    value.kind === 'scalar' && value.value !== null ? `put it into quotes: "${value.value}"` : undefined
  problems.add('E106', `\`${name}\` must be a text, not ${describe(value)}`, value, hint)
  return undefined
}

export function readMap(problems: Problems, { name, value }: Entry): boolean {
  if (value.kind === 'map') return true
  problems.add('E106', `\`${name}\` must be a map, not ${describe(value)}`, value)
  return false
}

export function readList(problems: Problems, { name, value }: Entry): readonly Node[] {
  if (value.kind === 'list') return value.items
  problems.add('E106', `\`${name}\` must be a list, not ${describe(value)}`, value, 'begin each item with -')
  return []
}

/** Milliseconds; a duration of nothing is one too. */
export function readSpan(problems: Problems, entry: Entry): number | undefined {
  const text = readString(problems, entry)
  if (text === undefined) return undefined
  const ms = parseDurationMs(text)
  if (ms === undefined) problems.add('E107', `${quote(text)} is not a duration`, entry.value, durationHint)
  return ms
}

/** `5m`, or `{ min: 5m, max: 6m }`. */
export function readTimeRange(problems: Problems, entry: Entry): TimeRange | undefined {
  if (entry.value.kind !== 'map') {
    const exact = readSpan(problems, entry)
    return exact === undefined ? undefined : { minMs: exact, maxMs: exact }
  }
  const fields = readFields(problems, entry.value, grammar.range)
  const min = fields?.get('min')
  const max = fields?.get('max')
  const range = {
    minMs: (min && readSpan(problems, min)) ?? 0,
    maxMs: (max && readSpan(problems, max)) ?? Infinity,
  }
  if (range.minMs > range.maxMs) problems.add('E107', '`min` is longer than `max`', entry.value)
  return range
}

/** Epoch milliseconds of an ISO 8601 time with its zone. */
export function readTime(problems: Problems, entry: Entry): number | undefined {
  const text = readString(problems, entry)
  if (text === undefined) return undefined
  const ms = parseTimeMs(text)
  if (ms === undefined) problems.add('E107', `${quote(text)} is not a time`, entry.value, timeHint)
  return ms
}

export function reportUnknownStep(
  problems: Problems,
  id: string,
  at: Node | Entry['key'],
  known: readonly string[],
): void {
  problems.add('E302', `the playbook has no step ${quote(id)}`, at, () => suggest(id, known))
}
