import { relative } from 'node:path'

/** As a person would type it. */
export function shortestPath(path: string): string {
  const fromHere = relative('.', path)
  return fromHere === '' ? '.' : fromHere.startsWith('..') ? path : fromHere
}
