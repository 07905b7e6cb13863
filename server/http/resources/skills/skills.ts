import {
  destructiveClasses,
  interfaces,
  observableKinds,
  type PluginDefinition,
} from '../../../../core/plugin/index.ts'
import { interfacesOf, skillView } from '../../../../core/registry/catalogue.ts'
import { exampleSteps } from '../../../../core/skill/describe/example-step.ts'
import { NotFoundError } from '../../../../core/errors/errors.ts'
import { enforcedSettings } from '../../../../core/skill/connection/usable-settings.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { redirectUri } from '../connections/connection-view.ts'
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
import { requireSkill, trySkill } from './try-skill.ts'

function pluginView(
  { name, title, description, connection, skills }: PluginDefinition,
  { catalogue, publicUrl }: Pick<Services, 'catalogue' | 'publicUrl'>,
) {
  const origin = catalogue.origin(name)
  return {
    name,
    title,
    description,
    kind: origin?.kind ?? null,
    source: origin?.source ?? null,
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
            has_manifest: (connection.manifest ?? connection.inbound) !== undefined,
            redirect_uri: connection.signIn === undefined ? null : redirectUri(publicUrl(), name),
          },
    skills: skills.map((skill) => `${name}.${skill.name}`),
  }
}

const schemaObject = { type: 'object', description: 'A JSON Schema.' } as const

const skillFields = {
  name: { type: 'string', description: '<plugin>.<skill> or interface.<name>, as in playbooks.' },
  title: text,
  description: text,
  docs: textOrNull,
  permissions: {
    type: 'array',
    items: text,
    description: 'Permissions that the credentials need, as the vendor names them; empty: not stated.',
  },
  plugin: text,
  plugin_title: text,
  effect: { enum: ['read', 'write'] },
  repeat: {
    enum: ['safe', 'verify', 'never', null],
    description: 'How the engine handles an interrupted write; null: it reads, or is an interface.',
  },
  destructive: {
    enum: [...destructiveClasses, null],
    description: 'The class of its hourly limit; null: not destructive.',
  },
  undone_by: { ...textOrNull, description: 'The skill that undoes it; null: none, or not stated.' },
  irreversible: { ...textOrNull, description: 'Why nothing undoes it; null: `undone_by`, or not stated.' },
  restores: { type: 'boolean', description: 'It ends a containment or a block of another skill.' },
  state_by: {
    ...textOrNull,
    description:
      'The skill that reads whether a containment of it is still in effect; null: none, or not stated.',
  },
  state_unreadable: {
    ...textOrNull,
    description: 'Why nothing can read that; null: `state_by`, or not stated.',
  },
  follow_with: {
    ...textOrNull,
    description: 'The skill that reads the progress or the state of its effect.',
  },
  enriches: { type: 'array', items: text },
  implements: { type: 'array', items: text, description: 'Names of interfaces.' },
  implemented_by: { type: 'array', items: text, description: 'Of an interface: names of skills.' },
  needs_connection: { type: 'boolean' },
  asks: { type: 'boolean', description: 'It asks a person: only checkpoints call it.' },
  input: schemaObject,
  output: schemaObject,
} as const

/** A skill in a list. */
export const apiSkillSchema = objectSchema(skillFields)

/** A skill with its examples. */
export const apiSkillDetailSchema = objectSchema({
  ...skillFields,
  examples: {
    type: 'array',
    items: objectSchema({
      title: text,
      source: { ...textOrNull, description: 'Where the output was recorded.' },
      synthetic: { type: 'boolean', description: 'Whether the output is made up.' },
      input: {},
      output: {},
      step: { type: 'string', description: 'A step for a playbook, in YAML.' },
    }),
  },
})

/** A plugin. */
export const apiPluginSchema = objectSchema({
  name: text,
  title: text,
  description: text,
  kind: { enum: ['typescript', 'yaml', null], description: 'How it is written; null: unknown.' },
  source: {
    ...textOrNull,
    description: '`plugins/<folder>`, the name of a package, or the last part of a path; null: unknown.',
  },
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
        redirect_uri: {
          ...textOrNull,
          description: 'What to register with the vendor for sign-ins; null: the plugin has no sign-in.',
        },
      }),
    ],
  },
  skills: { type: 'array', items: text },
})

const words = (whose: string) =>
  ({
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: `Words in its name, title or description, or in those of ${whose}, ignoring case.`,
  }) as const

const hasWords = (text: string, wanted = ''): boolean =>
  wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))

/** What `q` searches. */
const textOf = (...parts: readonly Pick<PluginDefinition, 'name' | 'title' | 'description'>[]): string =>
  parts
    .map(({ name, title, description }) => `${name} ${name.replaceAll('_', ' ')} ${title} ${description}`)
    .join(' ')
    .toLowerCase()

const listSkills = defineRoute({
  method: 'GET',
  path: '/skills',
  access: 'playbooks:read',
  summary: 'Lists the skills for playbooks, with the schemas of their inputs and outputs.',
  answer: pageSchema(apiSkillSchema),
  query: {
    ...pageParameters,
    plugin: { type: 'string', description: 'Name of a plugin.' },
    effect: { type: 'string', enum: ['read', 'write'] },
    enriches: { type: 'string', enum: observableKinds, description: 'A kind of observable.' },
    implements: { type: 'string', enum: Object.keys(interfaces), description: 'Name of an interface.' },
    q: words('its plugin'),
    sort: sortParameter(['name']),
  },
  async handle({ query }, { catalogue }) {
    const found = catalogue.usable.filter(
      ({ plugin, skill }) =>
        (query.plugin === undefined || plugin.name === query.plugin) &&
        (query.effect === undefined || skill.effect === query.effect) &&
        (query.enriches === undefined || skill.enriches?.includes(query.enriches) === true) &&
        (query.implements === undefined || interfacesOf(skill).includes(query.implements)) &&
        hasWords(textOf(plugin, skill), query.q),
    )
    const byName = ({ name }: (typeof found)[number]) => name
    const page = pageOfRows(found, query, { name: 'skills', sorts: { name: byName }, key: byName })
    return { body: await pageView(page, skillView) }
  },
})

const getSkill = defineRoute({
  method: 'GET',
  path: '/skills/{skill}',
  access: 'playbooks:read',
  summary: 'Returns a skill with its examples, and with a step for a playbook for each of them.',
  answer: apiSkillDetailSchema,
  async handle({ params }, { catalogue }) {
    const found = requireSkill(catalogue, params.skill)
    const steps = exampleSteps(found)
    const examples = found.skill.examples.map(
      ({ title, source = null, synthetic = false, input, output }, index) => ({
        title,
        source,
        synthetic,
        input,
        output,
        step: steps[index],
      }),
    )
    return { body: { ...skillView(found), examples } }
  },
})

const listPlugins = defineRoute({
  method: 'GET',
  path: '/plugins',
  access: 'playbooks:read',
  summary: 'Lists the installed plugins, with the schemas of their connection settings.',
  answer: pageSchema(apiPluginSchema),
  query: { ...pageParameters, q: words('its skills'), sort: sortParameter(['name']) },
  async handle({ query }, services) {
    const found = services.catalogue.plugins.filter((plugin) =>
      hasWords(textOf(plugin, ...plugin.skills), query.q),
    )
    const byName = ({ name }: PluginDefinition) => name
    const page = pageOfRows(found, query, { name: 'plugins', sorts: { name: byName }, key: byName })
    return { body: await pageView(page, (plugin) => pluginView(plugin, services)) }
  },
})

const getPlugin = defineRoute({
  method: 'GET',
  path: '/plugins/{plugin}',
  access: 'playbooks:read',
  summary: 'Returns an installed plugin.',
  answer: apiPluginSchema,
  async handle({ params }, services) {
    const found = services.catalogue.plugins.find(({ name }) => name === params.plugin)
    if (found !== undefined) return { body: pluginView(found, services) }
    throw new NotFoundError(
      'plugin_not_found',
      `no installed plugin is named '${params.plugin.slice(0, 64)}'`,
      {
        hint: 'GET plugins lists the installed plugins',
      },
    )
  },
})

export const skillRoutes = [listSkills, getSkill, trySkill, listPlugins, getPlugin]
