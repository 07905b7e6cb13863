import { canonicalJson } from '../audit/canonical-json.ts'
import { isObject, type JsonSchema } from '../plugin/index.ts'

/**
 * The target of an input: its fields without the text for people (`x-message`), which may differ for the same
 * target. Values are JSON, so none can look like another field.
 *
 * @example targetOf(isolate.input, { id: 'a1', comment: 'Beacon' }) // 'id: "a1"'
 */
export function targetOf(schema: JsonSchema, input: unknown): string {
  if (!isObject(input)) return canonicalJson(input ?? null)
  const isProse = (name: string) =>
    Object.hasOwn(schema.properties ?? {}, name) && schema.properties?.[name]?.['x-message'] === true
  const fields = Object.entries(input).filter(([name, value]) => value !== null && !isProse(name))
  return fields.map(([name, value]) => `${name}: ${canonicalJson(value)}`).join(', ')
}

/** Each text once with its count, the most frequent first, otherwise in the given order. */
export function counted(
  texts: readonly string[],
): readonly { readonly text: string; readonly count: number }[] {
  const groups = Map.groupBy(texts, (text) => text)
  return Array.from(groups, ([text, all]) => ({ text, count: all.length })).toSorted(
    (a, b) => b.count - a.count,
  )
}
