import { isActive, type Account } from '../../core/access/account.ts'
import type { AccountCredentials } from '../../core/access/credentials.ts'
import type { Actor } from '../../core/domain/audit.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { isOutdated, type Passwords } from './passwords.ts'
import { recoveryCodeHash, totpStep } from './second-factor.ts'

export type SignInRefusal =
  | 'unknown'
  | 'disabled'
  | 'wrong_password'
  /** The password is right, and a code is needed. */
  | 'code_missing'
  | 'wrong_code'

export type PasswordResult =
  { readonly account: Account } | { readonly refusal: SignInRefusal; readonly account: Account | undefined }

interface Given {
  readonly email: string
  readonly password: string
  /** A one-time code or a recovery code. */
  readonly code: string | undefined
  readonly requestId: string
  /** Called before a code is checked; throws to refuse it. */
  readonly admitCode: (account: Account) => void
}

type Needed = {
  readonly stores: Pick<Stores, 'accounts' | 'credentials'>
  readonly passwords: Passwords
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Checks the password of a person, and the code if the account has one-time codes. Takes as long for an unknown person. A code
 * counts once.
 *
 * @throws UnavailableError `passwords_full`
 */
export async function checkPassword(given: Given, services: Needed): Promise<PasswordResult> {
  const { stores, passwords } = services
  const account = await stores.accounts.byEmail(given.email)
  const credentials = account && (await stores.credentials.of(account.uuid))
  const isRight = await passwords.matches(given.password, credentials?.passwordHash ?? null)
  if (account === undefined || credentials === undefined) return { refusal: 'unknown', account }
  if (!isRight) return { refusal: 'wrong_password', account }
  if (!isActive(account)) return { refusal: 'disabled', account }
  const refusal = await checkCode(account, credentials, given, services)
  if (refusal !== undefined) return { refusal, account }
  if (credentials.passwordHash !== null && isOutdated(credentials.passwordHash))
    await stores.credentials.rehash(account.uuid, await passwords.hash(given.password))
  return { account }
}

async function checkCode(
  account: Account,
  { totp }: AccountCredentials,
  { code, requestId, admitCode }: Given,
  { stores: { credentials }, clock }: Needed,
): Promise<SignInRefusal | undefined> {
  if (totp?.confirmedAt == null) return undefined
  if (code === undefined || code.trim() === '') return 'code_missing'
  admitCode(account)
  const step = totpStep(totp.secret, code, clock.now())
  if (step !== undefined) return (await credentials.useTotp(account.uuid, step)) ? undefined : 'wrong_code'
  const codeHash = recoveryCodeHash(code)
  if (codeHash === undefined) return 'wrong_code'
  const isUsed = await credentials.useRecoveryCode(account.uuid, codeHash, accountActor(account, requestId))
  return isUsed ? undefined : 'wrong_code'
}

/** A person as the actor of a request. */
export const accountActor = ({ uuid, name }: Account, requestId: string | null): Actor => ({
  kind: 'account',
  id: uuid,
  name,
  requestId,
})
