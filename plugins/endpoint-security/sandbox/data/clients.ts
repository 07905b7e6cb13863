import { permissions } from '../../permissions.ts'

export const tenantId = '6f1d2c3b-4a59-4687-9b0c-1d2e3f405162'
export const resource = 'https://api.securitycenter.microsoft.com'

/** An application of the tenant. */
export interface Client {
  readonly id: string
  readonly secret: string
  /** The secret is correct but expired. */
  readonly expired?: true
  readonly roles: readonly string[]
}

const readRoles = ['Alert.Read.All', 'Machine.Read.All', 'User.Read.All']

export const clients = {
  /** Has all permissions. */
  full: {
    id: '11111111-2222-4333-8444-555555555555',
    secret: 'sbx8Q~full-client-secret-0001',
    roles: [...new Set(Object.values(permissions).map(([role]) => role))],
  },
  /** May read alerts, machines and users only. */
  reader: {
    id: '22222222-2222-4333-8444-555555555555',
    secret: 'sbx8Q~reader-client-secret-0002',
    roles: readRoles,
  },
  /** May isolate machines but not read actions. */
  isolator: {
    id: '33333333-2222-4333-8444-555555555555',
    secret: 'sbx8Q~isolator-client-secret-0003',
    roles: ['Alert.Read.All', 'Machine.Isolate'],
  },
  /** May create indicators and read its own. */
  indicators: {
    id: '66666666-2222-4333-8444-555555555555',
    secret: 'sbx8Q~indicators-client-secret-0006',
    roles: ['Alert.Read.All', 'Ti.ReadWrite'],
  },
  /** Lacks the one mandatory permission. */
  withoutAlerts: {
    id: '44444444-2222-4333-8444-555555555555',
    secret: 'sbx8Q~without-client-secret-0004',
    roles: ['Machine.Read.All'],
  },
  outdated: {
    id: '55555555-2222-4333-8444-555555555555',
    secret: 'sbx8Q~outdated-client-secret-0005',
    expired: true,
    roles: readRoles,
  },
} as const satisfies Readonly<Record<string, Client>>
