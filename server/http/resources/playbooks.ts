import type { StoredPlaybook } from '../../../core/ports.ts'
import { RequestError } from '../request-error.ts'
import { defineRoute, readers } from '../route.ts'
import { objectSchema, pageSchema, text, time, wholeView } from './page.ts'

const playbookView = ({ name, hash, origin, createdAt }: StoredPlaybook) => ({
  name,
  hash,
  origin,
  created_at: createdAt,
})

const playbookFields = {
  name: text,
  hash: text,
  origin: { enum: ['file', 'made'] },
  created_at: time,
} as const

const listPlaybooks = defineRoute({
  method: 'GET',
  path: '/playbooks',
  access: readers,
  summary: 'Lists playbooks, each in its newest version.',
  status: 200,
  answer: pageSchema(objectSchema(playbookFields)),
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
  answer: objectSchema({ ...playbookFields, source: text }),
  async handle({ params: { playbook } }, { stores }) {
    const found = (await stores.playbooks.find(playbook)) ?? (await stores.playbooks.findByHash(playbook))
    if (found === undefined)
      throw new RequestError('playbook_not_found', undefined, { hint: 'GET playbooks lists them' })
    return { body: { ...playbookView(found), source: found.source } }
  },
})

export const playbookRoutes = [listPlaybooks, getPlaybook]
