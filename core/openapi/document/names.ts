import { keywords } from '../../expression/index.ts'

const maxLength = 60

/**
 * A name in snake_case; undefined if the text has no letter or digit.
 *
 * @example snakeCase('repos/getCommit') // 'repos_get_commit'
 */
export function snakeCase(text: string): string | undefined {
  const words = text
    .slice(0, 300)
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  if (words === null) return undefined
  const name = words.join('_').slice(0, maxLength).replace(/_+$/, '')
  return /^\d/.test(name) || keywords.includes(name) ? `x_${name}` : name
}

/** Assigns unique names. */
export class UniqueNames {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /** The wanted name, with a number if it is taken. */
  take(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}_${number}`
    this.#taken.add(name)
    return name
  }
}
