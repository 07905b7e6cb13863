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

const listPlaybooks = defineRoute({
  method: 'GET',
  path: '/playbooks',
  access: 'playbooks:read',
  summary:
    'Lists the newest version of each playbook: authored ones, and those generated for organizations of the key.',
  answer: pageSchema(apiPlaybookSchema),
  query: {
    ...pageParameters,
    organization: {
      type: 'string',
      description: 'Code of an organization: playbooks generated for it, and authored ones.',
    },
    origin: {
      type: 'string',
      enum: ['file', 'made', 'trial'],
      description: 'Default: all except `trial`, which tries a skill.',
    },
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Text in the name, ignoring case.',
    },
    sort: sortByAge,
  },
  async handle({ query, caller }, services) {
    const { stores, directory } = services
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const filter = { origin: query.origin, text: query.q }
    const page = await stores.playbooks.list(scope, pageOf(query), filter)
    return { body: await pageView(page, (playbook) => playbookView(playbook, services)) }
  },
})

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
