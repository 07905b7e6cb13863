import { subjectsOf } from '../../alert-source/index.ts'
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
  /** Title of a case that the run opens. Reads the content of the alert. */
  readonly caseTitle: () => string
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
    caseTitle: () => (alert ? caseTitleOf(alert, playbook) : run.playbookName),
  }
}

/** Longest part of a title that comes from the alert, in characters. */
const maxTitle = 200

export type TitledAlert = Pick<Alert, 'id' | 'type' | 'title' | 'content'>
type WithMasks = Pick<Playbook, 'masks'>

/**
 * A title for people: the title of the alert or the words of its type, and what the alert is about, such as a user and an address. Without
 * a subject it has the id, so that cases can be told apart. Cases do not accept sensitive values, and the alert may contain those
 * that the playbook marks in it.
 *
 * @param subjectsOfIt if its content was read already
 */
export function caseTitleOf(
  alert: TitledAlert,
  { masks }: WithMasks,
  subjectsOfIt = () => subjectsOf(alert),
): string {
  const words = wordsOf(alert.type ?? 'alert')
  if (masks.alert !== undefined) return `${words} (${alert.id})`
  const title = (alert.title ?? words).slice(0, maxTitle).toWellFormed()
  const known = title.toLowerCase()
  const all = subjectsOfIt()
  const subjects = all.filter((subject) => !known.includes(subject.toLowerCase()))
  // A title that ends with a subject goes on with the others.
  const isList = all.some((subject) => known.endsWith(subject.toLowerCase()))
  if (subjects.length > 0) return `${withoutStop(title)}${isList ? ', ' : ': '}${subjects.join(', ')}`
  return alert.title === null || alert.title === '' ? `${title} (${alert.id})` : title
}

/** A text that something follows. */
const withoutStop = (title: string): string => title.replace(/[\s.:;,]{1,10}$/, '') || title

/** `impossible_travel` as `Impossible travel`; a type of any other form stays. */
function wordsOf(type: string): string {
  if (!/^[a-z0-9]+([_-][a-z0-9]+)*$/.test(type)) return type.slice(0, maxTitle).toWellFormed()
  const words = type.replaceAll(/[_-]/g, ' ').slice(0, maxTitle)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
