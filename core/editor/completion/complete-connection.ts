import { viaOperator } from '../../playbook/language/grammar.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import type { Completion } from './completion.ts'
import type { Step } from '../inspection.ts'
import type { Guide } from '../schema-walk.ts'

/** The connections that can be named on this way; undefined where none is named. */
export function completeConnection(
  { connections }: Guide,
  path: readonly Step[],
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

/** The plugin whose connection is named: that of the skill beside `connection`, or the key in `defaults.connections`. */
function pluginAt(path: readonly Step[]): string | undefined {
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

/** Whether it is known that a skill has no connection that it could use. */
export function lacksConnection({ connections }: Guide, { plugin, skill }: CatalogueSkill): boolean {
  if (connections === undefined || skill.connection === undefined || skill.connectionIsOptional === true)
    return false
  return !connections.some((each) => each.plugin === plugin.name)
}
