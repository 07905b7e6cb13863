import * as fc from 'fast-check'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { anyCharacter } from '../../support/any-character.ts'

/** Texts that programs often mishandle. */
export const oddTexts = [
  '',
  ' ',
  '.',
  '..',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-1',
  '1e999',
  '9223372036854775808',
  'true',
  '[]',
  '{}',
  "' OR 1=1 --",
  '<script>',
  '${{ alert }}',
  '%s%n',
  '../../etc/passwd',
  '\\',
  '"',
  '`',
  '\u0000',
  '\u0007',
  '\u001b[31m',
  '\u202e',
  '\ufeff',
  '\uffff',
  'é',
  'e\u0301',
  '😀',
  '\u{10ffff}',
  'İ',
  'ß',
  'K',
  'x'.repeat(5_000),
  '٣',
  '\r\nX-Injected: 1',
  'a\tb',
]

/** Parts of a path. */
export const oddSegments = [
  '%2f',
  '%2F..%2F',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  '%ff',
  '%C0%AF',
  ';x=1',
  '.',
  '..',
  '*',
  '%25',
  '%E2%80%AE',
  '%F0%9F%98%80',
  'A'.repeat(4_000),
  '__proto__',
  "'",
  '@',
  ':',
  '{x}',
]

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  1.5,
  -1,
  1e308,
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: { b: {} } },
  ...oddTexts,
]

export const text = fc.oneof(fc.constantFrom(...oddTexts), fc.string({ unit: anyCharacter, maxLength: 30 }))

/** At every depth, sometimes a valid value and sometimes anything else. */
export function valueFor(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.constantFrom(...oddValues), fc.jsonValue({ maxDepth: 2 }))
  return fc.oneof({ weight: 5, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: odd })
}

function fitting(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  if (depth > 5) return fc.constant(null)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const [type] = [schema.type ?? 'anything'].flat()
  if (type === 'object') {
    const properties = Object.entries(schema.properties ?? {}).map(
      ([name, inner]) => [name, valueFor(inner, depth + 1)] as const,
    )
    const required = properties.map(([name]) => name).filter((name) => schema.required?.includes(name))
    const known = fc.record(Object.fromEntries(properties), { requiredKeys: required })
    const unknown = fc.dictionary(
      fc.constantFrom('unknown', '__proto__', 'constructor', 'ID', ''),
      fc.constantFrom(...oddValues),
      { maxKeys: 1 },
    )
    return fc
      .tuple(known, fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown }))
      .map(([all, more]) => ({ ...all, ...more }))
  }
  if (type === 'array') return fc.array(valueFor(schema.items ?? {}, depth + 1), { maxLength: 4 })
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer(), fc.constantFrom(0, 1, 200, 1_800_000_000_000))
  if (type === 'boolean') return fc.boolean()
  if (type === 'string')
    return fc.oneof(fc.constantFrom('acme', 'globex', 'siem', 'tower', 'p', 'text'), text)
  return fc.jsonValue({ maxDepth: 3 })
}

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Damaged JSON. */
export const brokenBodies = [
  '',
  ' ',
  '{',
  '}',
  'null',
  '[]',
  '"text"',
  '1',
  '{"a":1,"a":2}',
  '{"a":"\\ud800"}',
  '{"a":1e999}',
  `{"a":${'9'.repeat(400)}}`,
  deep(65),
  deep(50_000),
  `{"a":${deep(2_000)}}`,
  '\ufeff{}',
  '{"a":\u0000}',
  "{'a':1}",
  '{"a":01}',
  '{"a":1}{"b":2}',
  `{"a":"${'x'.repeat(1_100_000)}"}`,
  `{${'"a":1,'.repeat(1_000)}"b":1}`,
  '--x\r\n',
  'a=1&b=2',
].map((body) => Buffer.from(body))

/** A value as sent. */
export function json(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
