import type { StoredPlaybook } from '../../../core/ports.ts'
import { RequestError } from '../request-error.ts'
import { defineRoute, readers } from '../route.ts'
import { wholeView } from './page.ts'

const playbookView = ({ name, hash, origin, createdAt }: StoredPlaybook) => ({
  name,
  hash,
  origin,
  created_at: createdAt,
})

const listPlaybooks = defineRoute({
  method: 'GET',
  path: '/playbooks',
  access: readers,
  summary: 'Lists playbooks, each in its newest version.',
  status: 200,
  async handle(_request, { stores }) {
    return { body: await wholeView(await stores.playbooks.list(), playbookView) }
  },
})

const getPlaybook = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}',
  access: readers,
  summary: 'The newest version of a playbook by its name, or any version by its hash, with the source.',
  status: 200,
  async handle({ params: { playbook } }, { stores }) {
    const found = (await stores.playbooks.find(playbook)) ?? (await stores.playbooks.findByHash(playbook))
    if (found === undefined)
      throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists them' })
    return { body: { ...playbookView(found), source: found.source } }
  },
})

export const playbookRoutes = [listPlaybooks, getPlaybook]
