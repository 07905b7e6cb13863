import { sharedViews, type SharedFilter } from '../../../../../core/ports/access/shared-filter-store.ts'
import { patterns } from '../../../request/patterns.ts'
import { defineRoute } from '../../../routing/route.ts'
import { actorSchema } from '../../system/audit.ts'
import { objectSchema, text, time } from '../../system/page.ts'

const apiSharedFilterSchema = objectSchema({
  filter_id: { ...text, format: 'uuid' },
  organization_code: text,
  view: { enum: sharedViews },
  name: text,
  search: { ...text, description: 'Query of the page, e.g. `active=true&sort=queue`.' },
  created_at: time,
  created_by: actorSchema,
})

const filterView = ({ uuid, organization, createdAt, createdBy, ...filter }: SharedFilter) => ({
  filter_id: uuid,
  organization_code: organization,
  ...filter,
  created_at: createdAt,
  created_by: createdBy,
})

const view = { type: 'string', enum: sharedViews } as const

const listFilters = defineRoute({
  method: 'GET',
  path: '/shared-filters',
  access: 'cases:read',
  summary: 'Filters of a list that people share in the organizations of the caller, by name.',
  answer: objectSchema({ data: { type: 'array', items: apiSharedFilterSchema } }),
  query: { view: { ...view, default: 'cases' } },
  async handle({ query, caller }, { stores }) {
    const found = await stores.sharedFilters.list(caller.scope, query.view ?? 'cases')
    return { body: { data: found.map(filterView) } }
  },
})

const shareFilter = defineRoute({
  method: 'POST',
  path: '/shared-filters',
  access: 'cases:write',
  summary: 'Shares filters of a list under a name with an organization; replaces those with the same name.',
  answer: apiSharedFilterSchema,
  body: {
    required: ['organization_code', 'view', 'name', 'search'],
    properties: {
      organization_code: text,
      view,
      name: { type: 'string', minLength: 1, maxLength: 60, ...patterns.line },
      search: { type: 'string', maxLength: 2_000, description: 'Query of the page, without `?`.' },
    },
  },
  async handle({ body, caller }, { stores, directory }) {
    const { uuid } = await directory.organization(caller.scope, body.organization_code, '/organization_code')
    const { view: of, name, search } = body
    return {
      body: filterView(await stores.sharedFilters.save(uuid, { view: of, name, search }, caller.actor)),
    }
  },
})

const deleteFilter = defineRoute({
  method: 'DELETE',
  path: '/shared-filters/{filter}',
  access: 'cases:write',
  summary: 'Deletes shared filters.',
  answer: objectSchema({ filter_id: text }),
  async handle({ params, caller }, { stores }) {
    await stores.sharedFilters.remove(caller.scope, params.filter)
    return { body: { filter_id: params.filter } }
  },
})

export const sharedFilterRoutes = [listFilters, shareFilter, deleteFilter]
