import { extractingSkill, type SkillNature } from '../../../../core/case/observables.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'

interface Kinds {
  /** Steps that tell something about observables. */
  readonly telling: readonly string[]
  /** Calls of all other skills. */
  readonly others: readonly string[]
  readonly nature: SkillNature
}

const kinds = new WeakMap<Catalogue, Kinds>()

/** Kinds of steps that are looked for in journals. */
export function kindsIn(catalogue: Catalogue): Kinds {
  const known = kinds.get(catalogue)
  if (known !== undefined) return known
  const { skills } = catalogue
  const enriching = skills.filter(({ skill }) => skill.enriches !== undefined)
  const telling = [extractingSkill, ...enriching.map(({ name }) => name)]
  const found = {
    telling,
    others: skills.map(({ name }) => name).filter((name) => !telling.includes(name)),
    nature: {
      enriches: (name: string) => catalogue.skill(name)?.skill.enriches !== undefined,
      reads: (name: string) => catalogue.skill(name)?.skill.effect === 'read',
      asks: (name: string) => catalogue.skill(name)?.skill.asks === true,
    },
  }
  kinds.set(catalogue, found)
  return found
}
