/**
 * The part of JSON Schema (draft 2020-12) that declarations of skills and connections may use, and the
 * TypeScript type of its values. The schema is the only declaration; do not write an interface beside it.
 */

import type { Secret } from './secret.ts'

export type JsonSchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

/**
 * A JSON Schema document or sub-schema. Keywords not listed here are refused by the catalogue when a plugin
 * loads.
 */
export interface JsonSchema {
  readonly $schema?: string
  readonly $id?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly type?: JsonSchemaType | readonly JsonSchemaType[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  /**
   * A description of the pattern that follows the field's name: `must begin with xoxb-`. Shown in place of
   * the pattern, also by editors that know the keyword (Visual Studio Code).
   */
  readonly patternErrorMessage?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly if?: JsonSchema
  readonly then?: JsonSchema
  readonly else?: JsonSchema
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>
  /**
   * Of a connection's field: stored encrypted, write-only over the API, handed to skills as a {@link Secret}.
   */
  readonly 'x-secret'?: boolean
  /**
   * Of any field: it holds a secret. The value and everything derived from it stay in the run and are
   * redacted wherever it is shown.
   */
  readonly 'x-sensitive'?: boolean
  /** Of a skill's input: people will read it. Sensitive values are refused there. */
  readonly 'x-message'?: boolean
  /** Of a skill's input: a path of the other system. `validate` warns of unencoded values in its text. */
  readonly 'x-path'?: boolean
  /**
   * Of a skill's input: accepts sensitive values, which other inputs refuse. Its value is redacted where the
   * run is shown.
   */
  readonly 'x-accepts-sensitive'?: boolean
}

/**
 * The TypeScript type of the values that fit schema `S`.
 *
 * Covers `type` (also lists of types), `properties` with `required`, `additionalProperties`, `items`, `enum`,
 * `const`, `anyOf` and `oneOf`; a string marked `x-secret` is a {@link Secret}. Whatever it does not
 * understand is `unknown`.
 *
 * @example
 * type Input = Infer<{ type: 'object'; required: ['ip']; properties: { ip: { type: 'string' } } }> // { ip:
 * string }
 */
export type Infer<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? Infer<A>
      : S extends { readonly oneOf: readonly (infer O)[] }
        ? Infer<O>
        : S extends { readonly 'x-secret': true }
          ? Secret
          : S extends { readonly type: readonly (infer T)[] }
            ? OfType<T, S>
            : S extends { readonly type: infer T }
              ? OfType<T, S>
              : unknown

type OfType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? ArrayOf<S>
          : T extends 'object'
            ? ObjectOf<S>
            : unknown

type ArrayOf<S> = S extends { readonly items: infer I } ? readonly Infer<I>[] : readonly unknown[]

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? Flatten<Required<P, S> & Optional<P, S> & Additional<S>>
  : S extends { readonly additionalProperties: infer A extends JsonSchema }
    ? Record<string, Infer<A>>
    : Record<string, unknown>

type RequiredKeys<P, S> = S extends { readonly required: readonly (infer K)[] } ? Extract<keyof P, K> : never
type Required<P, S> = { [K in RequiredKeys<P, S>]: Infer<P[K]> }
type Optional<P, S> = { [K in Exclude<keyof P, RequiredKeys<P, S>>]?: Infer<P[K]> | undefined }
type Additional<S> = S extends { readonly additionalProperties: infer A }
  ? A extends false
    ? unknown
    : { [key: string]: unknown }
  : unknown
type Flatten<T> = { [K in keyof T]: T[K] }

/**
 * The schema of a setting that holds the address of another system: https, without credentials, query,
 * fragment and slash at the end; plain http only on loopback, for sandboxes. A path with `;`, or with `%25`,
 * `%2e`, `%2f`, `%3b` or `%5c`, is refused: some gateways decode these, or drop everything after `;`, before
 * they route the request, so that it would reach another path.
 *
 * @example base_url: { ...addressSchema, title: 'Base URL', default: 'https://api.example.com' }
 */
export const addressSchema = {
  type: 'string',
  format: 'uri',
  maxLength: 300,
  pattern:
    '^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?)(/([^?#%;\\s]|%[0146-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F])*([^/?#%;\\s]|%[0146-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F]))?$',
  patternErrorMessage:
    'must begin with https:// (http:// only for a sandbox on loopback), without credentials, query, fragment, `;`, %25, %2e, %2f, %3b, %5c and slash at the end',
} as const

/**
 * The schema of a setting that holds the address of a system of the operator's own network: like {@link
 * addressSchema}, and plain http to any host, which egress refuses unless `TOCSIN_ALLOW_PRIVATE_EGRESS` names
 * it.
 */
export const privateAddressSchema = {
  type: 'string',
  format: 'uri',
  maxLength: 300,
  pattern:
    '^https?://[^/?#@\\s]+(/([^?#%;\\s]|%[0146-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F])*)?$',
  patternErrorMessage:
    'must begin with https:// (http:// only for hosts that TOCSIN_ALLOW_PRIVATE_EGRESS names), without credentials, query, fragment, `;`, %25, %2e, %2f, %3b and %5c',
} as const
