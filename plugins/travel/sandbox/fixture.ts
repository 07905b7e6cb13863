import { readFileSync } from 'node:fs'

/** Reads one of the sample answers. */
export function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8'))
}
