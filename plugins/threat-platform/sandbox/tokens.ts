export const companyId = '330'

/** A token of the sandbox; `status`, `permissions` and `expires_at` are returned unchanged. */
export interface KnownToken {
  readonly status: string
  readonly permissions: readonly string[]
  readonly expires_at: string | null
  /** Returned by every call except the token status, instead of data. */
  readonly refused?: 401 | 403
}

/** The only token with full access and a late expiry. */
export const apiToken = 'tp_5f4dcc3b5aa765d61d8327deb882cf99'
/** Expires at the end of January 2030. */
export const endingToken = 'tp_endsinjanuary_61d8327deb882cf99'
/** Expired in January 2020. */
export const expiredToken = 'tp_ended_5aa765d61d8327deb882cf99'
export const revokedToken = 'tp_revoked_5aa765d61d8327deb882cf99'
/** Has no access to incidents. */
export const alertsOnlyToken = 'tp_alertsonly_a765d61d8327deb882cf99'

const permissions = ['alerts:read', 'incidents:read']
const longLived = { status: 'active', permissions, expires_at: '2099-12-31T23:59:59Z' }

export const knownTokens: ReadonlyMap<string, KnownToken> = new Map<string, KnownToken>([
  [apiToken, longLived],
  [endingToken, { ...longLived, expires_at: '2030-01-31T23:59:59Z' }],
  [expiredToken, { ...longLived, expires_at: '2020-01-31T23:59:59Z', refused: 401 }],
  [revokedToken, { ...longLived, status: 'revoked', expires_at: null, refused: 401 }],
  [alertsOnlyToken, { ...longLived, permissions: ['alerts:read'], refused: 403 }],
])
