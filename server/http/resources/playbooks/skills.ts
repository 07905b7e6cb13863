import { destructiveClasses, type PluginDefinition } from '../../../../core/plugin/index.ts'
import { enforcedSettings } from '../../../../core/skill/connection/usable-settings.ts'
import { defineRoute } from '../../routing/route.ts'
import { pageOfRows } from '../../routing/page-rows.ts'
import {
  objectSchema,
  pageParameters,
  pageSchema,
  pageView,
  sortParameter,
  text,
  textOrNull,
} from '../system/page.ts'
import { readers } from '../../caller/caller.ts'
import { skillView } from '../../../../core/registry/catalogue.ts'

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
          setup: connection.setup ?? [],
          settings: enforcedSettings(connection),
          inbound: Object.keys(connection.inbound ?? {}),
          has_manifest: connection.manifest !== undefined,
        },
  skills: skills.map((skill) => `${name}.${skill.name}`),
})

const schemaObject = { type: 'object', description: 'A JSON Schema.' } as const

const skillSchema = objectSchema({
  name: { type: 'string', description: '<plugin>.<skill>, as in playbooks.' },
  title: text,
  description: text,
  docs: textOrNull,
  plugin: text,
  effect: { enum: ['read', 'write'] },
  repeat: {
    enum: ['safe', 'verify', 'never', null],
    description: 'How the engine handles an interrupted write.',
  },
  destructive: {
    enum: [...destructiveClasses, null],
    description: 'The class of its hourly limit; null: not destructive.',
  },
  enriches: { type: 'array', items: text },
  needs_connection: { type: 'boolean' },
  input: schemaObject,
  output: schemaObject,
})

/** A plugin. */
export const apiPluginSchema = objectSchema({
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
        setup: { type: 'array', items: text, description: 'Set-up instructions, step by step.' },
        settings: schemaObject,
        inbound: { type: 'array', items: text, description: 'Last path segments of its webhook addresses.' },
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
  summary: 'Lists the skills for playbooks, with the schemas of their inputs and outputs.',
  answer: pageSchema(skillSchema),
  query: {
    ...pageParameters,
    plugin: { type: 'string', description: 'Name of a plugin.' },
    effect: { type: 'string', enum: ['read', 'write'] },
    sort: sortParameter(['name']),
  },
  async handle({ query }, { catalogue }) {
    const found = catalogue.skills.filter(
      ({ plugin, skill }) =>
        (query.plugin === undefined || plugin.name === query.plugin) &&
        (query.effect === undefined || skill.effect === query.effect),
    )
    const byName = ({ name }: (typeof found)[number]) => name
    const page = pageOfRows(found, query, { name: 'skills', sorts: { name: byName }, key: byName })
    return { body: await pageView(page, skillView) }
  },
})

const listPlugins = defineRoute({
  method: 'GET',
  path: '/plugins',
  access: readers,
  summary: 'Lists the installed plugins, with the schemas of their connection settings.',
  answer: pageSchema(apiPluginSchema),
  query: { ...pageParameters, sort: sortParameter(['name']) },
  async handle({ query }, { catalogue }) {
    const byName = ({ name }: PluginDefinition) => name
    const page = pageOfRows(catalogue.plugins, query, {
      name: 'plugins',
      sorts: { name: byName },
      key: byName,
    })
    return { body: await pageView(page, pluginView) }
  },
})

export const skillRoutes = [listSkills, listPlugins]
