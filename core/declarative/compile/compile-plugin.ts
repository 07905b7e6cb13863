import type { PluginDefinition } from '../../plugin/index.ts'
import type { DeclaredPlugin } from '../language/declared.ts'
import { compileConnection } from './connection.ts'
import { compileSkill } from './skill.ts'

/** The plugin that a `plugin.yaml` declares, in the form that `definePlugin` returns. */
export function compilePlugin({
  name,
  title,
  description,
  connection: declared,
  skills,
}: DeclaredPlugin): PluginDefinition {
  const connection = declared && compileConnection(declared)
  return {
    name,
    title,
    description,
    ...(connection === undefined ? {} : { connection }),
    skills: skills.map((skill) =>
      compileSkill(skill, connection, declared ?? { errors: [], xml: undefined }),
    ),
  }
}
