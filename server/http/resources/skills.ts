import type { PluginDefinition } from '../../../core/plugin/index.ts'
import { skillView } from '../../../core/registry/skill-view.ts'
import { defineRoute, readers } from '../route.ts'
import { objectSchema, pageSchema, text, textOrNull, wholeView } from './page.ts'

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
          inbound: Object.keys(connection.inbound ?? {}),
          has_manifest: connection.manifest !== undefined,
        },
  skills: skills.map((skill) => `${name}.${skill.name}`),
})

const schemaObject = { type: 'object', description: 'A JSON Schema.' } as const

const skillSchema = objectSchema({
  name: { type: 'string', description: '<plugin>.<skill>, as playbooks name it.' },
  title: text,
  description: text,
  docs: textOrNull,
  plugin: text,
  effect: { enum: ['read', 'write'] },
  repeat: {
    enum: ['safe', 'verify', 'never', null],
    description: 'What may be done about an interrupted write.',
  },
  enriches: { type: 'array', items: text },
  needs_connection: { type: 'boolean' },
  input: schemaObject,
  output: schemaObject,
})

const pluginSchema = objectSchema({
  name: text,
  title: text,
  description: text,
  connection: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        title: text,
        description: text,
        docs: textOrNull,
        settings: schemaObject,
        inbound: { type: 'array', items: text, description: 'Last words of the addresses of its webhooks.' },
        has_manifest: { type: 'boolean' },
      }),
    ],
  },
  skills: { type: 'array', items: text },
})

const listSkills = defineRoute({
  method: 'GET',
  path: '/skills',
  access: readers,
  summary: 'Lists the skills that playbooks can use, with the schemas of their inputs and outputs.',
  status: 200,
  answer: pageSchema(skillSchema),
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
  answer: pageSchema(pluginSchema),
  async handle(_request, { catalogue }) {
    return { body: await wholeView(catalogue.plugins, pluginView) }
  },
})

export const skillRoutes = [listSkills, listPlugins]
