import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import { alertScope, organizationScope } from '../scope/alert-scope.ts'
import type { Stores } from '../../ports/stores.ts'
import type { RunNames } from '../scope/scope.ts'

/** Data of a run that is read before it begins. */
export interface RunDescription {
  /** The names that expressions see, except `steps`, `now`, `run` and `case`. */
  readonly names: RunNames
  /** Title of a case that the run opens. */
  readonly caseTitle: string
}

/** @param known the alert, if the caller has it already */
export async function describeRun(
  stores: Pick<Stores, 'alerts' | 'organizations'>,
  run: Run,
  known?: Alert,
): Promise<RunDescription> {
  const scope = [run.organizationUuid]
  const [[organization], alert] = await Promise.all([
    stores.organizations.list(scope),
    known ?? (run.alertId === null ? undefined : stores.alerts.find(scope, run.alertId)),
  ])
  return {
    names: {
      inputs: run.inputs,
      ...(organization ? { organization: organizationScope(organization) } : {}),
      ...(alert ? { alert: alertScope(alert) } : {}),
    },
    caseTitle: alert ? caseTitleOf(alert) : run.playbookName,
  }
}

/** Longest part of a title that comes from the alert, in characters. */
const maxTitle = 200

export function caseTitleOf(alert: Pick<Alert, 'id' | 'type'>): string {
  return `${(alert.type ?? 'alert').slice(0, maxTitle)} (${alert.id})`
}
