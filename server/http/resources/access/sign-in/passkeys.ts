import { isActive, type Account } from '../../../../../core/access/account.ts'
import { challengeMs, signInPurpose } from '../../../../access/passkeys.ts'
import { challenge } from '../../../caller/credentials.ts'
import { requireRecentPerson } from '../../../caller/require-person.ts'
import { requireSamePage } from '../../../caller/same-origin.ts'
import { requireLocalSignIn } from '../../../caller/sign-on.ts'
import { patterns } from '../../../request/patterns.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { objectSchema, time } from '../../system/page.ts'
import { apiMeSchema, meView } from '../me/me.ts'
import {
  browserAnswerSchema,
  createdPasskey,
  keyAlgorithms,
  loadWebAuthn,
  requirePasskeySite,
  usedPasskey,
} from './passkey-answers.ts'
import { beginPersonSession } from './person-sign-in.ts'
import { apiSessionSchema } from './session-view.ts'

const optionsAnswer = (method: string) =>
  objectSchema({
    options: {
      type: 'object',
      additionalProperties: true,
      description: `For \`${method}\` of the browser, as JSON.`,
    },
    expires_at: time,
  })

const passkeyName = { type: 'string', minLength: 1, maxLength: 100, ...patterns.line } as const

const beginPasskey = defineRoute({
  method: 'POST',
  path: '/me/passkeys/options',
  access: 'self',
  summary: 'Begins to add a passkey: gives the options for the browser. Needs a recent sign-in.',
  once: false,
  answer: optionsAnswer('navigator.credentials.create()'),
  async handle({ caller, headers }, services) {
    const { stores, clock, passkeyChallenges } = services
    const { account, session } = requireRecentPerson(caller, clock)
    const site = requirePasskeySite(services)
    requireSamePage(headers.origin, site.origin)
    const { passkeys } = await stores.credentials.of(account.uuid)
    const { generateRegistrationOptions } = await loadWebAuthn()
    const options = await generateRegistrationOptions({
      rpName: 'Tocsin',
      rpID: site.id,
      userID: new Uint8Array(Buffer.from(account.uuid)),
      userName: account.email,
      userDisplayName: account.name,
      challenge: passkeyChallenges.begin(session.uuid),
      timeout: challengeMs,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      supportedAlgorithmIDs: keyAlgorithms,
      excludeCredentials: passkeys.map(({ credentialId: id, transports }) => ({
        id,
        transports: [...transports],
      })),
    })
    return { body: { options: { ...options }, expires_at: clock.now() + challengeMs } }
  },
})

const addPasskey = defineRoute({
  method: 'POST',
  path: '/me/passkeys',
  access: 'self',
  summary: 'Adds the passkey that the browser created. Needs a recent sign-in.',
  status: 201,
  once: false,
  answer: apiMeSchema,
  body: {
    required: ['name', 'credential'],
    properties: {
      name: { ...passkeyName, description: 'To tell passkeys apart, e.g. `Laptop`.' },
      credential: browserAnswerSchema,
    },
  },
  async handle({ body, caller }, services) {
    const { account, session } = requireRecentPerson(caller, services.clock)
    const created = await createdPasskey(body.credential, session.uuid, services)
    await services.stores.credentials.addPasskey(account.uuid, { ...created, name: body.name }, caller.actor)
    return { body: await meView(caller, services), location: '/me' }
  },
})

const renamePasskey = defineRoute({
  method: 'PATCH',
  path: '/me/passkeys/{passkey}',
  access: 'self',
  summary: 'Renames a passkey of the person. Needs a recent sign-in.',
  answer: apiMeSchema,
  body: { required: ['name'], properties: { name: passkeyName } },
  async handle({ params, body, caller }, services) {
    const { account } = requireRecentPerson(caller, services.clock)
    const { credentials } = services.stores
    await credentials.renamePasskey(account.uuid, params.passkey, body.name, caller.actor)
    return { body: await meView(caller, services) }
  },
})

const removePasskey = defineRoute({
  method: 'DELETE',
  path: '/me/passkeys/{passkey}',
  access: 'self',
  summary: 'Removes a passkey of the person. Needs a recent sign-in.',
  answer: apiMeSchema,
  async handle({ params, caller }, services) {
    const { account } = requireRecentPerson(caller, services.clock)
    await services.stores.credentials.removePasskey(account.uuid, params.passkey, caller.actor)
    return { body: await meView(caller, services) }
  },
})

const beginPasskeySignIn = defineRoute({
  method: 'POST',
  path: '/session/passkey/options',
  access: 'sign_in',
  summary: 'Begins a sign-in with a passkey: gives the options for the browser.',
  answer: optionsAnswer('navigator.credentials.get()'),
  async handle({ address, headers }, services) {
    const { signOnGate, passkeyChallenges, clock } = services
    requireLocalSignIn(services)
    const site = requirePasskeySite(services)
    requireSamePage(headers.origin, site.origin)
    signOnGate.admit(address)
    const { generateAuthenticationOptions } = await loadWebAuthn()
    const options = await generateAuthenticationOptions({
      rpID: site.id,
      challenge: passkeyChallenges.begin(signInPurpose),
      timeout: challengeMs,
      userVerification: 'required',
    })
    return { body: { options: { ...options }, expires_at: clock.now() + challengeMs } }
  },
})

const signInWithPasskey = defineRoute({
  method: 'POST',
  path: '/session/passkey',
  access: 'sign_in',
  summary:
    'Signs in with a passkey, without password and code: the response sets the cookie of a new session.',
  status: 201,
  answer: apiSessionSchema,
  body: { required: ['credential'], properties: { credential: browserAnswerSchema } },
  async handle({ body, ...sender }, services) {
    requireLocalSignIn(services)
    const account = await services.signInGate.admit(sender.address, () =>
      requireAccountOf(body.credential, sender, services),
    )
    return await beginPersonSession(account, 'passkey', sender, services)
  },
})

/** Throws RequestError `passkey_refused`, `passkey_copied`, `passkey_unknown_challenge`. */
async function requireAccountOf(
  credential: { readonly id: string },
  { address, requestId }: { readonly address: string; readonly requestId: string },
  services: Services,
): Promise<Account> {
  const { stores, failedAuthentications, clock } = services
  const found = await stores.credentials.findPasskey(credential.id)
  const account = found && (await stores.accounts.find(found.accountUuid))
  const fail = (reason: string): void =>
    failedAuthentications.record({ account, reason, address, requestId }, clock.now())
  const use = await usedPasskey(credential, found, services).catch((error: unknown) => {
    if (error instanceof RequestError) fail(error.code)
    throw error
  })
  if (found === undefined || account === undefined || !isActive(account)) {
    fail('disabled')
    throw new RequestError('passkey_refused', undefined, {
      hint: 'ask an administrator whether your account is active',
      headers: challenge,
    })
  }
  if (!(await stores.credentials.usePasskey(found.passkey.uuid, use))) {
    fail('passkey_copied')
    throw new RequestError('passkey_copied', undefined, {
      hint: 'sign in another way, remove the passkey under My account, and tell an administrator if you did not copy it',
      headers: challenge,
    })
  }
  return account
}

export const passkeyRoutes = [
  beginPasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
  beginPasskeySignIn,
  signInWithPasskey,
]
