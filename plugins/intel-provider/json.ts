/** Reads of JSON whose shape nobody guarantees. Only own properties are seen, so a key named `constructor` is data like any other. */

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `undefined` where `value` is no object or lacks the key. */
export function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The text, or null where it is absent, empty or no text. */
export function textAt(value: unknown, key: string): string | null {
  const text = own(value, key)
  return typeof text === 'string' && text !== '' ? text : null
}

export function numberAt(value: unknown, key: string): number | null {
  const number = own(value, key)
  return typeof number === 'number' ? number : null
}

/** The objects of a list; absent, null and foreign elements are left out. */
export function objectsAt(value: unknown, key: string): readonly JsonObject[] {
  const list = own(value, key)
  return Array.isArray(list) ? list.filter(isObject) : []
}
