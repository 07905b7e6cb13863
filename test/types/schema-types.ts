/**
 * Schemas and declarations that the compiler must accept or reject. Nothing here runs; `npm run types` is the
 * test: an unused `@ts-expect-error` is an error.
 */
import type { Infer, Secret } from '../../core/plugin/index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_proof: Same<A, B>): void => {}

// Scalars, and lists of types.
same<Infer<{ type: 'string' }>, string>(true)
same<Infer<{ type: 'integer' }>, number>(true)
same<Infer<{ type: 'number' }>, number>(true)
same<Infer<{ type: 'boolean' }>, boolean>(true)
same<Infer<{ type: 'null' }>, null>(true)
same<Infer<{ type: ['string', 'null'] }>, string | null>(true)

// Values.
same<Infer<{ enum: ['ip', 'domain'] }>, 'ip' | 'domain'>(true)
same<Infer<{ const: 'v1' }>, 'v1'>(true)
same<Infer<{ type: 'string'; enum: ['a', null] }>, 'a' | null>(true)

// Alternatives.
same<Infer<{ anyOf: [{ type: 'string' }, { type: 'integer' }] }>, string | number>(true)
same<Infer<{ oneOf: [{ type: 'boolean' }, { type: 'null' }] }>, boolean | null>(true)

// Lists.
same<Infer<{ type: 'array'; items: { type: 'string' } }>, readonly string[]>(true)
same<Infer<{ type: 'array' }>, readonly unknown[]>(true)

// Objects: required, optional, closed and open.
type Indicator = Infer<{
  type: 'object'
  required: ['kind']
  additionalProperties: false
  properties: { kind: { enum: ['ip'] }; note: { type: 'string' } }
}>
same<Indicator, { kind: 'ip'; note?: string | undefined }>(true)
same<Infer<{ type: 'object' }>, Record<string, unknown>>(true)
same<Infer<{ type: 'object'; additionalProperties: { type: 'integer' } }>, Record<string, number>>(true)

// Secrets are never plain text.
type Settings = Infer<{
  type: 'object'
  required: ['key']
  properties: {
    key: { type: 'string'; 'x-secret': true }
    base_url: { type: 'string'; default: 'https://example.com' }
  }
}>
same<Settings['key'], Secret>(true)
same<Settings['base_url'], string | undefined>(true)

// Unsupported schemas are unknown, never any.
same<Infer<{ $ref: '#/$defs/a' }>, unknown>(true)
same<Infer<{ description: 'anything' }>, unknown>(true)

// The check itself can fail.
// @ts-expect-error -- a string is no number
same<Infer<{ type: 'string' }>, number>(true)
// @ts-expect-error -- any is not unknown
same<Infer<{ description: 'anything' }>, any>(true) // oxlint-disable-line typescript/no-explicit-any
