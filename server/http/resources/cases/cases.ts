import { caseSorts } from '../../../../core/ports/case-store.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { changeManyCases } from './bulk-cases.ts'
import { caseFilterOf, caseFilters } from './case-fields.ts'
import { caseTargetRoutes } from './case-targets.ts'
import { linkCases, unlinkCases } from './case-links.ts'
import { addTask, changeTask, listTasks } from './case-tasks.ts'
import { caseEntrySchema, caseFileView, caseView } from './case-view.ts'
import { entityTag } from '../../request/if-match.ts'
import { addNote, changeCase } from './change-case.ts'
import { caseFileRoutes } from './files/case-files.ts'
import { exportCase } from './export-case.ts'
import { pageOf, pageParameters, pageSchema, pageView } from '../system/page.ts'
import { mergeCases, splitCase } from './move-cases.ts'
import { previewCorrelations } from './preview-correlation.ts'
import { readCaseFile, requireCase } from './read-case.ts'

const sorts =
  'Descending with `-`. `queue`: the most severe first, and the oldest of them; `due_at`: the next target first.'

const listCases = defineRoute({
  method: 'GET',
  path: '/cases',
  access: 'cases:read',
  summary: 'Lists cases, newest first.',
  answer: pageSchema(component('case')),
  query: {
    ...pageParameters,
    ...caseFilters,
    sort: { type: 'string', enum: caseSorts, default: '-created_at', description: sorts },
  },
  async handle({ query, caller }, services) {
    const { stores, directory } = services
    const filter = await caseFilterOf(query, caller, services)
    const page = await stores.cases.list(caller.scope, filter, { ...pageOf(query), sort: query.sort })
    return { body: await pageView(page, (found) => caseView(found, directory)) }
  },
})

/** Limits of one case; `case` lists further alerts and runs, and the timeline has pages. */
const shownLimits = { alerts: 50, contentBytes: undefined, runs: 50, actions: 50, timeline: 100 }

const getCase = defineRoute({
  method: 'GET',
  path: '/cases/{case}',
  access: 'cases:read',
  summary:
    'One case with its newest 50 alerts and 50 runs, destructive actions, observables with their findings, and the newest 100 entries of its ' +
    'timeline, oldest first.',
  answer: component('case'),
  async handle({ params, caller: { scope } }, services) {
    const { directory } = services
    const found = await requireCase(services, scope, params.case)
    const file = await readCaseFile(services, found, shownLimits)
    const body = {
      ...(await caseView(found, directory)),
      ...(await caseFileView(file, services, scope)),
      actions_total: file.actions.length + file.leftOut.actions,
      timeline_total: file.timeline.length + file.leftOut.timeline,
    }
    return { body, headers: entityTag(found) }
  },
})

const getTimeline = defineRoute({
  method: 'GET',
  path: '/cases/{case}/timeline',
  access: 'cases:read',
  summary: 'The timeline of a case, newest first.',
  answer: pageSchema(caseEntrySchema),
  query: {
    ...pageParameters,
    sort: { type: 'string', enum: ['-at', 'at'], default: '-at', description: 'Newest first with `-`.' },
  },
  async handle({ params, query, caller: { scope } }, services) {
    const { id } = await requireCase(services, scope, params.case)
    const page = await services.stores.cases.timeline(scope, id, pageOf(query))
    return { body: await pageView(page, (entry) => entry) }
  },
})

export const caseRoutes = [
  listCases,
  getCase,
  changeCase,
  changeManyCases,
  addNote,
  addTask,
  changeTask,
  linkCases,
  unlinkCases,
  mergeCases,
  splitCase,
  getTimeline,
  exportCase,
  ...caseFileRoutes,
  previewCorrelations,
  listTasks,
  ...caseTargetRoutes,
]
