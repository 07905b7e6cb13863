import { readFileSync } from 'node:fs'
import { objectsAt, type JsonObject } from 'tocsin/plugin'

/** Reads a recorded response. */
export function endpointFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8'))
}

/** The records of a recorded list. */
export const recorded = (name: string): readonly JsonObject[] => objectsAt(endpointFixture(name), 'value')
