import { readFileSync } from 'node:fs'

/** Reads a recorded response. */
export function intelFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8'))
}
