/** What a role can allow, by area and verb. A role has permissions in one organization, or in all. */
export const accessPermissions = {
  'organizations:read': 'list organizations and providers',
  'organizations:write':
    'create and change organizations, providers, limits, approval rules and target times',
  'alerts:create': 'post alerts, and start playbooks by requests',
  'alerts:read': 'read alerts and observables',
  'alerts:write': 'investigate alerts again',
  'cases:read': 'read cases and download their files',
  'cases:write': 'change, merge and split cases, and add notes',
  'runs:read': 'read runs, questions, containments, limits, and results of backtests and shadows',
  'runs:write': 'start, cancel and retry runs, decide unknown steps, and undo containments',
  'questions:write': 'answer questions, and refuse approvals',
  'approvals:write': 'approve destructive actions',
  'playbooks:read': 'read playbooks, skills and plugins, and check drafts',
  'playbooks:test':
    'dry-run, test and backtest playbooks, also on stored alerts, which their results show, and reset their state',
  'playbooks:write': 'publish playbooks, and try skills that write',
  'connections:read': 'read connections, without secrets',
  'connections:write': 'create, change, test and delete connections',
  'keys:read': 'list API keys',
  'keys:write': 'create, rotate and revoke API keys',
  'people:read': 'list people and roles',
  'people:write': 'invite and disable people, and change roles',
  'audit:read': 'read the audit log',
  'engine:read': 'read the state of the engine and metrics',
  'engine:write': 'pause and resume runs',
} as const

export type AccessPermission = keyof typeof accessPermissions

export const allPermissions = Object.keys(accessPermissions) as readonly AccessPermission[]

const reading = [
  'organizations:read',
  'alerts:read',
  'cases:read',
  'runs:read',
  'playbooks:read',
  'connections:read',
  'engine:read',
] as const satisfies readonly AccessPermission[]

interface RoleDefinition {
  readonly description: string
  readonly permissions: readonly AccessPermission[]
}

/** Roles that every installation has. API keys have one of them; people all but `intake`. */
export const builtInRoles = {
  intake: { description: 'posts alerts', permissions: ['organizations:read', 'alerts:create'] },
  reader: { description: 'reads everything except keys, people and the audit log', permissions: reading },
  analyst: {
    description: 'works on alerts, cases and runs, answers questions and approves',
    permissions: [
      ...reading,
      'alerts:create',
      'alerts:write',
      'cases:write',
      'runs:write',
      'questions:write',
      'approvals:write',
      'playbooks:test',
    ],
  },
  responder: {
    description: 'works on cases, answers questions and approves, and starts no runs',
    permissions: [...reading, 'cases:write', 'questions:write', 'approvals:write'],
  },
  author: {
    description: 'writes, tests and publishes playbooks, and approves nothing',
    permissions: [...reading, 'playbooks:test', 'playbooks:write'],
  },
  connection_admin: {
    description: 'manages connections, and approves nothing',
    permissions: [...reading, 'connections:write'],
  },
  admin: { description: 'everything', permissions: allPermissions },
} as const satisfies Readonly<Record<string, RoleDefinition>>

export type BuiltInRole = keyof typeof builtInRoles

/** Built-in roles that people can have. */
export const peopleRoles = (Object.keys(builtInRoles) as readonly BuiltInRole[]).filter(
  (role) => role !== 'intake',
)

const isBuiltIn = (role: string): role is BuiltInRole => Object.hasOwn(builtInRoles, role)

/** A role that administrators define. */
export interface CustomRole extends RoleDefinition {
  readonly uuid: string
  /** Unique ignoring case, and none of the built-in ones. */
  readonly name: string
  /** Null: may be given in every organization. */
  readonly organizationUuid: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly revision: number
}

/**
 * The permissions of a role by its name; none for an unknown one, and for a role of another organization: the configuration of single
 * sign-on can name a role before somebody defines it.
 *
 * @param organizationUuid in which somebody has the role; null: in all
 */
export function permissionsOf(
  role: string,
  custom: readonly CustomRole[],
  organizationUuid: string | null = null,
): readonly AccessPermission[] {
  if (isBuiltIn(role)) return builtInRoles[role].permissions
  const found = custom.find(({ name }) => name.toLowerCase() === role.toLowerCase())
  if (found === undefined) return []
  const isHere = found.organizationUuid === null || found.organizationUuid === organizationUuid
  return isHere ? found.permissions : []
}

/** The built-in roles with a permission. */
export const rolesWith = (permission: AccessPermission): readonly BuiltInRole[] =>
  (Object.keys(builtInRoles) as readonly BuiltInRole[]).filter((role) =>
    (builtInRoles[role].permissions as readonly AccessPermission[]).includes(permission),
  )
