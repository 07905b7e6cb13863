import { requireGoodPassword } from '../../../../../core/access/password.ts'
import {
  newRecoveryCodes,
  newTotpSecret,
  recoveryCodeHash,
  totpStep,
  totpUri,
} from '../../../../access/second-factor.ts'
import { requireRecentPerson } from '../../../caller/require-person.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute } from '../../../routing/route.ts'
import { objectSchema, text } from '../../system/page.ts'
import { apiMeSchema, meView } from './me.ts'

const changePassword = defineRoute({
  method: 'PUT',
  path: '/me/password',
  access: 'self',
  summary: 'Sets the password of the person, and ends the other sessions. Needs a recent sign-in.',
  answer: apiMeSchema,
  body: { required: ['password'], properties: { password: { type: 'string', maxLength: 1_024 } } },
  async handle({ body, caller }, services) {
    const { account, session } = requireRecentPerson(caller, services.clock)
    requireGoodPassword(body.password, account)
    const hash = await services.passwords.hash(body.password)
    await services.stores.credentials.setPassword(account.uuid, hash, session.uuid, caller.actor)
    return { body: await meView(caller, services) }
  },
})

const offerTotp = defineRoute({
  method: 'POST',
  path: '/me/totp',
  access: 'self',
  summary:
    'Begins to set up one-time codes: gives a secret for an authenticator app, in use once a code confirms it.',
  status: 201,
  once: false,
  answer: objectSchema({
    secret: { type: 'string', description: 'In base32, to type into the app.' },
    uri: { type: 'string', description: '`otpauth://…`, to show as a QR code.' },
  }),
  async handle({ caller }, { stores, clock }) {
    const { account } = requireRecentPerson(caller, clock)
    const secret = newTotpSecret()
    await stores.credentials.offerTotp(account.uuid, secret)
    return { body: { secret, uri: totpUri(secret, account.email) }, location: '/me' }
  },
})

const codesAnswer = objectSchema({
  recovery_codes: {
    type: 'array',
    items: text,
    description: 'Shown once. Each replaces a one-time code once. Earlier ones no longer work.',
  },
})

const confirmTotp = defineRoute({
  method: 'POST',
  path: '/me/totp/confirm',
  access: 'self',
  summary: 'Confirms one-time codes with a first code: sign-ins with the password need one from now on.',
  answer: codesAnswer,
  body: { required: ['code'], properties: { code: { type: 'string', maxLength: 50 } } },
  async handle({ body, caller }, { stores, clock, passwordGate }) {
    const { account } = requireRecentPerson(caller, clock)
    const { totp } = await stores.credentials.of(account.uuid)
    passwordGate.admitCode(account)
    const step = totp === null ? undefined : totpStep(totp.secret, body.code, clock.now())
    if (totp !== null && step === undefined)
      throw new RequestError('code_wrong', undefined, {
        hint: 'enter the current code, and check the clock of the device',
      })
    const codes = newRecoveryCodes()
    await stores.credentials.confirmTotp(account.uuid, step ?? 0, hashesOf(codes), caller.actor)
    return { body: { recovery_codes: codes } }
  },
})

const removeTotp = defineRoute({
  method: 'DELETE',
  path: '/me/totp',
  access: 'self',
  summary: 'Removes one-time codes and recovery codes. Needs a recent sign-in.',
  answer: apiMeSchema,
  async handle({ caller }, services) {
    const { account } = requireRecentPerson(caller, services.clock)
    await services.stores.credentials.removeTotp(account.uuid, caller.actor)
    return { body: await meView(caller, services) }
  },
})

const replaceRecoveryCodes = defineRoute({
  method: 'POST',
  path: '/me/recovery-codes',
  access: 'self',
  summary: 'Makes new recovery codes. Needs a recent sign-in.',
  answer: codesAnswer,
  async handle({ caller }, { stores, clock }) {
    const { account } = requireRecentPerson(caller, clock)
    const codes = newRecoveryCodes()
    await stores.credentials.setRecoveryCodes(account.uuid, hashesOf(codes), caller.actor)
    return { body: { recovery_codes: codes } }
  },
})

const hashesOf = (codes: readonly string[]): readonly Uint8Array[] =>
  codes.flatMap((code) => recoveryCodeHash(code) ?? [])

export const myCredentialRoutes = [changePassword, offerTotp, confirmTotp, removeTotp, replaceRecoveryCodes]
