import { alertStatus } from '../../../../core/domain/alert.ts'
import { alertSorts } from '../../../../core/ports/alert-store.ts'
import { patterns } from '../../request/patterns.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { observablesInAlert } from './alert-observables.ts'
import { observableParameter, readObservable } from '../observables/observable-parameter.ts'
import { recallNewRun, runView } from '../runs/run-view.ts'
import { investigatedAlertView, requireAlert, wholeAlertSchema } from './alert-view.ts'
import { createAlert } from './create-alert.ts'
import { forwardAlert } from './forward-alert.ts'
import { epochMs, pageOf, pageParameters, pageSchema, pageView } from '../system/page.ts'

/** Limit for the contents in one page. */
const maxContentBytes = 1_048_576

const listAlerts = defineRoute({
  method: 'GET',
  path: '/alerts',
  access: 'alerts:read',
  summary: 'Lists alerts, newest first.',
  answer: pageSchema(component('alert')),
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    provider: { type: 'string', description: 'Code of a provider.' },
    type: { type: 'string', description: 'The exact alert type.' },
    status: {
      type: 'integer',
      enum: Object.values(alertStatus),
      description: 'Value of `investigation_status`.',
    },
    case: { type: 'string', description: 'Id of a case.' },
    observable: observableParameter,
    created_after: { ...epochMs, description: 'Stored at this time or later (epoch milliseconds).' },
    created_before: { ...epochMs, description: 'Stored before this time (epoch milliseconds).' },
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      ...patterns.searchWords,
      description: 'Words in the id, type or content: all of them, in any order, ignoring case.',
    },
    sort: { type: 'string', enum: alertSorts, default: '-created_at', description: 'Descending with `-`.' },
    content: {
      type: 'string',
      enum: ['true', 'false', 'preview'],
      default: 'false',
      description:
        'Whether rows have `alert_content`, which limits a page to 1 MB of it, or `content_preview`.',
    },
  },
  async handle({ query, caller }, { stores, directory }) {
    const organization =
      query.organization === undefined
        ? undefined
        : await directory.organization(caller.scope, query.organization, '/organization')
    const provider =
      query.provider === undefined ? undefined : await directory.provider(query.provider, '/provider')
    const filter = {
      organization: organization?.code,
      provider: provider?.code,
      type: query.type,
      status: query.status,
      caseId: query.case,
      observable: readObservable(query.observable),
      words: query.q,
      createdAfter: query.created_after,
      createdBefore: query.created_before,
    }
    const page = await stores.alerts.list(caller.scope, filter, {
      ...pageOf(query),
      sort: query.sort,
      contentBytes: query.content === 'true' ? maxContentBytes : undefined,
      hasPreviews: query.content === 'preview',
    })
    return { body: await pageView(page, investigatedAlertView) }
  },
})

const getAlert = defineRoute({
  method: 'GET',
  path: '/alerts/{alert}',
  access: 'alerts:read',
  summary: 'One alert by id or uuid, with its observables and runs.',
  answer: wholeAlertSchema,
  async handle({ params, caller }, { stores, directory }) {
    const alert = await requireAlert({ stores }, caller.scope, params.alert)
    const about = [alert.id, ...(alert.groupedWith === null ? [] : [alert.groupedWith])]
    const pages = await Promise.all(
      about.map((alertId) => stores.runs.list(caller.scope, { alertId }, { limit: 200 })),
    )
    const runs = pages.flatMap(({ data }) => data)
    const views = await Promise.all(runs.map((run) => runView(run, directory)))
    return {
      body: {
        ...investigatedAlertView(alert),
        observables: await observablesInAlert(alert, caller.scope, stores),
        runs: views,
      },
    }
  },
})

const investigateAgain = defineRoute({
  method: 'POST',
  path: '/alerts/{alert}/investigate',
  access: 'alerts:write',
  summary:
    'Investigates an alert again from the start, with the playbook that matches now; increments its retry count.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  async handle({ params, caller }, { stores, investigations, directory }) {
    const alert = await requireAlert({ stores }, caller.scope, params.alert)
    const run = await investigations.again(alert, caller.actor)
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

export const alertRoutes = [createAlert, forwardAlert, listAlerts, getAlert, investigateAgain]
