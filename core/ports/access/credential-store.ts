import type { AccountCredentials, NewPasskey, Passkey } from '../../access/credentials.ts'
import type { Actor } from '../../domain/audit.ts'

/**
 * The ways to sign in of accounts. Every method throws NotFoundError `account_not_found` for an unknown account; changes by people
 * are audited without secrets.
 */
export interface CredentialStore {
  of(accountUuid: string): Promise<AccountCredentials>
  /** `hash`: of the password, with its parameters. Ends the other sessions of the account, except `keeps`. */
  setPassword(accountUuid: string, hash: string, keeps: string | undefined, by: Actor): Promise<void>
  /** Stores a hash with newer parameters of the same password. */
  rehash(accountUuid: string, hash: string): Promise<void>
  /** Stores a secret for one-time codes, not in use before `confirmTotp`. Throws ConflictError `totp_exists`. */
  offerTotp(accountUuid: string, secret: string): Promise<void>
  /** Requires codes from now on, and replaces the recovery codes. Throws ConflictError `totp_not_offered`, `totp_exists`. */
  confirmTotp(accountUuid: string, step: number, codeHashes: readonly Uint8Array[], by: Actor): Promise<void>
  /** Accepts a time step once: false for the last used one and earlier ones. */
  useTotp(accountUuid: string, step: number): Promise<boolean>
  /** Removes the secret and the recovery codes. */
  removeTotp(accountUuid: string, by: Actor): Promise<void>
  /** Replaces the recovery codes. Throws ConflictError `totp_not_offered` without confirmed one-time codes. */
  setRecoveryCodes(accountUuid: string, codeHashes: readonly Uint8Array[], by: Actor): Promise<void>
  /** Uses up a recovery code; false if it is unknown or used. */
  useRecoveryCode(accountUuid: string, codeHash: Uint8Array, by: Actor): Promise<boolean>
  /** Throws ConflictError `passkey_exists`, `too_many_passkeys`. */
  addPasskey(accountUuid: string, passkey: NewPasskey, by: Actor): Promise<Passkey>
  /** By the id that the browser names. */
  findPasskey(
    credentialId: string,
  ): Promise<{ readonly accountUuid: string; readonly passkey: Passkey } | undefined>
  /** Records a use. False if the counter did not grow although the authenticator counts: perhaps a copy. */
  usePasskey(uuid: string, use: Pick<Passkey, 'counter' | 'isBackedUp'>): Promise<boolean>
  /** Throws NotFoundError `passkey_not_found`. */
  renamePasskey(accountUuid: string, uuid: string, name: string, by: Actor): Promise<void>
  /** Throws NotFoundError `passkey_not_found`. */
  removePasskey(accountUuid: string, uuid: string, by: Actor): Promise<void>
}
