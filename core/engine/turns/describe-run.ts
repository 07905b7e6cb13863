import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import { alertScope, organizationScope } from '../scope/alert-scope.ts'
import type { Stores } from '../../ports/stores.ts'
import type { RunNames } from '../scope/scope.ts'

/** What a run has to know about the world before it begins. */
export interface RunDescription {
  /** What its expressions see besides `steps`, `now`, `run` and `case`. */
  readonly names: RunNames
  /** Of the case that is opened for it. */
  readonly caseTitle: string
}

/** Reads the organization of a run and its alert, where that is not at hand. */
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

/** Longest part of a title that comes from the alert. */
const maxTitle = 200

/** Of the case that is opened for an alert. */
export function caseTitleOf(alert: Pick<Alert, 'id' | 'type'>): string {
  return `${(alert.type ?? 'alert').slice(0, maxTitle)} (${alert.id})`
}
