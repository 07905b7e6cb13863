import { defineRoute, type Services } from '../../../routing/route.ts'
import { type Caller } from '../../../caller/caller.ts'
import type { Passkey } from '../../../../../core/access/credentials.ts'
import { recentMs } from '../../../caller/require-person.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../../system/page.ts'
import { accountView, apiAccountSchema } from '../people/account-view.ts'

/** A passkey. */
const apiPasskeySchema = objectSchema({
  passkey_uuid: text,
  name: text,
  is_backed_up: { type: 'boolean', description: 'Whether it is synced to other devices.' },
  created_at: time,
  last_used_at: timeOrNull,
})

/** The caller of a request. */
export const apiMeSchema = objectSchema({
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
  sign_in: {
    ...objectSchema({
      password_changed_at: { ...timeOrNull, description: 'Epoch milliseconds; null: no password.' },
      has_totp: {
        type: 'boolean',
        description: 'Whether a sign-in with the password needs a one-time code.',
      },
      recovery_codes: { type: 'integer', minimum: 0, description: 'Unused ones.' },
      passkeys: { type: 'array', items: apiPasskeySchema },
      recent_until: {
        type: 'integer',
        description:
          'Until when the ways to sign in can be changed without another sign-in (epoch milliseconds).',
      },
    }),
    type: ['object', 'null'],
    description: 'How the person can sign in; null for an API key.',
  },
})

export async function meView(caller: Caller, services: Pick<Services, 'directory' | 'stores'>) {
  const { account, actor, grants } = caller
  const { directory } = services
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
    sign_in: await signInView(caller, services),
  }
}

async function signInView({ account, session }: Caller, { stores }: Pick<Services, 'stores'>) {
  if (account === undefined || session === undefined) return null
  const { passwordChangedAt, totp, recoveryCodes, passkeys } = await stores.credentials.of(account.uuid)
  return {
    password_changed_at: passwordChangedAt,
    has_totp: totp !== null && totp.confirmedAt !== null,
    recovery_codes: recoveryCodes,
    passkeys: passkeys.map(passkeyView),
    recent_until: session.createdAt + recentMs,
  }
}

const passkeyView = ({ uuid, name, isBackedUp, createdAt, lastUsedAt }: Passkey) => ({
  passkey_uuid: uuid,
  name,
  is_backed_up: isBackedUp,
  created_at: createdAt,
  last_used_at: lastUsedAt,
})

const getMe = defineRoute({
  method: 'GET',
  path: '/me',
  access: 'self',
  summary: 'The caller of the request: the person or the API key, with its roles.',
  answer: apiMeSchema,
  async handle({ caller }, services) {
    return { body: await meView(caller, services) }
  },
})

export const meRoutes = [getMe]
