import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { NewPasskey, Passkey } from '../../../../../core/access/credentials.ts'
import { passkeySite, signInPurpose, type PasskeySite } from '../../../../access/passkeys.ts'
import { challenge as authenticateHeader } from '../../../caller/credentials.ts'
import { RequestError } from '../../../request/request-error.ts'
import type { Services } from '../../../routing/route.ts'

/** Algorithms of keys: Ed25519, ECDSA with P-256, and RSA, which Windows uses. */
export const keyAlgorithms = [-8, -7, -257]

/** Loaded when a passkey is used first: these are more than 200 files, which no other start needs. */
export const loadWebAuthn = () => import('@simplewebauthn/server')

/** Throws RequestError `passkeys_off`. */
export function requirePasskeySite({ publicUrl }: Pick<Services, 'publicUrl'>): PasskeySite {
  const site = passkeySite(publicUrl())
  if (site !== undefined) return site
  throw new RequestError('passkeys_off', undefined, {
    hint: 'set TOCSIN_PUBLIC_URL to an https address with a host name, or to http://localhost with the port',
  })
}

/** What browsers send; more of it is checked by the library. */
const text = { type: 'string', minLength: 1, maxLength: 65_536 } as const
export const browserAnswerSchema = {
  type: 'object',
  required: ['id', 'rawId', 'type', 'response'],
  additionalProperties: true,
  properties: {
    id: { ...text, maxLength: 1_400 },
    rawId: { ...text, maxLength: 1_400 },
    type: { const: 'public-key' },
    response: {
      type: 'object',
      required: ['clientDataJSON'],
      additionalProperties: true,
      properties: { clientDataJSON: text },
    },
  },
  description: 'The result of the browser, as `PublicKeyCredential.toJSON()` gives it.',
} as const

/**
 * The passkey that a browser created for the session. Throws RequestError `passkey_invalid`, `passkey_unknown_challenge`,
 * `passkeys_off`.
 *
 * @param answer not checked beyond the schema
 */
export async function createdPasskey(
  answer: object,
  sessionUuid: string,
  services: Pick<Services, 'publicUrl' | 'passkeyChallenges'>,
): Promise<Omit<NewPasskey, 'name'>> {
  const site = requirePasskeySite(services)
  const { verifyRegistrationResponse } = await loadWebAuthn()
  const { verified, registrationInfo } = await refusing('passkey_invalid', site, () =>
    verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      expectedChallenge: challengeOf(sessionUuid, services),
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: keyAlgorithms,
    }),
  )
  if (!verified) throw refusal('passkey_invalid', site)
  const { credential, credentialBackedUp } = registrationInfo
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: transportsOf(credential.transports),
    isBackedUp: credentialBackedUp,
  }
}

/**
 * Checks an answer to a sign-in. Throws RequestError `passkey_refused`, `passkey_unknown_challenge`.
 *
 * @param found the passkey with the id of the answer; undefined: nobody has it
 */
export async function usedPasskey(
  answer: object,
  found: { readonly accountUuid: string; readonly passkey: Passkey } | undefined,
  services: Pick<Services, 'publicUrl' | 'passkeyChallenges'>,
): Promise<Pick<Passkey, 'counter' | 'isBackedUp'>> {
  const site = requirePasskeySite(services)
  const response = answer as AuthenticationResponseJSON
  if (found === undefined || response.response.userHandle !== userHandle(found.accountUuid))
    throw refusal('passkey_refused', site)
  const { credentialId, publicKey } = found.passkey
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  const { verified, authenticationInfo } = await refusing('passkey_refused', site, () =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challengeOf(signInPurpose, services),
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      // The store compares the counter, in the write that records the use.
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
    }),
  )
  if (!verified) throw refusal('passkey_refused', site)
  return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
}

/** The account as the authenticator keeps it. */
const userHandle = (accountUuid: string): string => Buffer.from(accountUuid).toString('base64url')

const challengeOf =
  (purpose: string, { passkeyChallenges }: Pick<Services, 'passkeyChallenges'>) =>
  (challenge: string): true => {
    if (passkeyChallenges.take(challenge, purpose)) return true
    throw new RequestError('passkey_unknown_challenge', undefined, {
      hint: 'begin again, and confirm with the passkey within 5 minutes in the same browser',
    })
  }

type Refusal = 'passkey_invalid' | 'passkey_refused'

/** The library throws for everything that it does not accept. */
async function refusing<T>(code: Refusal, site: PasskeySite, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    throw error instanceof RequestError ? error : refusal(code, site, error)
  }
}

/** One response for unknown people, passkeys of others and wrong signatures. */
const refusal = (code: Refusal, { origin }: PasskeySite, cause?: unknown): RequestError =>
  new RequestError(code, undefined, {
    hint: `use a passkey of ${origin}, confirmed with PIN, fingerprint or face, or sign in another way`,
    ...(code === 'passkey_refused' && { headers: authenticateHeader }),
    cause,
  })

/** From the browser, only to be shown to it again. */
const transportsOf = (given: unknown): readonly string[] =>
  Array.isArray(given)
    ? given
        .filter((each): each is string => typeof each === 'string' && /^[a-z-]{1,20}$/.test(each))
        .slice(0, 10)
    : []
