import { viaOperator } from '../../playbook/language/constants.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import type { Completion } from './completion.ts'
import type { PathStep } from '../inspection.ts'
import type { Guide } from '../schema-walk.ts'

/** The connections that fit at this path; undefined if the path does not name a connection. */
export function completeConnection(
  { connections }: Guide,
  path: readonly PathStep[],
): readonly Completion[] | undefined {
  const plugin = pluginAt(path)
  if (plugin === undefined) return undefined
  const names = (connections ?? []).filter((each) => each.plugin === plugin).map(({ name }) => name)
  return [...new Set(names)].map((name) => ({
    label: name,
    kind: 'value',
    detail: `connection of ${plugin}`,
  }))
}

/**
 * The plugin of the connection: from the skill beside `connection`, or from the key in
 * `defaults.connections`.
 */
function pluginAt(path: readonly PathStep[]): string | undefined {
  const last = path.at(-1)
  if (last === undefined || !('key' in last)) return undefined
  const before = path.slice(0, -1).map((step) => ('key' in step ? step.key : ''))
  if (before.join('/') === 'defaults/connections') return last.key
  if (last.key !== 'connection') return undefined
  const skill = last.in.entries.find(({ name }) => name === 'uses' || name === 'via')?.value
  if (skill?.kind !== 'scalar' || typeof skill.value !== 'string' || skill.value === viaOperator)
    return undefined
  return skill.value.split('.')[0]
}

/** Whether a skill certainly has no usable connection. */
export function lacksConnection({ connections }: Guide, { plugin, skill }: CatalogueSkill): boolean {
  if (connections === undefined || skill.connection === undefined || skill.connectionIsOptional === true)
    return false
  return !connections.some((each) => each.plugin === plugin.name)
}
