import type { CatalogueSkill } from './catalogue.ts'

/** A skill as the API and `tocsin skills --json` show it. */
export const skillView = ({ name, plugin, skill }: CatalogueSkill) => ({
  name,
  title: skill.title,
  description: skill.description,
  docs: skill.docs ?? null,
  plugin: plugin.name,
  effect: skill.effect,
  repeat: skill.effect === 'write' ? skill.repeat : null,
  enriches: skill.enriches ?? [],
  needs_connection: skill.connection !== undefined && skill.connectionIsOptional !== true,
  input: skill.input,
  output: skill.output,
})
