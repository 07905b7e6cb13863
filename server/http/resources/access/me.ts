import { defineRoute, type Services } from '../../routing/route.ts'
import { anyRole, type Caller } from '../../caller/caller.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'
import { accountView, apiAccountSchema } from './accounts.ts'

/** The caller of a request. */
const meSchema = objectSchema({
  account: {
    anyOf: [apiAccountSchema, { type: 'null' }],
    description: 'null: an API key calls.',
  },
  key_id: { ...textOrNull, description: 'null: a person calls.' },
  name: { type: 'string', description: 'Of the person or the API key.' },
  roles: {
    type: 'array',
    items: objectSchema({
      role: text,
      organization_codes: { type: ['array', 'null'], items: text, description: 'null: all.' },
    }),
  },
})

async function meView({ account, actor, grants }: Caller, { directory }: Pick<Services, 'directory'>) {
  return {
    account: account === undefined ? null : await accountView(account, directory),
    key_id: account === undefined ? actor.id : null,
    name: actor.name,
    roles: await Promise.all(
      grants.map(async ({ role, scope }) => ({
        role,
        organization_codes:
          scope === 'all' ? null : await Promise.all(scope.map((uuid) => directory.organizationCode(uuid))),
      })),
    ),
  }
}

const getMe = defineRoute({
  method: 'GET',
  path: '/me',
  access: anyRole,
  summary: 'The caller of the request: the person or the API key, with its roles.',
  answer: meSchema,
  async handle({ caller }, services) {
    return { body: await meView(caller, services) }
  },
})

export const meRoutes = [getMe]
