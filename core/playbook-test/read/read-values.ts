import { suggest } from '../../playbook/language/did-you-mean.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { durationHint, parseDurationMs, parseTimeMs, timeHint } from '../../playbook/language/durations.ts'
import { describe, readFields } from '../../playbook/template/fields.ts'
import { quote, type Problems } from '../../playbook/language/problem.ts'
import { testGrammar } from './grammar.ts'
import type { ExpectedTimeRange } from './playbook-test.ts'

/** Any string, also with `${{`: tests evaluate no expressions. */
export function readTestString(problems: Problems, { name, value }: Entry): string | undefined {
  if (value.kind === 'scalar' && typeof value.value === 'string') return value.value
  const hint =
    value.kind === 'scalar' && value.value !== null ? `put it into quotes: "${value.value}"` : undefined
  problems.add('E106', `expected a string for \`${name}\`, found ${describe(value)}`, value, hint)
  return undefined
}

export function readMap(problems: Problems, { name, value }: Entry): boolean {
  if (value.kind === 'map') return true
  problems.add('E106', `expected a map for \`${name}\`, found ${describe(value)}`, value)
  return false
}

export function readTestList(problems: Problems, { name, value }: Entry): readonly Node[] {
  if (value.kind === 'list') return value.items
  problems.add(
    'E106',
    `expected a list for \`${name}\`, found ${describe(value)}`,
    value,
    'begin each item with -',
  )
  return []
}

/** Parses a duration, which may be zero, in milliseconds. */
export function readSpan(problems: Problems, entry: Entry): number | undefined {
  const text = readTestString(problems, entry)
  if (text === undefined) return undefined
  const ms = parseDurationMs(text)
  if (ms === undefined) problems.add('E107', `${quote(text)} is not a duration`, entry.value, durationHint)
  return ms
}

/** `5m`, or `{ min: 5m, max: 6m }`. */
export function readTimeRange(problems: Problems, entry: Entry): ExpectedTimeRange | undefined {
  if (entry.value.kind !== 'map') {
    const exact = readSpan(problems, entry)
    return exact === undefined ? undefined : { minMs: exact, maxMs: exact }
  }
  const fields = readFields(problems, entry.value, testGrammar.range)
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
  const text = readTestString(problems, entry)
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
