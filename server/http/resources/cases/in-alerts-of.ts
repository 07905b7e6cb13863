import QuickLRU from 'quick-lru'
import type { Named } from '../../../../core/case/observables.ts'
import type { Case } from '../../../../core/domain/case.ts'
import { observablesOfAlert } from '../../../../core/observable/alert-observables.ts'
import type { Services } from '../../routing/route.ts'

/** Reads only the newest alerts, to stay fast. */
const maxAlerts = 5
const maxObservables = 500

/** By alert; contents never change. */
const known = new QuickLRU<string, readonly Named[]>({ maxSize: 500 })

/** Observables in the alerts of a case, if its runs extracted none: those of the index, and of alerts that are too new for it. */
export async function inAlertsOf(
  { stores, catalogue }: Pick<Services, 'stores' | 'catalogue'>,
  { id, organizationUuid }: Case,
): Promise<readonly Named[]> {
  const indexed = await stores.observables.ofCase(organizationUuid, id, maxObservables)
  if (indexed.length > 0) return indexed
  const page = { limit: maxAlerts, contentBytes: 4 * 1_048_576 }
  const { data: alerts } = await stores.alerts.list([organizationUuid], { caseId: id }, page)
  const found: Named[] = []
  for (const { uuid, content = '' } of alerts) {
    const named = known.get(uuid) ?? (await observablesOfAlert({ content }, catalogue))
    known.set(uuid, named)
    found.push(...named)
  }
  return found
}
