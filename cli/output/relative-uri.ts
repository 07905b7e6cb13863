import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { standardInput } from '../playbook-files.ts'

/** A file as reports name it: relative to where the command runs, or whole where it is elsewhere. Standard input is `stdin`. */
export function relativeUri(file: string): string {
  if (file === standardInput) return 'stdin'
  const path = relative('.', resolve(file))
  if (path.startsWith('..') || isAbsolute(path)) return pathToFileURL(resolve(file)).href
  return path.split(sep).map(encodeURIComponent).join('/')
}
