import type { Author } from '../domain/audit.ts'

/** A person's access to Tocsin. The person acts in sessions; machines have API keys. */
export interface Account {
  readonly uuid: string
  /** Unique ignoring case. */
  readonly email: string
  readonly name: string
  readonly roles: readonly AccountRole[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** As recorded in the audit log; null if unknown. */
  readonly createdBy: Author | null
  /** When the person first got a way to sign in; null: invited, and not yet here. */
  readonly joinedAt: number | null
  /** Null: not disabled. */
  readonly disabledAt: number | null
  /** Recorded at most once a minute. */
  readonly lastUsedAt: number | null
  /** Counts changes of name, e-mail address and roles. */
  readonly revision: number
}

/** A role of a person in one organization, or in all including later ones. */
export interface AccountRole {
  readonly role: string
  /** Null: all organizations. */
  readonly organizationUuid: string | null
}

export const accountStates = ['invited', 'active', 'disabled'] as const
export type AccountState = (typeof accountStates)[number]

export function accountState({ joinedAt, disabledAt }: Account): AccountState {
  if (disabledAt !== null) return 'disabled'
  return joinedAt === null ? 'invited' : 'active'
}

/** Whether the person may act. */
export const isActive = (account: Account): boolean => accountState(account) === 'active'

/** Whether the person can manage everything: an active account with the role admin for all organizations. */
export const isAdministrator = (account: Account): boolean =>
  isActive(account) &&
  account.roles.some(({ role, organizationUuid }) => role === 'admin' && organizationUuid === null)

/** E-mail addresses that are the same: letter case and surrounding spaces do not count. */
export const emailKey = (email: string): string => email.trim().normalize('NFC').toLowerCase()
