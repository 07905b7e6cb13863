import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A file as reports name it: relative to where the command runs, or whole where it is elsewhere. */
export function relativeUri(file: string): string {
  const path = relative('.', resolve(file))
  if (path.startsWith('..') || isAbsolute(path)) return pathToFileURL(resolve(file)).href
  return path.split(sep).map(encodeURIComponent).join('/')
}
