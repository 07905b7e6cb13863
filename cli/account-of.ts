import type { Account } from '../core/access/account.ts'
import { NotFoundError } from '../core/errors/errors.ts'
import type { Stores } from '../core/ports/stores.ts'
import { printable } from './output/printable.ts'

/** The account with an e-mail address or uuid. Throws NotFoundError `account_not_found`. */
export async function requireAccountOf({ accounts }: Stores, email: string): Promise<Account> {
  const found = (await accounts.byEmail(email)) ?? (await accounts.find(email.toLowerCase()))
  if (found !== undefined) return found
  throw new NotFoundError('account_not_found', `no account has the e-mail address '${printable(email)}'`, {
    hint: 'tocsin people list shows the accounts',
  })
}
