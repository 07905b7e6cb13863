import { describeAlert } from '../alert-source/index.ts'
import type { Alert } from '../domain/alert.ts'
import type { Organization } from '../domain/organization.ts'
import { alertScope, organizationScope } from '../engine/scope/alert-scope.ts'
import { toJsonOrNothing, type Program } from '../expression/index.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { CountedObservable, EntityCount } from '../ports/runs/trigger-store.ts'

/** Longest counted value, in characters; longer ones are left out. */
const maxValue = 500
/** Values that an expression may give for one alert. */
const maxValues = 50

/**
 * The values that the playbooks count in an alert.
 *
 * @param onError called for an expression that cannot be evaluated for the alert, which then does not count
 */
export function entityCounts(
  playbooks: readonly Playbook[],
  alert: Alert,
  organization: Organization,
  onError: (playbook: Playbook, error: unknown) => void,
): readonly EntityCount[] {
  let described: readonly CountedObservable[] | undefined
  return playbooks.flatMap((playbook) => {
    const { name, entityTrigger } = playbook
    if (entityTrigger === undefined) return []
    const { kinds, value, times, withinMs } = entityTrigger
    const count = { playbookName: name, times, withinMs }
    if (value === undefined) {
      described ??= describeAlert(alert).observables
      return [{ ...count, observables: described.filter(({ kind }) => kinds.includes(kind)) }]
    }
    try {
      const found = valuesOf(value, alert, organization)
      return [{ ...count, observables: found.map((text) => ({ kind: kinds[0]!, value: text })) }]
    } catch (error) {
      onError(playbook, error)
      // The window of the playbook still says which earlier alerts count.
      return [{ ...count, observables: [] }]
    }
  })
}

/** The strings and numbers that the expression gives, alone or in a list, without repeats. */
function valuesOf(program: Program, alert: Alert, organization: Organization): readonly string[] {
  const scope = { alert: alertScope(alert), organization: organizationScope(organization) }
  const given = [toJsonOrNothing(program.evaluate(scope))].flat()
  const texts = given.flatMap((each) =>
    typeof each === 'string' || typeof each === 'number' ? [String(each)] : [],
  )
  return [...new Set(texts)].filter((text) => text !== '' && text.length <= maxValue).slice(0, maxValues)
}
