import { runStatuses, waitReasons } from '../../../../core/domain/run.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { epochMs, pageOf, pageParameters, pageSchema, pageView, sortByAge } from '../system/page.ts'
import { observableParameter, readObservable } from '../observables/observable-parameter.ts'
import { requireRun, runView } from './run-view.ts'
import { runExcerpt } from './run-excerpt.ts'
import { streamRunEvents } from './run-events.ts'
import { cancelRun, resolveStep } from './run-operations.ts'
import { retryRun, retryRuns } from './retries.ts'
import { previewRetries, previewRetry } from './retry-preview.ts'
import { listSteps } from './run-steps.ts'

const listRuns = defineRoute({
  method: 'GET',
  path: '/runs',
  access: 'runs:read',
  summary: 'Lists runs, newest first.',
  answer: pageSchema(component('run')),
  query: {
    ...pageParameters,
    alert: { type: 'string', description: 'Id of an alert.' },
    case: { type: 'string', description: 'Id of a case.' },
    organization: { type: 'string', description: 'Code of an organization.' },
    observable: observableParameter,
    playbook: { type: 'string', description: 'Name of a playbook.' },
    status: { type: 'string', enum: runStatuses },
    waits_for: {
      type: 'string',
      enum: waitReasons,
      description:
        'Waiting runs: for the `answer` to a question, or for the `decision` about a step with unknown outcome.',
    },
    error: { type: 'string', description: 'Code of the error that ended the run.' },
    created_after: { ...epochMs, description: 'Queued at this time or later (epoch milliseconds).' },
    created_before: { ...epochMs, description: 'Queued before this time (epoch milliseconds).' },
    sort: sortByAge,
  },
  async handle({ query, caller }, { stores, directory }) {
    const filter = {
      alertId: query.alert,
      caseId: query.case,
      observable: readObservable(query.observable),
      playbookName: query.playbook,
      status: query.status,
      errorCode: query.error,
      waitsFor: query.waits_for,
      createdAfter: query.created_after,
      createdBefore: query.created_before,
    }
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const page = await stores.runs.list(scope, filter, pageOf(query))
    return { body: await pageView(page, (run) => runView(run, directory)) }
  },
})

const getRun = defineRoute({
  method: 'GET',
  path: '/runs/{run}',
  access: 'runs:read',
  summary: 'Returns a run with its output and its steps: inputs, outputs, attempts, timing, errors.',
  answer: component('run'),
  async handle({ params, caller }, services) {
    const run = await requireRun(caller.scope, params.run, services)
    return { body: await services.excerptRunInTurn(run.organizationUuid, () => runExcerpt(run, services)) }
  },
})

export const runRoutes = [
  listRuns,
  getRun,
  listSteps,
  streamRunEvents,
  cancelRun,
  resolveStep,
  previewRetry,
  previewRetries,
  retryRun,
  retryRuns,
]
