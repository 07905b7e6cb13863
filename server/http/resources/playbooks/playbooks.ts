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
import { graphSchema, graphView } from './playbook-graph.ts'
import { playbookResults } from './playbook-results.ts'
import { playbookFields, playbookTag, playbookView, requirePlaybook } from './playbook-view.ts'
import { startRun } from '../runs/run-operations.ts'
import { testPlaybook } from './test-playbook.ts'
import { readers } from '../../caller/caller.ts'

const listPlaybooks = defineRoute({
  method: 'GET',
  path: '/playbooks',
  access: readers,
  summary:
    'Lists playbooks, each in its newest version: those that were written, and those made for organizations of the key.',
  status: 200,
  answer: pageSchema(objectSchema(playbookFields)),
  query: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...pageParameters,
      organization: {
        type: 'string',
        description: 'Code of an organization: what was made for it, and what all organizations share.',
      },
      origin: { type: 'string', enum: ['file', 'made'] },
      q: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Stands in the name, in any letter case.',
      },
      sort: sortByAge,
    },
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
  access: readers,
  summary: 'The newest version of a playbook by its name, or any version by its hash, with the source.',
  status: 200,
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
  access: readers,
  summary: 'A picture of a playbook, by its name or hash: its steps and ways, each with its place.',
  status: 200,
  answer: graphSchema,
  async handle({ params: { playbook }, caller }, { stores, playbooks, calculations }) {
    const { hash } = await requirePlaybook(stores.playbooks, caller.scope, playbook)
    const found = await asRefusal(playbooks.byHash(hash))
    return { body: await calculations.inTurn(caller, () => graphView(found)) }
  },
})

const listVersions = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/versions',
  access: readers,
  summary: 'All versions of a playbook that were ever in force, newest first.',
  status: 200,
  answer: pageSchema(objectSchema(playbookFields)),
  query: { type: 'object', additionalProperties: false, properties: { ...pageParameters, sort: sortByAge } },
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
  playbookResults,
  testPlaybook,
  startRun,
]
