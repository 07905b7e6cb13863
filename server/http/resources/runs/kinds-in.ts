import { extractingSkill } from '../../../../core/case/observables.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'

interface Kinds {
  /** Steps that tell something about observables. */
  readonly telling: readonly string[]
}

const kinds = new WeakMap<Catalogue, Kinds>()

/** Kinds of steps that are looked for in journals. */
export function kindsIn(catalogue: Catalogue): Kinds {
  const known = kinds.get(catalogue)
  if (known !== undefined) return known
  const { skills } = catalogue
  const enriching = skills.filter(({ skill }) => skill.enriches !== undefined)
  const found = {
    telling: [extractingSkill, ...enriching.map(({ name }) => name)],
  }
  kinds.set(catalogue, found)
  return found
}
