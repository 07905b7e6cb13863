import type { JsonSchema } from '../plugin/index.ts'

/**
 * The value with the schema's defaults in place of absent fields, at every depth that is there. Copies what it changes; the
 * value itself and the schema's own default values stay as they are.
 */
export function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (value === undefined && schema.default !== undefined) return structuredClone(schema.default)
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? value : value.map((item: unknown) => withDefaults(items, item))
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value
  return objectWithDefaults(schema.properties, value as Readonly<Record<string, unknown>>)
}

function objectWithDefaults(
  properties: Readonly<Record<string, JsonSchema>>,
  value: Readonly<Record<string, unknown>>,
): unknown {
  const changed: [string, unknown][] = []
  for (const [name, schema] of Object.entries(properties)) {
    const before = Object.hasOwn(value, name) ? value[name] : undefined
    const after = withDefaults(schema, before)
    if (after !== before) changed.push([name, after])
  }
  // fromEntries defines own fields, also one named `__proto__`.
  return changed.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...changed])
}
