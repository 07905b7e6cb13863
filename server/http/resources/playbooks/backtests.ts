import { backtestView } from '../../../../core/backtest/backtest-view.ts'
import { maxBacktestAlerts } from '../../../../core/backtest/backtests.ts'
import type { PlaybookVersion } from '../../../../core/backtest/recording.ts'
import { newInputPolicies } from '../../../../core/backtest/replay-notes.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import { knownNames } from '../../../../core/investigation/known-names.ts'
import { isFor } from '../../../../core/playbook/check/owner.ts'
import { type Caller } from '../../caller/caller.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { epochMs, flag, objectSchema } from '../system/page.ts'
import { backtestSchema, comparedRunsSchema, comparedRunsView } from './backtest-view.ts'
import { asRefusal, playbookSource } from './edit-playbook.ts'
import { requirePlaybook } from './playbook-view.ts'

const defaultSpanMs = 30 * 86_400_000
const defaultLimit = 500

const startBacktest = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/backtests',
  // A second one changes nothing either.
  once: false,
  access: 'playbooks:test',
  summary:
    'Runs an edited version of a playbook against recorded alerts with their recorded replies, in the background. Writes nothing.',
  status: 201,
  answer: backtestSchema,
  body: {
    required: ['organization_code', 'source'],
    properties: {
      organization_code: { type: 'string', description: 'The organization whose alerts are replayed.' },
      source: { ...playbookSource, description: 'YAML of the edited version.' },
      created_after: {
        ...epochMs,
        description:
          'Alerts whose runs were queued from this time on (epoch milliseconds). Default: 30 days ago.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: maxBacktestAlerts,
        description: `Most alerts; the newest count. Default: ${defaultLimit}.`,
      },
      new_input: {
        enum: newInputPolicies,
        description:
          'For calls and questions that were not recorded. `fail` (default): the alert cannot be judged. `assume`: the example of the skill, and no answer of people. `live`: read-only skills make real calls.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { stores, directory, backtests, clock } = services
    const { new_input: policy = 'fail', limit = defaultLimit, created_after: since } = body
    const organization = await directory.current(caller.scope, body.organization_code, '/organization_code')
    const source = await liveSource(params.playbook, organization, services)
    const base = await versionIn(source, organization, caller, services)
    const candidate = await versionIn(body.source, organization, caller, services)
    const record = (alerts: number) =>
      stores.audit.record({
        action: 'playbook.backtest',
        by: caller.actor,
        organizationUuid: organization.uuid,
        subject: { kind: 'playbook', id: candidate.playbook.hash, name: candidate.playbook.name },
        details: { alerts, new_input: policy },
      })
    const from = since ?? clock.now() - defaultSpanMs
    const request = { organization, base, candidate, since: from, limit, policy, by: caller.actor }
    const backtest = await backtests.start(request, record)
    return { body: backtestView(backtest, false), location: `/backtests/${backtest.id}` }
  },
})

/** Of the authored playbook, else of the playbook that was generated for the organization. */
async function liveSource(
  name: string,
  { uuid, code }: Organization,
  { playbooks, stores }: Services,
): Promise<string> {
  const authored = playbooks.authored().find((playbook) => playbook.name === name && isFor(playbook, code))
  return (authored ?? (await requirePlaybook(stores.playbooks, [uuid], name))).source
}

async function versionIn(
  source: string,
  { uuid }: Organization,
  caller: Caller,
  { stores, playbooks, calculations }: Services,
): Promise<PlaybookVersion> {
  const known = await knownNames(stores, [uuid])
  const { playbook, called, problems } = await calculations.slicesInTurn(
    caller,
    playbooks.check(source, known),
  )
  if (playbook !== undefined) return { playbook, called }
  return await asRefusal(Promise.reject(new PlaybookError('the playbook', problems)))
}

const rowsParameter = {
  rows: { ...flag, description: '`false`: without the alerts, to follow the progress. Default: `true`.' },
} as const

const listBacktests = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/backtests',
  access: 'runs:read',
  summary: 'Lists the latest backtests of a playbook, newest first, without their alerts.',
  answer: objectSchema({ data: { type: 'array', items: backtestSchema } }),
  async handle({ params, caller }, { backtests }) {
    const found = backtests.list(caller.scope, params.playbook)
    return { body: { data: found.map((each) => backtestView(each, false)) } }
  },
})

const getBacktest = defineRoute({
  method: 'GET',
  path: '/backtests/{backtest}',
  access: 'runs:read',
  summary: 'Returns a backtest with its progress, its groups of changes, and its alerts so far.',
  answer: backtestSchema,
  query: rowsParameter,
  async handle({ params, query, caller }, { backtests, calculations }) {
    const backtest = backtests.find(caller.scope, params.backtest)
    return { body: await calculations.inTurn(caller, () => backtestView(backtest, query.rows !== 'false')) }
  },
})

const cancelBacktest = defineRoute({
  method: 'POST',
  path: '/backtests/{backtest}/cancel',
  access: 'playbooks:test',
  summary: 'Cancels a backtest; its results so far stay.',
  answer: backtestSchema,
  async handle({ params, caller }, { backtests }) {
    return { body: backtestView(backtests.cancel(caller.scope, params.backtest), false) }
  },
})

const resumeBacktest = defineRoute({
  method: 'POST',
  path: '/backtests/{backtest}/resume',
  access: 'playbooks:test',
  summary: 'Continues a cancelled or failed backtest with the alerts that are left.',
  answer: backtestSchema,
  async handle({ params, caller }, { backtests }) {
    return { body: backtestView(backtests.resume(caller.scope, params.backtest), false) }
  },
})

const getComparedRuns = defineRoute({
  method: 'GET',
  path: '/backtests/{backtest}/runs/{run}',
  access: 'playbooks:test',
  summary: 'Replays one alert of a backtest again, and returns the steps of both versions.',
  answer: comparedRunsSchema,
  async handle({ params, caller, gone }, { backtests, dryRunGate, calculations, catalogue }) {
    const backtest = backtests.find(caller.scope, params.backtest)
    const { organization, base, candidate } = backtest.request
    const compared = await dryRunGate.through(organization.uuid, gone(), (signal) =>
      backtests.compare(caller.scope, backtest.id, params.run, signal),
    )
    const versions = { base: base.playbook, candidate: candidate.playbook }
    return { body: await calculations.inTurn(caller, () => comparedRunsView(compared, versions, catalogue)) }
  },
})

export const backtestRoutes = [
  startBacktest,
  listBacktests,
  getBacktest,
  cancelBacktest,
  resumeBacktest,
  getComparedRuns,
]
