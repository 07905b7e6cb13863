import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'

/** What a skill does, for people. */
export interface SkillText {
  readonly title: string
  /** `Release Machine (edr.release) undoes it`, or `Nothing undoes it: …`. Undefined: unknown. */
  readonly undo?: string | undefined
}

/** What a destructive skill does and what undoes it, for people. */
export function skillText(catalogue: Pick<Catalogue, 'skill'>, { plugin, skill }: CatalogueSkill): SkillText {
  const { title } = skill
  if (skill.effect !== 'write') return { title }
  if (skill.undoneBy !== undefined) {
    const undoing = `${plugin.name}.${skill.undoneBy.skill}`
    const undoTitle = catalogue.skill(undoing)?.skill.title
    return { title, undo: `${undoTitle === undefined ? undoing : `${undoTitle} (${undoing})`} undoes it` }
  }
  return skill.irreversible === undefined
    ? { title }
    : { title, undo: `Nothing undoes it: ${skill.irreversible}` }
}
