import { isObject, valueAt, type Secret } from 'tocsin/plugin'

/** Application permissions of the API; any one is enough. The first is the one to grant. */
export type Permission = readonly [string, ...string[]]

/** Permissions that each skill needs, from the vendor's list. */
export const permissions = {
  list_alerts: ['Alert.ReadWrite.All', 'Alert.Read.All'],
  get_alert: ['Alert.ReadWrite.All', 'Alert.Read.All'],
  list_machines: ['Machine.Read.All', 'Machine.ReadWrite.All'],
  get_machine: ['Machine.Read.All', 'Machine.ReadWrite.All'],
  list_machine_logon_users: ['User.Read.All'],
  isolate_machine: ['Machine.Isolate'],
  unisolate_machine: ['Machine.Isolate'],
  run_antivirus_scan: ['Machine.Scan'],
  collect_investigation_package: ['Machine.CollectForensics'],
  run_live_response: ['Machine.LiveResponse'],
  get_machine_action: ['Machine.Read.All', 'Machine.ReadWrite.All'],
  get_isolation: ['Machine.Read.All', 'Machine.ReadWrite.All'],
  run_advanced_query: ['AdvancedQuery.Read.All'],
  list_indicators: ['Ti.ReadWrite.All', 'Ti.ReadWrite'],
  create_indicator: ['Ti.ReadWrite.All', 'Ti.ReadWrite'],
  delete_indicator: ['Ti.ReadWrite.All', 'Ti.ReadWrite'],
  list_vulnerabilities: ['Vulnerability.Read.All'],
  list_machines_vulnerabilities: ['Vulnerability.Read.All'],
  list_recommendations: ['SecurityRecommendation.Read.All'],
} as const satisfies Readonly<Record<string, Permission>>

/** For finding and polling actions. */
export const actionsPermission: Permission = permissions.get_machine_action

/** The permissions of a token: the `roles` of a JWT. Undefined if the token is not a JWT. */
export function rolesOf(token: Secret): ReadonlySet<string> | undefined {
  const [, payload] = token.reveal().split('.')
  if (payload === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (!isObject(claims)) return undefined
    const roles = valueAt(claims, 'roles') ?? []
    return Array.isArray(roles) ? new Set(roles.filter((role) => typeof role === 'string')) : undefined
  } catch {
    return undefined
  }
}

/** Skills that will not work with these permissions, with the missing permission. */
export function missingPermissions(
  roles: ReadonlySet<string>,
): readonly { readonly skill: string; readonly permission: string }[] {
  return Object.entries(permissions)
    .filter(([, choice]) => !choice.some((permission) => roles.has(permission)))
    .map(([skill, [permission]]) => ({ skill, permission }))
}
