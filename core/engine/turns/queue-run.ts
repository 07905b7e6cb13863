import { createHash } from 'node:crypto'
import type { Alert } from '../../domain/alert.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Organization } from '../../domain/organization.ts'
import { maskOfType } from '../../playbook/check/mask-of-type.ts'
import { typeOfInputs } from '../../playbook/steps/read-call.ts'
import { evaluateTemplate, isSensitiveTemplate } from '../../playbook/template/template.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import type { Playbook, Template } from '../../playbook/language/playbook.ts'
import type { NewRun } from '../../domain/run.ts'
import { alertScope, organizationScope } from '../scope/alert-scope.ts'

export interface RunRequest {
  readonly playbook: Playbook
  readonly organization: Organization
  readonly alert?: Alert | undefined
  /** See `NewRun.retry`. */
  readonly retry?: boolean | undefined
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
  /** See `NewRun.choice`. */
  readonly choice?: string | undefined
  /** See `NewRun.by`. */
  readonly by?: Actor | undefined
}

/** What is sensitive is kept as a hash: it has to be the same, and need not be read. */
function keyOf(template: Template, names: Readonly<Record<string, unknown>>): string {
  const key = String(evaluateTemplate(template, names)).slice(0, maxKey)
  return isSensitiveTemplate(template) ? createHash('sha256').update(key).digest('hex') : key
}

/** Longest concurrency key, in characters; the rest does not count. */
const maxKey = 500

/**
 * What is stored of a run that is to be queued: its inputs with the defaults, its concurrency key.
 *
 * @throws ValidationError `inputs_invalid`; ExpressionError where the key cannot be evaluated
 */
export function newRun({
  playbook,
  organization,
  alert,
  retry,
  inputs = {},
  choice,
  by,
}: RunRequest): NewRun {
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
    ...(choice === undefined ? {} : { choice }),
    ...(playbook.inputs.size === 0 ? {} : { inputs: resolved }),
    ...(maskOfType(typeOfInputs(playbook.inputs, 'resolved')) === undefined ? {} : { isSensitive: true }),
    ...(concurrency && {
      concurrency: {
        key: keyOf(concurrency.key, names()),
        policy: concurrency.policy,
      },
    }),
  }
}
