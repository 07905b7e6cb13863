import type { JsonSchema } from '../plugin/index.ts'

/** What a skill declares. */
export interface SkillSchemas {
  readonly input: JsonSchema
  readonly output: JsonSchema
}

/** Shorter texts stand everywhere by accident. */
const minLength = 4
const maxDepth = 32

/** The texts that stand at places which the schema marks with `x-sensitive`. */
export function sensitiveTexts(schema: JsonSchema, value: unknown): readonly string[] {
  return textsMarked('x-sensitive', schema, value)
}

/** The texts that people will read: at places which the schema marks with `x-message`. */
export function messageTexts(schema: JsonSchema, value: unknown): readonly string[] {
  return textsMarked('x-message', schema, value)
}

/** All texts in a value that are long enough to be told from others. */
export function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return value.length < minLength ? [] : [value]
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
  const found: string[] = []
  const name = schema.$ref?.startsWith('#/$defs/') ? schema.$ref.slice('#/$defs/'.length) : undefined
  const target = name !== undefined && Object.hasOwn(root.$defs ?? {}, name) ? root.$defs?.[name] : undefined
  if (target) found.push(...inner(target, value))
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    found.push(...inner(part, value))
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (items) found.push(...value.flatMap((item) => inner(item === undefined ? {} : items, item)))
    return found
  }
  if (typeof value !== 'object' || value === null) return found
  for (const [key, of] of Object.entries(value)) {
    const own = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined
    const extra = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
    const part = own ?? extra
    if (part) found.push(...inner(part, of))
  }
  return found
}
