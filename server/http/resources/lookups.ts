import type { Organization } from '../../../core/domain/organization.ts'
import type { Provider } from '../../../core/domain/provider.ts'
import { patterns } from '../patterns.ts'
import { admins, anyRole, defineRoute } from '../route.ts'
import { requireWholeScope } from '../whole-scope.ts'
import { objectSchema, pageSchema, text, time, wholeView } from './page.ts'

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
    name: { type: 'string', minLength: 1, maxLength: 200 },
  },
} as const

const organizationView = ({ uuid, code, name, createdAt }: Organization) => ({
  organization_uuid: uuid,
  code,
  name,
  created_at: createdAt,
})

const providerView = ({ code, name, createdAt }: Provider) => ({ code, name, created_at: createdAt })

const organizationSchema = objectSchema({ organization_uuid: text, code: text, name: text, created_at: time })
const providerSchema = objectSchema({ code: text, name: text, created_at: time })

const listOrganizations = defineRoute({
  method: 'GET',
  path: '/organizations',
  access: anyRole,
  summary: 'Lists the organizations of the API key: the valid values of `organization_code`.',
  status: 200,
  answer: pageSchema(organizationSchema),
  async handle({ caller }, { stores }) {
    return { body: await wholeView(await stores.organizations.list(caller.scope), organizationView) }
  },
})

const createOrganization = defineRoute({
  method: 'POST',
  path: '/organizations',
  access: admins,
  summary: 'Adds an organization. The API key must not be limited to organizations.',
  status: 201,
  answer: organizationSchema,
  body: codeAndName,
  async handle({ body, caller }, { stores, scheduler }) {
    requireWholeScope(caller)
    const organization = await stores.organizations.create(body)
    await scheduler.organizationAdded()
    return { body: organizationView(organization) }
  },
})

const listProviders = defineRoute({
  method: 'GET',
  path: '/providers',
  access: anyRole,
  summary: 'Lists the providers: the valid values of `alert_provider`.',
  status: 200,
  answer: pageSchema(providerSchema),
  async handle(_request, { stores }) {
    return { body: await wholeView(await stores.providers.list(), providerView) }
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
  body: codeAndName,
  async handle({ body, caller }, { stores }) {
    requireWholeScope(caller)
    return { body: providerView(await stores.providers.create(body)) }
  },
})

export const lookupRoutes = [listOrganizations, createOrganization, listProviders, createProvider]
