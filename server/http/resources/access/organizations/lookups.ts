import type { Organization, Provider } from '../../../../../core/domain/organization.ts'
import { textAt } from '../../../../../core/plugin/index.ts'
import type { ListPage, OrganizationScope } from '../../../../../core/ports/common.ts'
import { foldCode } from '../../../caller/directory.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../../request/if-match.ts'
import { patterns } from '../../../request/patterns.ts'
import { RequestError } from '../../../request/request-error.ts'
import { pageOfRows, type RowsRequest } from '../../../routing/page-rows.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { requireWholeScope } from '../../../caller/authenticate.ts'
import { takeUpRefused } from '../../playbooks/edit-playbook.ts'
import {
  objectSchema,
  pageParameters,
  pageSchema,
  pageView,
  sortParameter,
  text,
  time,
} from '../../system/page.ts'

const name = { type: 'string', minLength: 1, maxLength: 200, ...patterns.line } as const

const codeAndName = {
  required: ['code', 'name'],
  properties: {
    code: {
      type: 'string',
      ...patterns.code,
      description: 'At most 32 letters, digits and `_`; unique ignoring case.',
    },
    name,
  },
} as const

const nameAlone = { required: ['name'], properties: { name } } as const

const organizationView = ({ uuid, code, name, revision, createdAt }: Organization) => ({
  organization_uuid: uuid,
  code,
  name,
  revision,
  created_at: createdAt,
})

const providerView = ({ code, name, revision, createdAt }: Provider) => ({
  code,
  name,
  revision,
  created_at: createdAt,
})

const revision = {
  type: 'integer',
  minimum: 1,
  description: 'Counts edits; part of the `ETag` for `If-Match`.',
} as const
/** A provider. Organizations have the same fields and more. */
export const apiProviderSchema = objectSchema({ code: text, name: text, revision, created_at: time })
const organizationSchema = objectSchema({ organization_uuid: text, ...apiProviderSchema.properties })

const listQuery = {
  ...pageParameters,
  q: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'Text in the code or the name, ignoring case.',
  },
  sort: sortParameter(['code', 'name', 'created_at']),
} as const

function codedPage<T extends Organization | Provider>(
  name: string,
  rows: readonly T[],
  query: RowsRequest & { readonly q?: string | undefined },
): ListPage<T> {
  const words = query.q?.toLowerCase() ?? ''
  const found = rows.filter((row) => `${row.code}\n${row.name}`.toLowerCase().includes(words))
  return pageOfRows(found, query, {
    name,
    sorts: {
      code: ({ code }) => code.toLowerCase(),
      name: (row) => row.name.toLowerCase(),
      created_at: ({ createdAt }) => createdAt,
    },
    key: ({ code }) => code.toLowerCase(),
  })
}

const listOrganizations = defineRoute({
  method: 'GET',
  path: '/organizations',
  access: 'organizations:read',
  summary: 'Lists the organizations of the API key: the valid values of `organization_code`.',
  answer: pageSchema(organizationSchema),
  query: listQuery,
  async handle({ query, caller }, { stores }) {
    const page = codedPage('organizations', await stores.organizations.list(caller.scope), query)
    return { body: await pageView(page, organizationView) }
  },
})

const getOrganization = defineRoute({
  method: 'GET',
  path: '/organizations/{organization}',
  access: 'organizations:read',
  summary: 'One organization by code or uuid.',
  answer: organizationSchema,
  async handle({ params, caller }, services) {
    const found = await requireVisibleOrganization(caller.scope, params.organization, services)
    return { body: organizationView(found), headers: entityTag(found) }
  },
})

const createOrganization = defineRoute({
  method: 'POST',
  path: '/organizations',
  access: 'organizations:write',
  summary: 'Creates an organization. The API key must not be limited to organizations.',
  status: 201,
  answer: organizationSchema,
  recall: {
    keeps: (made) => textAt(made, 'uuid'),
    answer: async (uuid, { caller }, services) =>
      organizationMade(await requireVisibleOrganization(caller.scope, String(uuid), services)),
  },
  body: codeAndName,
  async handle({ body, caller }, services) {
    requireWholeScope(caller)
    const created = await services.stores.organizations.create(body, caller.actor)
    await takeUpRefused(services)
    await services.scheduler.takeOver()
    return organizationMade(created)
  },
})

const organizationMade = (made: Organization) => ({
  body: organizationView(made),
  location: `/organizations/${made.code}`,
  headers: entityTag(made),
})

const changeOrganization = defineRoute({
  method: 'PATCH',
  path: '/organizations/{organization}',
  access: 'organizations:write',
  summary: 'Renames an organization; its code never changes.',
  answer: organizationSchema,
  headers: ifMatchHeader,
  body: nameAlone,
  async handle({ params, body, headers, caller }, services) {
    const { uuid } = await requireVisibleOrganization(caller.scope, params.organization, services)
    const changed = await editSeen(headers, (revision) =>
      services.stores.organizations.rename(uuid, body.name, revision, caller.actor),
    )
    return { body: organizationView(changed), headers: entityTag(changed) }
  },
})

/** Throws RequestError `organization_not_found`. */
export async function requireVisibleOrganization(
  scope: OrganizationScope,
  codeOrUuid: string,
  { stores }: Pick<Services, 'stores'>,
): Promise<Organization> {
  const wanted = foldCode(codeOrUuid)
  const all = await stores.organizations.list(scope)
  const found = all.find(({ code, uuid }) => code.toLowerCase() === wanted || uuid === wanted)
  if (found !== undefined) return found
  throw new RequestError('organization_not_found', undefined, {
    hint: 'GET organizations lists the organizations of this API key',
  })
}

const listProviders = defineRoute({
  method: 'GET',
  path: '/providers',
  access: 'organizations:read',
  summary: 'Lists the providers: the valid values of `alert_provider`.',
  answer: pageSchema(apiProviderSchema),
  query: listQuery,
  async handle({ query }, { stores }) {
    const page = codedPage('providers', await stores.providers.list(), query)
    return { body: await pageView(page, providerView) }
  },
})

const getProvider = defineRoute({
  method: 'GET',
  path: '/providers/{provider}',
  access: 'organizations:read',
  summary: 'One provider by code.',
  answer: apiProviderSchema,
  async handle({ params }, services) {
    const found = await requireProvider(params.provider, services)
    return { body: providerView(found), headers: entityTag(found) }
  },
})

const createProvider = defineRoute({
  method: 'POST',
  path: '/providers',
  access: 'organizations:write',
  summary: 'Creates a provider, for all organizations. The API key must not be limited to organizations.',
  status: 201,
  answer: apiProviderSchema,
  recall: {
    keeps: (made) => textAt(made, 'code'),
    answer: async (code, _, services) => providerMade(await requireProvider(String(code), services)),
  },
  body: codeAndName,
  async handle({ body, caller }, services) {
    requireWholeScope(caller)
    const created = await services.stores.providers.create(body, caller.actor)
    await takeUpRefused(services)
    return providerMade(created)
  },
})

const providerMade = (made: Provider) => ({
  body: providerView(made),
  location: `/providers/${made.code}`,
  headers: entityTag(made),
})

const changeProvider = defineRoute({
  method: 'PATCH',
  path: '/providers/{provider}',
  access: 'organizations:write',
  summary: 'Renames a provider; its code never changes. The API key must not be limited to organizations.',
  answer: apiProviderSchema,
  headers: ifMatchHeader,
  body: nameAlone,
  async handle({ params, body, headers, caller }, services) {
    requireWholeScope(caller)
    const { code } = await requireProvider(params.provider, services)
    const changed = await editSeen(headers, (revision) =>
      services.stores.providers.rename(code, body.name, revision, caller.actor),
    )
    return { body: providerView(changed), headers: entityTag(changed) }
  },
})

/** Throws RequestError `provider_not_found`. */
export async function requireProvider(code: string, { stores }: Pick<Services, 'stores'>): Promise<Provider> {
  const wanted = foldCode(code)
  const found = (await stores.providers.list()).find((provider) => provider.code.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new RequestError('provider_not_found', undefined, { hint: 'GET providers lists the providers' })
}

export const lookupRoutes = [
  listOrganizations,
  createOrganization,
  getOrganization,
  changeOrganization,
  listProviders,
  createProvider,
  getProvider,
  changeProvider,
]
