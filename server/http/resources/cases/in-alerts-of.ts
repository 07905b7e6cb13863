import QuickLRU from 'quick-lru'
import { extractingSkill, listed, type Named } from '../../../../core/case/observables.ts'
import type { Case } from '../../../../core/domain/case.ts'
import type { Services } from '../../routing/route.ts'

/** Searches only the newest alerts and the beginning of each, to stay fast. */
const maxAlerts = 5
const maxCharacters = 32_000

/** By alert; contents never change. */
const known = new QuickLRU<string, readonly Named[]>({ maxSize: 500 })

/** Observables in the alerts of a case, if its runs extracted none. */
export async function inAlertsOf(
  { stores, catalogue }: Pick<Services, 'stores' | 'catalogue'>,
  { id, organizationUuid }: Case,
): Promise<readonly Named[]> {
  const skill = catalogue.skill(extractingSkill)?.skill
  if (skill === undefined) return []
  const page = { limit: maxAlerts, contentBytes: 4 * 1_048_576 }
  const { data: alerts } = await stores.alerts.list([organizationUuid], { caseId: id }, page)
  const found: Named[] = []
  for (const { uuid, content = '' } of alerts) {
    const named = known.get(uuid) ?? [...listed(await extract(skill, content.slice(0, maxCharacters)))]
    known.set(uuid, named)
    found.push(...named)
  }
  return found
}

type Skill = NonNullable<ReturnType<Services['catalogue']['skill']>>['skill']

/** The skill reads only its input. */
async function extract(skill: Skill, text: string): Promise<unknown> {
  return await Promise.resolve(skill.run({ text, include_private: true }, undefined as never)).catch(
    () => undefined,
  )
}
