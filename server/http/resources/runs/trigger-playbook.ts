import { ValidationError } from '../../../../core/errors/errors.ts'
import { organizationScope } from '../../../../core/engine/scope/alert-scope.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import type { RunTrigger } from '../../../../core/domain/run.ts'
import { isFor } from '../../../../core/playbook/check/owner.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { compileSchema } from '../../../../core/schema/index.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Recall, type Services } from '../../routing/route.ts'
import { requireVisibleOrganization } from '../access/organizations/lookups.ts'
import { objectSchema, textOrNull } from '../system/page.ts'
import { recallRun } from './run-view.ts'

const started = (uuid: string) => ({
  body: { run_uuid: uuid, reason: null },
  location: `/runs/${uuid}`,
})

const recall: Recall = { ...recallRun, answer: async (uuid) => started(String(uuid)) }

/** Starts a playbook with `on.webhook`. */
export const triggerPlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/trigger/{organization}',
  access: 'alerts:create',
  summary: 'Starts a playbook with `on.webhook` in an organization; the body is its `trigger.body`.',
  status: 202,
  answer: objectSchema({
    run_uuid: { ...textOrNull, description: 'The started run; null: none was started.' },
    reason: { ...textOrNull, description: 'Why no run was started.' },
  }),
  recall,
  admit: (caller, { intakeGate }) => intakeGate.admit(caller),
  keyInQuery: true,
  query: {
    key: {
      type: 'string',
      description:
        'The API key, if the sender can set no header. Only a key of the role `intake` is accepted here, because addresses are logged by proxies.',
    },
  },
  body: { properties: {} },
  otherFields: true,
  async handle({ params, body, caller }, services) {
    const organization = await requireVisibleOrganization(caller.scope, params.organization, services)
    const playbook = requireWebhook(params.playbook, organization, services)
    requireFit(playbook, body)
    const trigger: RunTrigger = {
      kind: 'webhook',
      at: new Date(services.clock.now()).toISOString(),
      chain: [],
      body,
    }
    if (!fits(playbook, trigger, organization))
      return { body: { run_uuid: null, reason: '`where` is false for this request' } }
    const run = await services.intakeGate.inTurn(organization.uuid, () => {
      requireRoom(organization, services)
      return services.control.start({ playbook, organization, trigger, by: caller.actor })
    })
    return started(run.uuid)
  },
})

/** Throws RequestError `playbook_not_found`, also for a playbook without `on.webhook` or of another organization: senders see no others. */
function requireWebhook(
  name: string,
  { code }: Organization,
  { playbooks }: Pick<Services, 'playbooks'>,
): Playbook {
  const playbook = playbooks.authored().find((each) => each.name === name)
  if (playbook?.webhookTrigger !== undefined && isFor(playbook, code)) return playbook
  throw new RequestError('playbook_not_found', undefined, {
    hint: 'use the name of a live playbook with `webhook` in its `on`',
  })
}

/** Throws ValidationError `value_invalid`. */
function requireFit({ webhookTrigger }: Playbook, body: unknown): void {
  const problems = webhookTrigger?.body ? compileSchema(webhookTrigger.body).problems(body) : []
  if (problems.length === 0) return
  const [{ pointer, message } = { pointer: '', message: '' }] = problems
  const what = pointer === '' ? 'the body' : pointer.slice(1)
  throw new ValidationError('value_invalid', `${what} ${message}`, problems, {
    hint: 'the playbook declares the schema of the body in `on.webhook.body`',
  })
}

/** Throws ValidationError `trigger_condition_failed`: the sender has to know that nothing happens. */
function fits({ webhookTrigger }: Playbook, trigger: RunTrigger, organization: Organization): boolean {
  try {
    const names = { trigger, organization: organizationScope(organization) }
    return webhookTrigger?.where === undefined || webhookTrigger.where.evaluate(names) === true
  } catch {
    const message = '`where` of the playbook cannot be evaluated for this body'
    throw new ValidationError('trigger_condition_failed', message, [{ pointer: '', message }], {
      hint: 'declare the fields that it reads in `on.webhook.body`',
    })
  }
}

/** Throws RequestError `investigations_full`. */
function requireRoom(
  { uuid }: Organization,
  { investigations, engine }: Pick<Services, 'investigations' | 'engine'>,
): void {
  if (investigations.accepting(uuid)) return
  engine.storms.count('refused', uuid)
  throw new RequestError('investigations_full', 'Too many runs are queued; nothing was started.', {
    hint: 'send the request again after the time in Retry-After',
    headers: { 'retry-after': '5' },
  })
}
