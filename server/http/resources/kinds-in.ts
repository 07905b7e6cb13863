import { extractingSkill } from '../../../core/case/observables.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'

interface Kinds {
  /** Steps that tell something about observables. */
  readonly telling: readonly string[]
  /** Steps in which something sensitive may stand, to be kept out of what the others tell. */
  readonly sensitive: readonly string[]
}

const kinds = new WeakMap<Catalogue, Kinds>()

/** Kinds of steps that are looked for in journals. */
export function kindsIn(catalogue: Catalogue): Kinds {
  const known = kinds.get(catalogue)
  if (known !== undefined) return known
  const { skills } = catalogue
  const enriching = skills.filter(({ skill }) => skill.enriches !== undefined)
  const marked = skills.filter(({ skill: { input, output } }) =>
    JSON.stringify([input, output]).includes('"x-sensitive":true'),
  )
  const found = {
    telling: [extractingSkill, ...enriching.map(({ name }) => name)],
    // Forms have marks of their own.
    sensitive: ['checkpoint', ...marked.map(({ name }) => name)],
  }
  kinds.set(catalogue, found)
  return found
}
