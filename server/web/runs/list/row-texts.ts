import type { Step } from '../../api/types.ts'

/** What a row of the timeline says of a step. */
interface RowTexts {
  readonly name: string
  /** Beside it, less loud. */
  readonly about: string
}

/** A step that nobody named is known by what it does; its place is a number. */
const isNumbered = (path: string): boolean => /(?:^|\/)\d+(?:\[[^\]]*\]|#\d+)*$/.test(path)

export function rowTexts({ path, kind }: Pick<Step, 'path' | 'kind'>): RowTexts {
  const place = lastParts(path)
  return isNumbered(path) ? { name: kind, about: place } : { name: place, about: kind }
}

/** Of a long path what tells most: the step and what is around it. */
function lastParts(path: string): string {
  const parts = path.split('/')
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path
}
