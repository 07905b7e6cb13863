import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { apiCall } from '../api/call.ts'
import { ApiError } from '../api/problem.ts'
import type { ApiMe, ApiSession } from '../api/types.ts'

/** Signs in with a passkey that the browser lets the person choose. Throws ApiError. */
export async function signInWithPasskey(): Promise<ApiSession> {
  const { options } = await apiCall<{ options: PublicKeyCredentialRequestOptionsJSON }>(
    'POST',
    '/session/passkey/options',
  )
  const credential = await startAuthentication({ optionsJSON: options }).catch(explain)
  return await apiCall<ApiSession>('POST', '/session/passkey', { body: { credential } })
}

/** Lets the browser create a passkey, and adds it to the account. Throws ApiError. */
export async function addPasskey(name: string): Promise<ApiMe> {
  const { options } = await apiCall<{ options: PublicKeyCredentialCreationOptionsJSON }>(
    'POST',
    '/me/passkeys/options',
  )
  const credential = await startRegistration({ optionsJSON: options }).catch(explain)
  return await apiCall<ApiMe>('POST', '/me/passkeys', { body: { name, credential } })
}

/** Browsers give the same error for a person who cancels, a timeout and a device without a passkey. */
function explain(error: unknown): never {
  const { name, message } = error as Error
  const isHeld = name === 'InvalidStateError'
  throw new ApiError({
    title: isHeld ? 'This device already has a passkey of your account' : 'The browser used no passkey',
    status: 0,
    code: 'no_passkey',
    ...(name !== 'NotAllowedError' && !isHeld && { detail: message }),
    hint: isHeld
      ? 'use another device or security key, or remove the earlier passkey first'
      : 'try again and confirm in the window of the browser, or sign in another way',
  })
}
