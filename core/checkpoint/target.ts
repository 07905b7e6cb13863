import { canonicalJson } from '../audit/canonical-json.ts'
import { isObject, type JsonSchema } from '../plugin/index.ts'

/**
 * What an input acts on: its fields without the prose for people (`x-message`), which differs where the target does not. Values stand
 * as JSON, so that none can look like a further field.
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

/** Each text once with how often it is there, the most frequent first, and else as they come. */
export function counted(
  texts: readonly string[],
): readonly { readonly text: string; readonly count: number }[] {
  const groups = Map.groupBy(texts, (text) => text)
  return Array.from(groups, ([text, all]) => ({ text, count: all.length })).toSorted(
    (a, b) => b.count - a.count,
  )
}
