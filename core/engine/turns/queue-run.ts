import { createHash } from 'node:crypto'
import type { Alert } from '../../domain/alert.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Organization } from '../../domain/organization.ts'
import { ConflictError } from '../../errors/errors.ts'
import { evaluateTemplate, isSensitiveTemplate } from '../../playbook/template/template.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import type { Playbook, Template } from '../../playbook/language/playbook.ts'
import type { NewRun, RunTrigger } from '../../domain/run.ts'
import { rateKey } from '../steps/actions.ts'
import { alertScope, organizationScope, triggerScope } from '../scope/alert-scope.ts'

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
  /** See `NewRun.trigger`. */
  readonly trigger?: RunTrigger | undefined
  /** See `NewRun.caseId`. */
  readonly caseId?: string | undefined
  /** See `NewRun.undoes`. */
  readonly undoes?: string | undefined
  /** See `NewRun.expiredAt`. */
  readonly expiredAt?: number | undefined
}

/** A sensitive key is stored as a hash: it only has to be comparable. */
function keyOf(template: Template, names: Readonly<Record<string, unknown>>): string {
  const key = String(evaluateTemplate(template, names)).slice(0, maxKey)
  return isSensitiveTemplate(template) ? createHash('sha256').update(key).digest('hex') : key
}

/** Longest concurrency key, in characters; the rest is ignored. */
const maxKey = 500

/**
 * The stored fields of a run to queue: inputs with defaults, the concurrency key and the rate limit.
 *
 * @throws ConflictError `playbook_in_shadow`; ValidationError `inputs_invalid`; ExpressionError if the key cannot be evaluated
 */
export function newRun({
  playbook,
  organization,
  alert,
  retry,
  inputs = {},
  choice,
  by,
  trigger,
  caseId,
  undoes,
  expiredAt,
}: RunRequest): NewRun {
  requireLive(playbook)
  const resolved = resolveInputs(playbook, inputs)
  const { concurrency, rate } = playbook
  const names = () => ({
    inputs: resolved,
    organization: organizationScope(organization),
    ...(alert ? { alert: alertScope(alert) } : {}),
    trigger: triggerScope(trigger, alert !== undefined),
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
    ...(playbook.masks.inputs === undefined && playbook.masks.trigger === undefined
      ? {}
      : { isSensitive: true }),
    ...(trigger === undefined ? {} : { trigger }),
    ...(caseId === undefined ? {} : { caseId }),
    ...(undoes === undefined ? {} : { undoes }),
    ...(expiredAt === undefined ? {} : { expiredAt }),
    ...(concurrency && {
      concurrency: {
        key: keyOf(concurrency.key, names()),
        policy: concurrency.policy,
      },
    }),
    ...(rate && {
      rate: {
        limit: rate.limit,
        key: rateKey(rate.key, (key) => evaluateTemplate(key, names())),
        policy: rate.policy,
      },
    }),
  }
}

/** Nothing starts a playbook that runs in shadow. Throws ConflictError `playbook_in_shadow`. */
function requireLive({ name, shadow }: Playbook): void {
  if (shadow === undefined) return
  throw new ConflictError(
    'playbook_in_shadow',
    `the playbook '${name}' runs in shadow and is never started`,
    {
      hint: 'promote it, or start a dry run',
    },
  )
}
