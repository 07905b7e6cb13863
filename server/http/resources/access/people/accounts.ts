import { accountState, accountStates, type Account } from '../../../../../core/access/account.ts'
import { textAt } from '../../../../../core/plugin/index.ts'
import type { Caller } from '../../../caller/caller.ts'
import { requireMayManage, readGivenRoles, rolesOfBody } from './given-roles.ts'
import type { Directory } from '../../../caller/directory.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../../request/if-match.ts'
import { patterns } from '../../../request/patterns.ts'
import { pageOfRows, type RowOrder } from '../../../routing/page-rows.ts'
import { createInvitation, type InvitationLink } from '../../../../access/invitations.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import {
  accountFields,
  accountView,
  apiAccountSchema,
  reachesNoFurther,
  requireVisibleAccount,
} from './account-view.ts'
import {
  objectSchema,
  pageParameters,
  pageSchema,
  pageView,
  sortParameter,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../../system/page.ts'

const order: RowOrder<Account> = {
  name: 'accounts',
  sorts: {
    name: ({ name }) => name.toLowerCase(),
    email: ({ email }) => email.toLowerCase(),
    created_at: ({ createdAt }) => createdAt,
    last_used_at: ({ lastUsedAt }) => lastUsedAt,
  },
  key: ({ uuid }) => uuid,
}

const listAccounts = defineRoute({
  method: 'GET',
  path: '/accounts',
  view: 'accounts.viewed',
  access: 'people:read',
  summary: 'Lists the accounts of people whose roles are all within the organizations of the caller.',
  answer: pageSchema(apiAccountSchema),
  query: {
    ...pageParameters,
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Text in the name or the e-mail address.',
    },
    state: { type: 'string', enum: accountStates },
    organization: { type: 'string', description: 'Code of an organization in which the person has a role.' },
    sort: sortParameter(['name', 'email', 'created_at', 'last_used_at']),
  },
  async handle({ query, caller }, { stores, directory }) {
    const organization =
      query.organization === undefined
        ? undefined
        : await directory.organization(caller.scope, query.organization, '/organization')
    const words = query.q?.toLowerCase() ?? ''
    const found = (await stores.accounts.list()).filter(
      (account) =>
        reachesNoFurther(account, caller.scope) &&
        (organization === undefined || isIn(account, organization.uuid)) &&
        (query.state === undefined || accountState(account) === query.state) &&
        `${account.name}\n${account.email}`.toLowerCase().includes(words),
    )
    return { body: await pageView(pageOfRows(found, query, order), (each) => accountView(each, directory)) }
  },
})

const isIn = ({ roles }: Account, uuid: string): boolean =>
  roles.some(({ organizationUuid }) => organizationUuid === null || organizationUuid === uuid)

const getAccount = defineRoute({
  method: 'GET',
  path: '/accounts/{account}',
  view: 'accounts.viewed',
  access: 'people:read',
  summary: 'One account by uuid or e-mail address.',
  answer: apiAccountSchema,
  async handle({ params, caller }, { stores, directory }) {
    const account = await requireVisibleAccount(stores, caller.scope, params.account)
    return { body: await accountView(account, directory), headers: entityTag(account) }
  },
})

const name = { type: 'string', minLength: 1, maxLength: 200, ...patterns.line } as const
const email = { type: 'string', maxLength: 254, ...patterns.email } as const

const invitationFields = {
  invitation_url: {
    ...textOrNull,
    description:
      'The link with which the person sets a password, once; shown once: null when the request is repeated with its `Idempotency-Key`.',
  },
  invitation_expires_at: timeOrNull,
} as const

/** Answer of `POST accounts`. */
const invitedAccountSchema = objectSchema({ ...accountFields, ...invitationFields })

const createAccount = defineRoute({
  method: 'POST',
  path: '/accounts',
  access: 'people:write',
  summary:
    'Invites a person: creates an account with roles, and a link with which the person sets a password.',
  status: 201,
  answer: invitedAccountSchema,
  recall: {
    keeps: (made) => textAt(made, 'uuid'),
    answer: async (uuid, { caller }, { stores, directory }) =>
      accountMade(await requireVisibleAccount(stores, caller.scope, String(uuid)), null, directory),
  },
  body: {
    required: ['email', 'name', 'roles'],
    properties: { email, name, roles: { ...rolesOfBody, minItems: 1 } },
  },
  async handle({ body, caller }, services) {
    const { stores, directory } = services
    const roles = await readGivenRoles(body.roles, caller, services)
    const account = await stores.accounts.create({ email: body.email, name: body.name, roles }, caller.actor)
    return await accountMade(account, await invite(account, caller, services), directory)
  },
})

function invite(
  { uuid }: Account,
  { actor }: Caller,
  { stores, clock, publicUrl }: Services,
): Promise<InvitationLink> {
  return createInvitation(stores, uuid, publicUrl(), { by: actor, now: clock.now() })
}

/** @param link null: it was shown before */
const accountMade = async (account: Account, link: InvitationLink | null, directory: Directory) => ({
  body: {
    ...(await accountView(account, directory)),
    invitation_url: link?.url ?? null,
    invitation_expires_at: link?.expiresAt ?? null,
  },
  unkept: ['invitation_url'],
  location: `/accounts/${account.uuid}`,
  headers: entityTag(account),
})

const changeAccount = defineRoute({
  method: 'PATCH',
  path: '/accounts/{account}',
  access: 'people:write',
  summary:
    'Changes the name or the roles of a person; open streams of the person end, and reconnect with the new roles. A new role ends open invitation links.',
  answer: apiAccountSchema,
  headers: ifMatchHeader,
  body: { minProperties: 1, properties: { name, roles: rolesOfBody } },
  async handle({ params, body, headers, caller }, services) {
    const { stores, directory } = services
    const { uuid } = await requireManagedAccount(params.account, caller, services)
    const roles = body.roles && (await readGivenRoles(body.roles, caller, services))
    const changes = { ...(body.name !== undefined && { name: body.name }), ...(roles && { roles }) }
    const changed = await editSeen(headers, (revision) =>
      stores.accounts.change(uuid, changes, revision, caller.actor),
    )
    return { body: await accountView(changed, directory), headers: entityTag(changed) }
  },
})

const inviteAgain = defineRoute({
  method: 'POST',
  path: '/accounts/{account}/invitation',
  access: 'people:write',
  summary:
    'Makes a new link with which the person sets a password; earlier links no longer work. Once used, it replaces every way to sign in.',
  status: 201,
  // A repeated request makes another link, which replaces the first one.
  once: false,
  answer: objectSchema({ invitation_url: text, invitation_expires_at: time }),
  async handle({ params, caller }, services) {
    const account = await requireManagedAccount(params.account, caller, services)
    const { url, expiresAt } = await invite(account, caller, services)
    return {
      body: { invitation_url: url, invitation_expires_at: expiresAt },
      location: `/accounts/${account.uuid}`,
    }
  },
})

const endSessions = defineRoute({
  method: 'DELETE',
  path: '/accounts/{account}/sessions',
  access: 'people:write',
  summary: 'Signs a person out everywhere; the person can sign in again.',
  answer: apiAccountSchema,
  async handle({ params, caller }, services) {
    const { stores, directory } = services
    const account = await requireManagedAccount(params.account, caller, services)
    await stores.sessions.endOthers(account.uuid, undefined, caller.actor)
    return { body: await accountView(account, directory) }
  },
})

const disableAccount = defineRoute({
  method: 'POST',
  path: '/accounts/{account}/disable',
  access: 'people:write',
  summary:
    'Disables an account: ends its sessions and streams at once, and refuses its sign-ins. What the person did stays.',
  answer: apiAccountSchema,
  async handle({ params, caller }, services) {
    const { stores, directory } = services
    const { uuid } = await requireManagedAccount(params.account, caller, services)
    return { body: await accountView(await stores.accounts.disable(uuid, caller.actor), directory) }
  },
})

const enableAccount = defineRoute({
  method: 'POST',
  path: '/accounts/{account}/enable',
  access: 'people:write',
  summary: 'Ends the disabling of an account; the person signs in again.',
  answer: apiAccountSchema,
  async handle({ params, caller }, services) {
    const { stores, directory } = services
    const { uuid } = await requireManagedAccount(params.account, caller, services)
    return { body: await accountView(await stores.accounts.enable(uuid, caller.actor), directory) }
  },
})

/** Throws RequestError `account_not_found`, `permission_exceeded`. */
async function requireManagedAccount(wanted: string, caller: Caller, services: Services): Promise<Account> {
  const account = await requireVisibleAccount(services.stores, caller.scope, wanted)
  await requireMayManage(account, caller, services)
  return account
}

export const accountRoutes = [
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  inviteAgain,
  endSessions,
  disableAccount,
  enableAccount,
]
