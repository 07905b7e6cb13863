import { readFileSync } from 'node:fs'

/** Reads a sample response. */
export function travelFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8'))
}
