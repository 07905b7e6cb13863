import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { alertScope, organizationScope, triggerScope } from '../scope/alert-scope.ts'
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
  playbook: WithMasks,
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
      trigger: triggerScope(run.trigger, alert !== undefined),
    },
    caseTitle: alert ? caseTitleOf(alert, playbook) : run.playbookName,
  }
}

/** Longest part of a title that comes from the alert, in characters. */
const maxTitle = 200

export type TitledAlert = Pick<Alert, 'id' | 'type' | 'title'>
type WithMasks = Pick<Playbook, 'masks'>

/**
 * The title of the alert, or its type if it has none, with its id. Cases do not accept sensitive values, and a title may contain
 * those that the playbook marks in the alert.
 */
export function caseTitleOf({ id, type, title }: TitledAlert, { masks }: WithMasks): string {
  const shown = (masks.alert === undefined ? title : null) ?? type ?? 'alert'
  return `${shown.slice(0, maxTitle)} (${id})`
}
