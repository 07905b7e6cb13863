import type { RelatedCall } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'

/** The call that undoes a skill that contains; undefined if the skill does not contain, or nothing undoes it. */
export function undoOfContaining({ skill }: CatalogueSkill): RelatedCall | undefined {
  if (skill.effect !== 'write' || skill.destructive === undefined || skill.restores === true) return undefined
  return skill.undoneBy
}

/** Why a skill, or every skill of an interface, makes no containment that can be undone; undefined if it does. */
export function whyNotContaining(
  found: CatalogueSkill,
  catalogue: Pick<Catalogue, 'skill'> | undefined,
): { readonly message: string; readonly hint: string } | undefined {
  const { name, skill, implementedBy = [] } = found
  const hint = 'leave out `undo`'
  if (skill.effect !== 'write' || skill.destructive === undefined)
    return { message: `${name} contains nothing that could be undone`, hint }
  if (skill.restores === true) return { message: `${name} ends a containment and makes none`, hint }
  if (skill.irreversible !== undefined)
    return { message: `nothing undoes ${name}: ${skill.irreversible}`, hint }
  const implementing = implementedBy.flatMap((each) => catalogue?.skill(each) ?? [])
  const isAnyUndone = implementing.length === 0 || implementing.some((each) => undoOfContaining(each))
  return skill.undoneBy === undefined || !isAnyUndone
    ? { message: `nothing undoes ${name}`, hint }
    : undefined
}
