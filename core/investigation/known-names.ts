import { innerSteps } from '../playbook/check/inner-steps.ts'
import type { Playbook, Step } from '../playbook/language/playbook.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { OrganizationScope } from '../ports/common.ts'
import type { Stores } from '../ports/stores.ts'

/** The names that playbooks can use in these organizations, including disabled connections. */
export async function knownNames(
  { connections, providers, organizations }: Pick<Stores, 'connections' | 'providers' | 'organizations'>,
  scope: OrganizationScope,
): Promise<KnownNames> {
  const [known, all, own] = await Promise.all([
    connections.list(scope),
    providers.list(),
    organizations.list(scope),
  ])
  const codes = new Map(own.map(({ uuid, code }) => [uuid, code]))
  return {
    connections: known.map(({ name, plugin, organizationUuid }) => ({
      name,
      plugin,
      organization: codes.get(organizationUuid),
    })),
    providers: all.map(({ code }) => code),
    organizations: own.map(({ code }) => code),
    otherOrganizations: scope === 'all' ? undefined : true,
  }
}

/** The names of the server, for the library of playbooks. */
export const serverNames = (stores: Pick<Stores, 'connections' | 'providers' | 'organizations'>) => ({
  known: () => knownNames(stores, 'all'),
  /** The uuid of the organization with this code. */
  async uuidOf(code: string): Promise<string | undefined> {
    const all = await stores.organizations.list('all')
    return all.find((each) => each.code.toLowerCase() === code.toLowerCase())?.uuid
  },
})

/** Whether a step names an unknown connection. Much cheaper than checking the playbook. */
export function namesUnknownConnection(playbook: Playbook, { connections }: KnownNames): boolean {
  const known = new Set(connections.map(({ plugin, name }) => connectionId(plugin, name)))
  const open: Step[] = [...playbook.steps, ...playbook.onError, ...playbook.finally]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const [skill, connection] = skillAndConnection(step)
    const plugin = skill.slice(0, skill.indexOf('.'))
    if (connection !== undefined && !known.has(connectionId(plugin, connection))) return true
    open.push(...innerSteps(step))
  }
  return false
}

const connectionId = (plugin: string, name: string): string => `${plugin}/${name.toLowerCase()}`

function skillAndConnection(step: Step): readonly [skill: string, connection: string | undefined] {
  if (step.action === 'uses') return [step.skill, step.connection]
  return step.action === 'checkpoint' ? [step.via, step.connection] : ['', undefined]
}
