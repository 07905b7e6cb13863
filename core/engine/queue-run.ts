import type { Alert } from '../domain/alert.ts'
import type { Actor } from '../domain/audit.ts'
import type { Organization } from '../domain/organization.ts'
import { evaluateTemplate } from '../playbook/template.ts'
import { resolveInputs } from '../playbook/inputs.ts'
import type { Playbook } from '../playbook/playbook.ts'
import type { NewRun } from '../domain/run.ts'
import { alertScope, organizationScope } from './alert-scope.ts'

export interface RunRequest {
  readonly playbook: Playbook
  readonly organization: Organization
  readonly alert?: Alert | undefined
  /** See `NewRun.retry`. */
  readonly retry?: boolean | undefined
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
  /** See `NewRun.by`. */
  readonly by?: Actor | undefined
}

/** Longest concurrency key, in characters; the rest does not count. */
const maxKey = 500

/**
 * What is stored of a run that is to be queued: its inputs with the defaults, its concurrency key.
 *
 * @throws ValidationError `inputs_invalid`; ExpressionError where the key cannot be evaluated
 */
export function newRun({ playbook, organization, alert, retry, inputs = {}, by }: RunRequest): NewRun {
  const resolved = resolveInputs(playbook, inputs)
  const { concurrency } = playbook
  const names = () => ({
    inputs: resolved,
    organization: organizationScope(organization),
    ...(alert ? { alert: alertScope(alert) } : {}),
  })
  return {
    organizationUuid: organization.uuid,
    playbookName: playbook.name,
    playbookHash: playbook.hash,
    alertUuid: alert?.uuid ?? null,
    ...(retry === undefined ? {} : { retry }),
    ...(by === undefined ? {} : { by }),
    ...(playbook.inputs.size === 0 ? {} : { inputs: resolved }),
    ...(concurrency && {
      concurrency: {
        key: String(evaluateTemplate(concurrency.key, names())).slice(0, maxKey),
        policy: concurrency.policy,
      },
    }),
  }
}
