import { readFileSync } from 'node:fs'
import { objectsAt, type JsonObject } from 'tocsin/plugin'

/** Reads one of the recorded answers. */
export function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8'))
}

/** The records of a recorded list. */
export const recorded = (name: string): readonly JsonObject[] => objectsAt(fixture(name), 'value')
