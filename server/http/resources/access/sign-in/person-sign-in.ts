import { requireGoodPassword } from '../../../../../core/access/password.ts'
import type { Account } from '../../../../../core/access/account.ts'
import { isInvitationUsable, type Invitation } from '../../../../../core/access/credentials.ts'
import type { SignInMethod } from '../../../../../core/domain/session.ts'
import { invitationHash } from '../../../../access/invitations.ts'
import { accountActor, checkPassword } from '../../../../access/person-sign-in.ts'
import { challenge } from '../../../caller/credentials.ts'
import { requireLocalSignIn } from '../../../caller/sign-on.ts'
import { patterns } from '../../../request/patterns.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type ApiRequest, type Services } from '../../../routing/route.ts'
import { objectSchema, textOrNull, time } from '../../system/page.ts'
import { apiSessionSchema, beginSession } from './session-view.ts'

type Sender = Pick<
  ApiRequest<unknown, unknown, unknown>,
  'headers' | 'address' | 'requestId' | 'sessionCookie'
>

interface GivenPassword {
  readonly email: string
  readonly password: string
  readonly code?: string | undefined
}

/**
 * The person with this password. Throws RequestError `sign_in_refused`, `code_needed`, `code_wrong`, `too_many_requests`,
 * UnavailableError `passwords_full`.
 */
export async function requirePassword(
  given: GivenPassword,
  sender: Pick<Sender, 'address' | 'requestId'>,
  services: Services,
): Promise<Account> {
  services.passwordGate.admit(given.email, sender.address)
  const found = await services.signInGate.admit(sender.address, () => findByPassword(given, sender, services))
  if (found !== 'code_missing') return found
  // Not a failure: the page asks for the code, and sends both.
  throw new RequestError('code_needed', undefined, { headers: challenge })
}

async function findByPassword(
  { email, password, code }: GivenPassword,
  { address, requestId }: Pick<Sender, 'address' | 'requestId'>,
  services: Services,
): Promise<Account | 'code_missing'> {
  const { passwordGate, failedAuthentications, clock } = services
  const given = {
    email,
    password,
    code,
    requestId,
    admitCode: (account: Account) => passwordGate.admitCode(account),
  }
  const result = await checkPassword(given, services)
  if (!('refusal' in result)) {
    passwordGate.succeeded(email, address)
    return result.account
  }
  const { refusal, account } = result
  if (refusal === 'code_missing') return refusal
  failedAuthentications.record({ account, reason: refusal, address, requestId }, clock.now())
  if (refusal === 'wrong_code') {
    throw new RequestError('code_wrong', undefined, {
      hint: 'enter the current code of your authenticator app; each code works once. A recovery code works too',
      headers: challenge,
    })
  }
  // One response for unknown people, wrong passwords and disabled accounts, so that no one learns who has an account.
  throw new RequestError('sign_in_refused', undefined, {
    hint: 'check the e-mail address and the password, or ask an administrator for a new link',
    headers: challenge,
  })
}

/**
 * Starts a session of a person, and answers with it. Throws RequestError `local_sign_in_off` for a person of the identity provider, whom
 * only the provider lets in: one who is removed there must not have another way.
 */
export async function beginPersonSession(
  account: Account,
  method: SignInMethod,
  sender: Sender,
  services: Services,
) {
  const { singleSignOn, stores } = services
  if (singleSignOn && (await stores.singleSignOn.isOfIssuer(account.uuid, singleSignOn.settings.issuer)))
    throw new RequestError('local_sign_in_off', undefined, { hint: 'sign in with the identity provider' })
  const holder = { accountUuid: account.uuid }
  return await beginSession({ holder, method }, accountActor(account, sender.requestId), sender, services)
}

const token = { type: 'string', maxLength: 100, description: 'The part of the link behind `#`.' } as const

const previewInvitation = defineRoute({
  method: 'POST',
  path: '/invitation/preview',
  access: 'sign_in',
  summary: 'For whom an invitation link is. Does not use it up.',
  answer: objectSchema({
    email: { ...textOrNull, description: 'null: the link creates the account of the first administrator.' },
    name: textOrNull,
    expires_at: time,
  }),
  body: { required: ['token'], properties: { token } },
  async handle({ body, address }, services) {
    const { invitation, account } = await requireInvitation(body.token, address, services)
    const { email = null, name = null } = account ?? {}
    return { body: { email, name, expires_at: invitation.expiresAt } }
  },
})

const acceptInvitation = defineRoute({
  method: 'POST',
  path: '/invitation/accept',
  access: 'sign_in',
  summary:
    'Accepts an invitation: sets the password, ends all sessions of the account, and signs in. Earlier ways to sign in no longer work.',
  status: 201,
  answer: apiSessionSchema,
  body: {
    required: ['token', 'password'],
    properties: {
      token,
      password: { type: 'string', maxLength: 1_024 },
      email: {
        type: 'string',
        maxLength: 254,
        ...patterns.email,
        description: 'Of the first administrator.',
      },
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        ...patterns.line,
        description: 'Of the first administrator.',
      },
    },
  },
  async handle({ body, ...sender }, services) {
    requireLocalSignIn(services)
    const { tokenHash, account } = await requireInvitation(body.token, sender.address, services)
    const { email = account?.email, name = account?.name } = account ?? body
    if (email === undefined || name === undefined) throw new RequestError('person_missing')
    requireGoodPassword(body.password, { email, name })
    const passwordHash = await services.passwords.hash(body.password)
    const person = account === undefined ? { email, name } : undefined
    const accepted = await services.stores.invitations.accept(
      tokenHash,
      { passwordHash, person },
      sender.requestId,
    )
    return await beginPersonSession(accepted, 'password', sender, services)
  },
})

interface FoundInvitation {
  readonly tokenHash: Uint8Array
  readonly invitation: Invitation
  readonly account: Account | undefined
}

/** Throws RequestError `invitation_not_found`, `too_many_requests`. */
function requireInvitation(text: string, address: string, services: Services): Promise<FoundInvitation> {
  const { stores, signInGate, clock } = services
  return signInGate.admit(address, async () => {
    const tokenHash = invitationHash(text)
    const invitation = tokenHash && (await stores.invitations.find(tokenHash))
    const uuid = invitation?.accountUuid ?? null
    const account = uuid === null ? undefined : await stores.accounts.find(uuid)
    const isUsable = invitation !== undefined && isInvitationUsable(invitation, clock.now())
    if (tokenHash === undefined || !isUsable || account?.disabledAt != null) {
      throw new RequestError('invitation_not_found', undefined, {
        hint: 'ask an administrator for a new link',
      })
    }
    return { tokenHash, invitation, account }
  })
}

export const personSignInRoutes = [previewInvitation, acceptInvitation]
