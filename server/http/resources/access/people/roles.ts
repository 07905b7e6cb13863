import {
  allPermissions,
  builtInRoles,
  accessPermissions,
  type CustomRole,
  type AccessPermission,
} from '../../../../../core/access/permissions.ts'
import { textAt } from '../../../../../core/plugin/index.ts'
import { isInScope } from '../../../../../core/common/scope.ts'
import { requireWholeScope } from '../../../caller/authenticate.ts'
import { requireMayGive, type Caller } from '../../../caller/caller.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../../request/if-match.ts'
import { patterns } from '../../../request/patterns.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { objectSchema, text, textOrNull } from '../../system/page.ts'

/** A role. */
const roleSchema = objectSchema({
  name: text,
  description: text,
  is_built_in: { type: 'boolean' },
  organization_code: { ...textOrNull, description: 'null: may be given in every organization.' },
  permissions: { type: 'array', items: { enum: allPermissions } },
  revision: { type: ['integer', 'null'], description: 'Counts edits; null: built in.' },
})

/** Answer of `GET roles`. */
export const apiRolesSchema = objectSchema({
  data: { type: 'array', items: roleSchema },
  permissions: {
    type: 'array',
    items: objectSchema({ permission: { enum: allPermissions }, meaning: text }),
    description: 'All permissions.',
  },
})

const roleView = async (role: CustomRole, { directory }: Pick<Services, 'directory'>) => ({
  name: role.name,
  description: role.description,
  is_built_in: false,
  organization_code:
    role.organizationUuid === null ? null : await directory.organizationCode(role.organizationUuid),
  permissions: role.permissions,
  revision: role.revision,
})

const builtIn = Object.entries(builtInRoles).map(([name, { description, permissions: given }]) => ({
  name,
  description,
  is_built_in: true,
  organization_code: null,
  permissions: given as readonly AccessPermission[],
  revision: null,
}))

const isVisible = ({ organizationUuid }: CustomRole, { scope }: Caller): boolean =>
  organizationUuid === null || isInScope(scope, organizationUuid)

const listRoles = defineRoute({
  method: 'GET',
  path: '/roles',
  access: 'people:read',
  summary:
    'Lists the built-in roles, the custom roles of the organizations of the caller, and all permissions.',
  answer: apiRolesSchema,
  async handle({ caller }, services) {
    const custom = (await services.stores.roles.list()).filter((role) => isVisible(role, caller))
    return {
      body: {
        data: [...builtIn, ...(await Promise.all(custom.map((role) => roleView(role, services))))],
        permissions: allPermissions.map((permission) => ({
          permission,
          meaning: accessPermissions[permission],
        })),
      },
    }
  },
})

const description = { type: 'string', maxLength: 200, ...patterns.line } as const
const givenPermissions = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', enum: allPermissions },
  description: 'Not beyond those of the caller.',
} as const

const createRole = defineRoute({
  method: 'POST',
  path: '/roles',
  access: 'people:write',
  summary: 'Creates a custom role, for one organization or for all.',
  status: 201,
  answer: roleSchema,
  recall: {
    keeps: (made) => textAt(made, 'name'),
    answer: async (name, { caller }, services) =>
      roleMade(await requireRole(String(name), caller, services), services),
  },
  body: {
    required: ['name', 'description', 'permissions'],
    properties: {
      name: { type: 'string', ...patterns.code, description: 'At most 32 letters, digits and `_`.' },
      description,
      organization_code: { type: ['string', 'null'], description: 'null or absent: for all organizations.' },
      permissions: givenPermissions,
    },
  },
  async handle({ body, caller }, services) {
    const organizationUuid = await organizationOf(body.organization_code ?? null, caller, services)
    requireMayGive(caller, body.permissions, organizationUuid)
    const { name, description: about, permissions: given } = body
    const role = { name, description: about, organizationUuid, permissions: given }
    return await roleMade(await services.stores.roles.create(role, caller.actor), services)
  },
})

async function organizationOf(
  code: string | null,
  caller: Caller,
  { directory }: Services,
): Promise<string | null> {
  if (code !== null) return (await directory.organization(caller.scope, code, '/organization_code')).uuid
  requireWholeScope(caller)
  return null
}

const roleMade = async (role: CustomRole, services: Services) => ({
  body: await roleView(role, services),
  location: '/roles',
  headers: entityTag(role),
})

const changeRole = defineRoute({
  method: 'PATCH',
  path: '/roles/{role}',
  access: 'people:write',
  summary:
    'Changes a custom role; applies to everyone who has it, from the next request on. A new permission ends their open invitation links.',
  answer: roleSchema,
  headers: ifMatchHeader,
  body: { minProperties: 1, properties: { description, permissions: givenPermissions } },
  async handle({ params, body, headers, caller }, services) {
    const role = await requireRole(params.role, caller, services)
    requireMayGive(caller, [...role.permissions, ...(body.permissions ?? [])], role.organizationUuid)
    const changes = {
      ...(body.description !== undefined && { description: body.description }),
      ...(body.permissions !== undefined && { permissions: body.permissions }),
    }
    const changed = await editSeen(headers, (revision) =>
      services.stores.roles.change(role.name, changes, revision, caller.actor),
    )
    return { body: await roleView(changed, services), headers: entityTag(changed) }
  },
})

const removeRole = defineRoute({
  method: 'DELETE',
  path: '/roles/{role}',
  access: 'people:write',
  summary: 'Removes a custom role that nobody has.',
  answer: roleSchema,
  async handle({ params, caller }, services) {
    const role = await requireRole(params.role, caller, services)
    requireMayGive(caller, role.permissions, role.organizationUuid)
    await services.stores.roles.remove(role.name, caller.actor)
    return { body: await roleView(role, services) }
  },
})

async function requireRole(name: string, caller: Caller, { stores }: Services): Promise<CustomRole> {
  const role = (await stores.roles.list()).find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (role !== undefined && isVisible(role, caller)) return role
  throw new RequestError('role_not_found', undefined, {
    hint: 'GET roles lists the roles; built-in ones cannot change',
  })
}

export const roleRoutes = [listRoles, createRole, changeRole, removeRole]
