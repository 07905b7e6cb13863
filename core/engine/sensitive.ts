import type { Playbook } from '../playbook/playbook.ts'
import { TocsinError, type JsonSchema } from '../plugin/index.ts'
import { hidden, Redactor } from '../skill/redactor.ts'

/** What a skill declares. */
export interface SkillSchemas {
  readonly input: JsonSchema
  readonly output: JsonSchema
}

/** Shorter texts stand everywhere by accident. */
const minLength = 4
/** And so do numbers with fewer digits. */
const minDigits = 6
const maxDepth = 32

/** The texts that stand at places which the schema marks with `x-sensitive`. */
export function sensitiveTexts(schema: JsonSchema, value: unknown): readonly string[] {
  return textsMarked('x-sensitive', schema, value)
}

/** The texts that are sensitive in what a playbook is given. */
export function sensitiveGiven(
  { inputs: declared, alertSchema }: Pick<Playbook, 'inputs' | 'alertSchema'>,
  inputs: Readonly<Record<string, unknown>>,
  alert: { readonly data?: unknown } | undefined,
): readonly string[] {
  const texts = Array.from(declared, ([name, { schema, sensitive }]) =>
    sensitive ? textsIn(inputs[name]) : sensitiveTexts(schema, inputs[name]),
  )
  return [...texts.flat(), ...(alertSchema && alert ? sensitiveTexts(alertSchema, alert.data) : [])]
}

/** What expressions quote of a longer text, at least. */
const quotedLength = 57

/** For one answer or one step: less than half a second. */
const maxRedactorWork = 20_000_000

/** Takes sensitive texts out of what is said about a run. Where there are too many of them for it, nothing is said. */
export function hiding(texts: Iterable<string>): Redactor {
  const redactor = new Redactor([], undefined, maxRedactorWork)
  for (const text of texts) {
    redactor.add(text)
    if (text.length > quotedLength) redactor.add(text.slice(0, quotedLength))
  }
  return redactor
}

/** The error without sensitive texts. */
export function withoutSensitive(error: unknown, texts: ReadonlySet<string>): unknown {
  return texts.size === 0 ? error : hiding(texts).error(error, (one) => one instanceof TocsinError)
}

/** The texts that people will read: at places which the schema marks with `x-message`. */
export function messageTexts(schema: JsonSchema, value: unknown): readonly string[] {
  return textsMarked('x-message', schema, value)
}

/** All texts and numbers in a value that are long enough to be told from others. */
export function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return value.length < minLength ? [] : [value]
  if (typeof value === 'number' || typeof value === 'bigint') {
    return String(value).length < minDigits ? [] : [String(value)]
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1))
}

function textsMarked(
  mark: 'x-sensitive' | 'x-message',
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema = schema,
  depth = 0,
): readonly string[] {
  if (depth > maxDepth) return []
  if (schema[mark] === true) return textsIn(value)
  const inner = (part: JsonSchema, of: unknown) => textsMarked(mark, part, of, root, depth + 1)
  const found = alternatives(schema, root).flatMap((part) => inner(part, value))
  if (Array.isArray(value)) {
    const { items } = schema
    if (items) found.push(...value.flatMap((item) => inner(item === undefined ? {} : items, item)))
    return found
  }
  if (typeof value !== 'object' || value === null) return found
  for (const [key, of] of Object.entries(value)) {
    const part = fieldOf(schema, key)
    if (part) found.push(...inner(part, of))
  }
  return found
}

/** A copy in which all that stands at places which the schema marks with `x-sensitive` is replaced, however short. */
export function maskSensitive(schema: JsonSchema, value: unknown): unknown {
  return mask(schema, value, schema, 0)
}

function mask(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): unknown {
  if (depth > maxDepth || value === null || value === undefined) return value
  if (schema['x-sensitive'] === true) return hidden
  let shown: unknown = value
  for (const part of alternatives(schema, root)) shown = mask(part, shown, root, depth + 1)
  if (Array.isArray(shown)) {
    const { items } = schema
    return items ? shown.map((item) => mask(items, item, root, depth + 1)) : shown
  }
  if (typeof shown !== 'object' || shown === null) return shown
  const entries = Object.entries(shown).map(([key, of]) => {
    const part = fieldOf(schema, key)
    return [key, part ? mask(part, of, root, depth + 1) : of] as const
  })
  return Object.fromEntries(entries)
}

/** What a reference leads to, and the parts of a choice. */
function alternatives(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const name = schema.$ref?.startsWith('#/$defs/') ? schema.$ref.slice('#/$defs/'.length) : undefined
  const target = name !== undefined && Object.hasOwn(root.$defs ?? {}, name) ? root.$defs?.[name] : undefined
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return target ? [target, ...parts] : parts
}

function fieldOf(schema: JsonSchema, key: string): JsonSchema | undefined {
  const own = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined
  return own ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
}
