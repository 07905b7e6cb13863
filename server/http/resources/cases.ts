import type { Case } from '../../../core/domain/case.ts'
import type { CaseStore, Scope } from '../../../core/ports.ts'
import type { Directory } from '../directory.ts'
import { RequestError } from '../request-error.ts'
import { component, defineRoute, readers } from '../route.ts'
import { investigatedAlertView } from './alert-view.ts'
import { objectSchema, text, time, pageOf, pageParameters, pageSchema, pageView } from './page.ts'
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

/** Alerts and runs shown with a case; the rest are found by GET alerts and GET runs with `case`. */
const shownWithCase = 50
/** Entries of the timeline shown with a case; all of them come in pages. */
const shownEntries = 100

const getCase = defineRoute({
  method: 'GET',
  path: '/cases/{case}',
  access: readers,
  summary:
    'One case with its newest 50 alerts, its newest 50 runs, and the newest 100 entries of its timeline, oldest first.',
  status: 200,
  answer: component('case'),
  async handle({ params, caller: { scope } }, { stores, directory }) {
    const found = await requireCase(stores.cases, scope, params.case)
    const filter = { caseId: found.id }
    const [alerts, runs, timeline] = await Promise.all([
      stores.alerts.list(scope, filter, { limit: shownWithCase }),
      stores.runs.list(scope, filter, { limit: shownWithCase }),
      stores.cases.timeline(scope, found.id, { limit: shownEntries }),
    ])
    return {
      body: {
        ...(await caseView(found, directory)),
        alerts: alerts.data.map(investigatedAlertView),
        runs: await Promise.all(runs.data.map((run) => runView(run, directory))),
        timeline: timeline.data.toReversed(),
        timeline_total: timeline.total,
      },
    }
  },
})

const entrySchema = objectSchema({
  at: time,
  by: text,
  kind: { enum: ['opened', 'alert', 'changed', 'note', 'run_ended'] },
  text,
  changes: { type: ['object', 'null'] },
})

const getTimeline = defineRoute({
  method: 'GET',
  path: '/cases/{case}/timeline',
  access: readers,
  summary: 'What happened in a case, newest first.',
  status: 200,
  answer: pageSchema(entrySchema),
  query: { type: 'object', additionalProperties: false, properties: pageParameters },
  async handle({ params, query, caller: { scope } }, { stores }) {
    const { id } = await requireCase(stores.cases, scope, params.case)
    return { body: await pageView(await stores.cases.timeline(scope, id, pageOf(query)), (entry) => entry) }
  },
})

/** Throws RequestError `case_not_found`. */
async function requireCase(cases: CaseStore, scope: Scope, id: string): Promise<Case> {
  const found = await cases.find(scope, id)
  if (found !== undefined) return found
  throw new RequestError('case_not_found', undefined, { hint: 'GET cases lists those this API key may see' })
}

export const caseRoutes = [listCases, getCase, getTimeline]
