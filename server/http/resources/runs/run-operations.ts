import type { Organization } from '../../../../core/domain/organization.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { knownNames, namesUnknownConnection } from '../../../../core/investigation/known-names.ts'
import { isFor } from '../../../../core/playbook/check/owner.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { stepDecisions } from '../../../../core/domain/run.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { asRefusal } from '../playbooks/edit-playbook.ts'
import { requireCase } from '../cases/read-case.ts'
import { recallNewRun, recallRun, runView, stepView } from './run-view.ts'
import { showRun } from './redact-run.ts'
import { type Caller } from '../../caller/caller.ts'

export const cancelRun = defineRoute({
  method: 'POST',
  path: '/runs/{run}/cancel',
  once: true,
  access: 'runs:write',
  summary: 'Cancels a run: active steps end, and `finally` still runs.',
  answer: component('run'),
  recall: recallRun,
  async handle({ params, caller }, { control, directory }) {
    const run = await control.cancel(caller.scope, params.run, caller.actor)
    return { body: await runView(run, directory) }
  },
})

export const resolveStep = defineRoute({
  method: 'POST',
  path: '/runs/{run}/resolve',
  once: true,
  access: 'runs:write',
  summary: 'Decides a step with unknown outcome (state `unknown`). Only one decision counts.',
  answer: { type: 'object' },
  body: {
    required: ['path', 'decision'],
    properties: {
      path: { type: 'string', description: 'Path of the step, as in GET runs/{run}.' },
      decision: {
        enum: stepDecisions,
        description: 'It ran (with this output), it ran with an unknown output, repeat it, or skip it.',
      },
      output: { description: 'For `ran`: the output of the skill.' },
    },
  },
  async handle({ params, body, caller }, services) {
    const { path, decision, output } = body
    const given = { decision, output, by: caller.actor }
    const entry = await within('/output', () =>
      services.control.resolve(caller.scope, params.run, path, given),
    )
    const run = await services.stores.runs.find(caller.scope, params.run)
    const shown = run && (await showRun(run, services))
    return { body: shown && stepView(shown.masked(entry), []) }
  },
})

/** Checks connections first: otherwise the run would fail only when it reaches them. */
async function requireNames(
  playbook: Playbook,
  { uuid }: Organization,
  caller: Caller,
  { stores, playbooks, calculations }: Services,
): Promise<void> {
  const known = await knownNames(stores, [uuid])
  // Live playbooks are already valid: only a refusal needs positions, and a place in the queue of checks.
  if (!namesUnknownConnection(playbook, known)) return
  const { problems } = await calculations.slicesInTurn(caller, playbooks.check(playbook.source, known))
  const missing = problems.filter(({ code }) => code === 'E304')
  if (missing.length > 0) await asRefusal(Promise.reject(new PlaybookError('the playbook', missing)))
}

const ofAnother = ({ name, organization = '' }: Playbook): ValidationError => {
  const message = `the playbook '${name}' belongs to the organization ${organization}`
  return new ValidationError('playbook_of_another', message, [{ pointer: '/organization_code', message }], {
    hint: `start it for ${organization}`,
  })
}

export const startPlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/runs',
  access: 'runs:write',
  summary: 'Starts a playbook manually, if its `on` has `manual: true`.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  body: {
    required: ['organization_code'],
    properties: {
      organization_code: { type: 'string' },
      inputs: { type: 'object', description: 'By name; inputs with a default are optional.' },
      case_id: {
        type: 'string',
        description: 'A case of the organization that the run works in. Default: it opens its own.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { control, playbooks, directory } = services
    const { organization_code: code, inputs = {}, case_id: given } = body
    const organization = await directory.current(caller.scope, code, '/organization_code')
    // A shadow too: its refusal says more.
    const authored = [...playbooks.authored(), ...playbooks.shadows()]
    const seen = await directory.seen(caller.scope, authored)
    const playbook = seen.find(({ name }) => name === params.playbook)
    if (playbook === undefined) {
      throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists the playbooks' })
    }
    if (!isFor(playbook, organization.code)) throw ofAnother(playbook)
    if (playbook.shadow === undefined && !playbook.startedBy.hand) {
      throw new RequestError('playbook_not_manual', undefined, { hint: 'add `manual: true` to its `on`' })
    }
    await requireNames(playbook, organization, caller, services)
    const caseId =
      given === undefined ? undefined : (await requireCase(services, [organization.uuid], given)).id
    const run = await within('/inputs', () =>
      control.start({ playbook, organization, inputs, caseId, by: caller.actor }),
    )
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})
