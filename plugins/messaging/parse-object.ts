import { isObject, type JsonObject } from 'tocsin/plugin'

/** Parses a JSON object; `undefined` for anything else. Never throws. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
