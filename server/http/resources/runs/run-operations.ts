import type { Organization } from '../../../../core/domain/organization.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { knownNames, lacksConnection } from '../../../../core/investigation/known-names.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { stepDecisions } from '../../../../core/domain/run.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { asRefusal } from '../playbooks/edit-playbook.ts'
import { recallNewRun, recallRun } from '../alerts/recall-run.ts'
import { showRun } from './redact-run.ts'
import { runView, stepView } from './run-view.ts'
import { operators, type Caller } from '../../caller/caller.ts'

export const cancelRun = defineRoute({
  method: 'POST',
  path: '/runs/{run}/cancel',
  once: true,
  access: operators,
  summary: 'Cancels a run: what is under way ends, and the steps of `finally` still run.',
  status: 200,
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
  access: operators,
  summary:
    'Says what became of a step of which nobody knows whether it ran (state `unknown`). One decision counts.',
  status: 200,
  answer: { type: 'object' },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['path', 'decision'],
    properties: {
      path: { type: 'string', description: 'Of the step, as GET runs/{run} shows it.' },
      decision: {
        enum: stepDecisions,
        description:
          'It ran (with this output), it ran and nobody knows its output, it is to run again, or it is to be skipped.',
      },
      output: { description: 'For `ran`: what the skill would have answered.' },
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

/** A run whose connections do not exist in its organization would only fail once it comes to them. */
async function requireNames(
  playbook: Playbook,
  { uuid }: Organization,
  caller: Caller,
  { stores, playbooks, calculations }: Services,
): Promise<void> {
  const known = await knownNames(stores, [uuid])
  // What is in force has been checked: only a refusal needs its places, and a turn among those who check playbooks.
  if (!lacksConnection(playbook, known)) return
  const { problems } = await calculations.slicesInTurn(caller, playbooks.check(playbook.source, known))
  const missing = problems.filter(({ code }) => code === 'E304')
  if (missing.length > 0) await asRefusal(Promise.reject(new PlaybookError('the playbook', missing)))
}

export const startRun = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/runs',
  access: operators,
  summary: 'Starts a playbook by hand, where its `on` has `manual: true`.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['organization_code'],
    properties: {
      organization_code: { type: 'string' },
      inputs: { type: 'object', description: 'By name; those with a default may be left out.' },
    },
  },
  async handle({ params, body, caller }, services) {
    const { control, playbooks, directory } = services
    const { organization_code: code, inputs = {} } = body
    const organization = await directory.organization(caller.scope, code, '/organization_code')
    const playbook = playbooks.written().find(({ name }) => name === params.playbook)
    if (playbook === undefined) {
      throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists them' })
    }
    if (!playbook.startedBy.hand) {
      throw new RequestError('playbook_not_manual', undefined, { hint: 'add manual: true to its `on`' })
    }
    await requireNames(playbook, organization, caller, services)
    const run = await within('/inputs', () =>
      control.start({ playbook, organization, inputs, by: caller.actor }),
    )
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})
