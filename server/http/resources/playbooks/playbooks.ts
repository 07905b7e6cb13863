import { defineRoute } from '../../routing/route.ts'
import { dryRunPlaybook } from './dry-run-playbook.ts'
import { asRefusal, putPlaybook, validatePlaybook } from './edit-playbook.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  sortByAge,
  text,
} from '../system/page.ts'
import { apiGraphSchema, graphView } from './playbook-graph.ts'
import { listPlaybooks } from './list-playbooks.ts'
import { listManualPlaybooks } from './manual-playbooks.ts'
import { getPlaybookResults } from './playbook-results.ts'
import { playbookStateRoutes } from './playbook-state.ts'
import {
  playbookFields,
  playbookTag,
  playbookView,
  requirePlaybook,
  apiPlaybookSchema,
} from './playbook-view.ts'
import { startPlaybook } from '../runs/run-operations.ts'
import { triggerPlaybook } from '../runs/trigger-playbook.ts'
import { testPlaybook } from './test-playbook.ts'

const getPlaybook = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}',
  access: 'playbooks:read',
  summary: 'The newest version of a playbook by name, or any version by hash, with its source.',
  answer: objectSchema({ ...playbookFields, source: text }),
  async handle({ params: { playbook }, caller: { scope } }, services) {
    const found = await requirePlaybook(services.stores.playbooks, scope, playbook)
    return {
      body: { ...(await playbookView(found, services)), source: found.source },
      headers: playbookTag(found),
    }
  },
})

const getGraph = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/graph',
  access: 'playbooks:read',
  summary: 'The graph of a playbook by name or hash: its steps and paths, with coordinates.',
  answer: apiGraphSchema,
  async handle({ params: { playbook }, caller }, { stores, playbooks, calculations }) {
    const { hash } = await requirePlaybook(stores.playbooks, caller.scope, playbook)
    const found = await asRefusal(playbooks.byHash(hash))
    return { body: await calculations.inTurn(caller, () => graphView(found)) }
  },
})

const listVersions = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/versions',
  access: 'playbooks:read',
  summary: 'All versions of a playbook that were ever live, newest first.',
  answer: pageSchema(apiPlaybookSchema),
  query: { ...pageParameters, sort: sortByAge },
  async handle({ params, query, caller: { scope } }, services) {
    const { stores } = services
    const { name } = await requirePlaybook(stores.playbooks, scope, params.playbook)
    const page = await stores.playbooks.versions(scope, name, pageOf(query))
    return { body: await pageView(page, (playbook) => playbookView(playbook, services)) }
  },
})

export const playbookRoutes = [
  listPlaybooks,
  validatePlaybook,
  dryRunPlaybook,
  getPlaybook,
  putPlaybook,
  getGraph,
  listVersions,
  getPlaybookResults,
  ...playbookStateRoutes,
  testPlaybook,
  listManualPlaybooks,
  startPlaybook,
  triggerPlaybook,
]
