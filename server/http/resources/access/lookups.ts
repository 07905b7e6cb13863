import type { Organization, Provider } from '../../../../core/domain/organization.ts'
import { textAt, type Infer, type JsonSchema } from '../../../../core/plugin/index.ts'
import type { Page, Scope } from '../../../../core/ports/common.ts'
import { foldCode } from '../../caller/directory.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { pageOfRows } from '../../routing/page-rows.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireWholeScope } from '../../caller/whole-scope.ts'
import { takeUpRefused } from '../playbooks/edit-playbook.ts'
import {
  objectSchema,
  pageParameters,
  pageSchema,
  pageView,
  sortParameter,
  text,
  time,
} from '../system/page.ts'
import { admins, anyRole } from '../../caller/caller.ts'

const name = { type: 'string', minLength: 1, maxLength: 200, ...patterns.line } as const

const codeAndName = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'name'],
  properties: {
    code: {
      type: 'string',
      ...patterns.code,
      description: 'Letters, digits and `_`, at most 32; unique ignoring case.',
    },
    name,
  },
} as const

const nameAlone = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name },
} as const

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

const revision: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description: 'Counts its edits; stands in the `ETag` that the next edit names in `If-Match`.',
}
const providerSchema = objectSchema({ code: text, name: text, revision, created_at: time })
const organizationSchema = objectSchema({ organization_uuid: text, ...providerSchema.properties })

const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pageParameters,
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Stands in the code or the name, in any letter case.',
    },
    sort: sortParameter(['code', 'name', 'created_at']),
  },
} as const satisfies JsonSchema

function codedPage<T extends Organization | Provider>(
  name: string,
  rows: readonly T[],
  query: Infer<typeof listQuery>,
): Page<T> {
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
  access: anyRole,
  summary: 'Lists the organizations of the API key: the valid values of `organization_code`.',
  status: 200,
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
  access: anyRole,
  summary: 'One organization, by its code or uuid.',
  status: 200,
  answer: organizationSchema,
  async handle({ params, caller }, services) {
    const found = await requireOrganization(caller.scope, params.organization, services)
    return { body: organizationView(found), headers: entityTag(found) }
  },
})

const createOrganization = defineRoute({
  method: 'POST',
  path: '/organizations',
  access: admins,
  summary: 'Adds an organization. The API key must not be limited to organizations.',
  status: 201,
  answer: organizationSchema,
  recall: {
    keeps: (made) => textAt(made, 'uuid'),
    answer: async (uuid, { caller }, services) =>
      organizationMade(await requireOrganization(caller.scope, String(uuid), services)),
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
  access: admins,
  summary: 'Gives an organization another name; its code stays for good.',
  status: 200,
  answer: organizationSchema,
  headers: ifMatchHeader,
  body: nameAlone,
  async handle({ params, body, headers, caller }, services) {
    const { uuid } = await requireOrganization(caller.scope, params.organization, services)
    const changed = await editSeen(headers, (revision) =>
      services.stores.organizations.rename(uuid, body.name, revision, caller.actor),
    )
    return { body: organizationView(changed), headers: entityTag(changed) }
  },
})

/** Throws RequestError `organization_not_found`. */
export async function requireOrganization(
  scope: Scope,
  codeOrUuid: string,
  { stores }: Pick<Services, 'stores'>,
): Promise<Organization> {
  const wanted = foldCode(codeOrUuid)
  const all = await stores.organizations.list(scope)
  const found = all.find(({ code, uuid }) => code.toLowerCase() === wanted || uuid === wanted)
  if (found !== undefined) return found
  throw new RequestError('organization_not_found', undefined, {
    hint: 'GET organizations lists those of this API key',
  })
}

const listProviders = defineRoute({
  method: 'GET',
  path: '/providers',
  access: anyRole,
  summary: 'Lists the providers: the valid values of `alert_provider`.',
  status: 200,
  answer: pageSchema(providerSchema),
  query: listQuery,
  async handle({ query }, { stores }) {
    const page = codedPage('providers', await stores.providers.list(), query)
    return { body: await pageView(page, providerView) }
  },
})

const getProvider = defineRoute({
  method: 'GET',
  path: '/providers/{provider}',
  access: anyRole,
  summary: 'One provider, by its code.',
  status: 200,
  answer: providerSchema,
  async handle({ params }, services) {
    const found = await requireProvider(params.provider, services)
    return { body: providerView(found), headers: entityTag(found) }
  },
})

const createProvider = defineRoute({
  method: 'POST',
  path: '/providers',
  access: admins,
  summary:
    'Adds a provider. The API key must not be limited to organizations: all of them share the providers.',
  status: 201,
  answer: providerSchema,
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
  access: admins,
  summary:
    'Gives a provider another name; its code stays for good. The API key must not be limited to organizations.',
  status: 200,
  answer: providerSchema,
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
async function requireProvider(code: string, { stores }: Pick<Services, 'stores'>): Promise<Provider> {
  const wanted = foldCode(code)
  const found = (await stores.providers.list()).find((provider) => provider.code.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new RequestError('provider_not_found', undefined, { hint: 'GET providers lists them' })
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
