import { viaOperator } from '../../playbook/language/constants.ts'
import { usedInterface } from '../../interface/interface-skills.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import type { Completion } from './completion.ts'
import type { PathStep } from '../inspection.ts'
import type { Guide } from '../schema-walk.ts'

/** The connections that fit at this path; undefined if the path does not name a connection. */
export function completeConnection(
  { connections, catalogue }: Guide,
  path: readonly PathStep[],
): readonly Completion[] | undefined {
  const found = placeAt(path)
  if (found === undefined) return undefined
  const { plugin, of } = found
  const plugins = of === undefined ? [plugin] : catalogue?.implementing(of).map((each) => each.plugin.name)
  const usable = (connections ?? []).filter((each) => plugins?.includes(each.plugin))
  return [...new Map(usable.map((each) => [each.name, each.plugin]))].map(([name, of]) => ({
    label: name,
    kind: 'value',
    detail: `connection of ${of}`,
  }))
}

/**
 * The plugin of the connection: from the skill beside `connection`, or from the key in
 * `defaults.connections`. For an interface, the plugins that implement it.
 */
function placeAt(
  path: readonly PathStep[],
): { readonly plugin: string; readonly of?: string | undefined } | undefined {
  const last = path.at(-1)
  if (last === undefined || !('key' in last)) return undefined
  const before = path.slice(0, -1).map((step) => ('key' in step ? step.key : ''))
  if (before.join('/') === 'defaults/connections') return { plugin: last.key }
  if (last.key !== 'connection') return undefined
  const skill = last.in.entries.find(({ name }) => name === 'uses' || name === 'via')?.value
  if (skill?.kind !== 'scalar' || typeof skill.value !== 'string' || skill.value === viaOperator)
    return undefined
  return { plugin: skill.value.split('.')[0]!, of: usedInterface(skill.value) }
}

/** Whether a skill certainly has no usable connection. */
export function lacksConnection({ connections }: Guide, { plugin, skill }: CatalogueSkill): boolean {
  if (connections === undefined || skill.connection === undefined || skill.connectionIsOptional === true)
    return false
  return !connections.some((each) => each.plugin === plugin.name)
}
