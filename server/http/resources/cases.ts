import type { Case } from '../../../core/domain/case.ts'
import type { Directory } from '../directory.ts'
import { RequestError } from '../request-error.ts'
import { component, defineRoute, readers } from '../route.ts'
import { investigatedAlertView } from './alert-view.ts'
import { pageOf, pageParameters, pageSchema, pageView } from './page.ts'
import { runView } from './run-view.ts'

async function caseView(found: Case, directory: Directory): Promise<Readonly<Record<string, unknown>>> {
  return {
    case_id: found.id,
    organization_code: await directory.organizationCode(found.organizationUuid),
    organization_uuid: found.organizationUuid,
    title: found.title,
    summary: found.summary,
    status: found.status,
    severity: found.severity,
    verdict: found.verdict,
    assignee: found.assignee,
    created_at: found.createdAt,
    modified_at: found.modifiedAt,
  }
}

const listCases = defineRoute({
  method: 'GET',
  path: '/cases',
  access: readers,
  summary: 'Lists cases, newest first.',
  status: 200,
  answer: pageSchema(component('case')),
  query: { type: 'object', additionalProperties: false, properties: pageParameters },
  async handle({ query, caller }, { stores, directory }) {
    const page = await stores.cases.list(caller.scope, pageOf(query))
    return { body: await pageView(page, (found) => caseView(found, directory)) }
  },
})

/** Alerts shown with a case; the rest are found by GET alerts with `case`. */
const shownAlerts = 50

const getCase = defineRoute({
  method: 'GET',
  path: '/cases/{case}',
  access: readers,
  summary: 'One case with its newest 50 alerts, the runs about them, and its timeline, oldest entry first.',
  status: 200,
  answer: component('case'),
  async handle({ params, caller: { scope } }, { stores, directory }) {
    const found = await stores.cases.find(scope, params.case)
    if (found === undefined) {
      throw new RequestError('case_not_found', undefined, {
        hint: 'GET cases lists those this API key may see',
      })
    }
    const [alerts, timeline] = await Promise.all([
      stores.alerts.list(scope, { caseId: found.id }, { limit: shownAlerts }),
      stores.cases.timeline(scope, found.id),
    ])
    const pages = alerts.data.map(({ id }) =>
      stores.runs.list(scope, { alertId: id }, { limit: shownAlerts }),
    )
    const runs = (await Promise.all(pages))
      .flatMap((page) => page.data)
      .filter((run) => run.caseId === found.id)
    return {
      body: {
        ...(await caseView(found, directory)),
        alerts: alerts.data.map(investigatedAlertView),
        runs: await Promise.all(runs.map((run) => runView(run, directory))),
        timeline,
      },
    }
  },
})

export const caseRoutes = [listCases, getCase]
