import type { AnySkill } from './skill.ts'
import type { ConnectionDefinition } from './connection.ts'

/** One integration: how to reach the other system and what can be done there. */
export interface PluginDefinition {
  /** snake_case; the folder has the same name with hyphens. */
  readonly name: string
  readonly title: string
  readonly description: string
  // eslint-disable-next-line typescript/no-explicit-any -- see AnySkill
  readonly connection?: ConnectionDefinition<any>
  readonly skills: readonly AnySkill[]
}

/** Declares a plugin: the default export of `plugin.ts`. Importing it must have no side effect. */
export function definePlugin(definition: PluginDefinition): PluginDefinition {
  return definition
}
