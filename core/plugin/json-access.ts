/** Reads of JSON whose shape nobody guarantees. Only own fields are seen, so one named `constructor` is data like any other. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Whether the value is an object, and neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The field of an object; `undefined` where `value` is no object or lacks it. */
export function valueAt(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The text in a field, or null where it is absent, empty or no text. */
export function textAt(value: unknown, key: string): string | null {
  const text = valueAt(value, key)
  return typeof text === 'string' && text !== '' ? text : null
}

/** The number in a field, or null where there is none. */
export function numberAt(value: unknown, key: string): number | null {
  const number = valueAt(value, key)
  return typeof number === 'number' ? number : null
}

/** The count in a field: a whole number from 0, also as text such as `"4"`; null where there is none. */
export function countAt(value: unknown, key: string): number | null {
  const given = valueAt(value, key)
  const count = typeof given === 'string' && /^\s*\d+\s*$/.test(given) ? Number(given) : given
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null
}

/** The objects of the list in a field; absent, null and foreign elements are left out. */
export function objectsAt(value: unknown, key: string): readonly JsonObject[] {
  const list = valueAt(value, key)
  return Array.isArray(list) ? list.filter(isObject) : []
}
