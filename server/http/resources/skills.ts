import type { PluginDefinition } from '../../../core/plugin/index.ts'
import type { CatalogueSkill } from '../../../core/registry/catalogue.ts'
import { defineRoute, readers } from '../route.ts'
import { wholeView } from './page.ts'

const skillView = ({ name, plugin, skill }: CatalogueSkill) => ({
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

const pluginView = ({ name, title, description, connection, skills }: PluginDefinition) => ({
  name,
  title,
  description,
  connection:
    connection === undefined
      ? null
      : {
          title: connection.title,
          description: connection.description,
          docs: connection.docs ?? null,
          settings: connection.settings,
        },
  skills: skills.map((skill) => `${name}.${skill.name}`),
})

const listSkills = defineRoute({
  method: 'GET',
  path: '/skills',
  access: readers,
  summary: 'Lists the skills that playbooks can use, with the schemas of their inputs and outputs.',
  status: 200,
  async handle(_request, { catalogue }) {
    return { body: await wholeView(catalogue.skills, skillView) }
  },
})

const listPlugins = defineRoute({
  method: 'GET',
  path: '/plugins',
  access: readers,
  summary: 'Lists the installed plugins, with the schemas of their connection settings.',
  status: 200,
  async handle(_request, { catalogue }) {
    return { body: await wholeView(catalogue.plugins, pluginView) }
  },
})

export const skillRoutes = [listSkills, listPlugins]
