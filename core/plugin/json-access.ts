/** Access to untrusted JSON. Only own fields are visible, so a field named `constructor` is ordinary data. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Whether the value is an object: not null and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field of an object; `undefined` if `value` is not an object or lacks it. */
export function valueAt(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** A string field; null if absent, empty or not a string. */
export function textAt(value: unknown, key: string): string | null {
  const text = valueAt(value, key)
  return typeof text === 'string' && text !== '' ? text : null
}

/** A number field; null if absent or not a number. */
export function numberAt(value: unknown, key: string): number | null {
  const number = valueAt(value, key)
  return typeof number === 'number' ? number : null
}

/** A count field: a whole number from 0, also as a string such as `"4"`; null if there is none. */
export function countAt(value: unknown, key: string): number | null {
  const given = valueAt(value, key)
  const count = typeof given === 'string' && /^\s*\d+\s*$/.test(given) ? Number(given) : given
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null
}

/** The objects in a list field; other elements are omitted. */
export function objectsAt(value: unknown, key: string): readonly JsonObject[] {
  const list = valueAt(value, key)
  return Array.isArray(list) ? list.filter(isObject) : []
}
