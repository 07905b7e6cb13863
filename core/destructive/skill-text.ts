import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'

/** What a skill does, for people. */
export interface SkillText {
  readonly title: string
  /** `Release Machine (edr.release) undoes it`, or `Nothing undoes it: …`. Undefined: unknown. */
  readonly undo?: string | undefined
  /** See `lastsText`. Undefined: until it is undone. */
  readonly lasts?: string | undefined
}

/** `It is undone after 4 hours`. */
export function lastsText(afterMs: number, isConditional: boolean): string {
  const [count, unit] = units
    .map(([ms, name]) => [afterMs / ms, name] as const)
    .find(([n]) => Number.isInteger(n)) ?? [afterMs, 'millisecond']
  return `It is undone after ${count} ${unit}${count === 1 ? '' : 's'}${isConditional ? ', unless the condition of the step then holds' : ''}`
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const

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
