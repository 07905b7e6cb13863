import type { ListedPlaybook } from '../../../core/ports.ts'
import type { Directory } from '../directory.ts'
import { RequestError } from '../request-error.ts'
import { defineRoute, readers } from '../route.ts'
import { startRun } from './run-operations.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  sortByAge,
  text,
  textOrNull,
  time,
} from './page.ts'

async function playbookView(playbook: ListedPlaybook, directory: Directory) {
  const { name, hash, origin, organizationUuid, createdAt } = playbook
  const organizationCode =
    organizationUuid === null ? null : await directory.organizationCode(organizationUuid)
  return { name, hash, origin, organization_code: organizationCode, created_at: createdAt }
}

const playbookFields = {
  name: text,
  hash: text,
  origin: { enum: ['file', 'made'] },
  organization_code: {
    ...textOrNull,
    description: 'For whose alerts it was made; null for a written one, which all organizations share.',
  },
  created_at: time,
} as const

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
  async handle({ query, caller }, { stores, directory }) {
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const filter = { origin: query.origin, text: query.q }
    const page = await stores.playbooks.list(scope, pageOf(query), filter)
    return { body: await pageView(page, (playbook) => playbookView(playbook, directory)) }
  },
})

const getPlaybook = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}',
  access: readers,
  summary: 'The newest version of a playbook by its name, or any version by its hash, with the source.',
  status: 200,
  answer: objectSchema({ ...playbookFields, source: text }),
  async handle({ params: { playbook }, caller: { scope } }, { stores, directory }) {
    const found =
      (await stores.playbooks.find(scope, playbook)) ?? (await stores.playbooks.findByHash(scope, playbook))
    if (found === undefined)
      throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists them' })
    return { body: { ...(await playbookView(found, directory)), source: found.source } }
  },
})

export const playbookRoutes = [listPlaybooks, getPlaybook, startRun]
