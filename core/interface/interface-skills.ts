import {
  ConnectionError,
  defineConnection,
  interfaces,
  type AnySkill,
  type InterfaceDefinition,
  type JsonSchema,
  type PluginDefinition,
  type RelatedCall,
} from '../plugin/index.ts'
import { interfaceNamed } from './definitions.ts'

/** The plugin in `interface.isolate_machine`; no plugin may have this name. */
export const interfacePlugin = 'interface'

/** The interface that a playbook uses by this name; undefined for a skill of a plugin. */
export const usedInterface = (skill: string): string | undefined =>
  skill.startsWith(`${interfacePlugin}.`) ? skill.slice(interfacePlugin.length + 1) : undefined

/** A step may name the connection; which plugins it may belong to depends on the interface. */
const connection = defineConnection({
  title: 'Any connection',
  description: 'A connection of a plugin that implements the interface.',
  settings: { type: 'object', additionalProperties: false, properties: {} },
  baseUrl: () => '',
  authenticate: async () => ({}),
})

/** An interface as a skill, which playbooks, tests and editors check against. The engine calls an implementing skill. */
function skillOf(name: string, definition: InterfaceDefinition): AnySkill {
  const { title, description, effect, destructive, restores, asks, input } = definition
  const undoneBy = undoOfInterface(definition)
  return {
    name,
    title,
    description,
    effect,
    ...(effect === 'write' && { repeat: 'safe', ...(destructive && { destructive }) }),
    ...(undoneBy && { undoneBy }),
    ...(restores && { restores }),
    ...(asks === true && { asks }),
    connection,
    connectionIsOptional: true,
    input: asks === true ? askingInput(input) : input,
    output: stepOutput(definition),
    examples: [],
    run: () =>
      Promise.reject(
        new ConnectionError('connection_missing', `no connected plugin implements interface.${name}`, {
          hint: 'create a connection of a plugin that implements it, or mock it',
        }),
      ),
  } as AnySkill
}

/** The call of the reversing interface: on the same entity, given or new, with the same comment. */
function undoOfInterface({ undoneBy, takes, gives }: InterfaceDefinition): RelatedCall | undefined {
  const entity = undoneBy === undefined ? undefined : interfaceNamed(undoneBy)?.takes
  if (undoneBy === undefined || entity === undefined) return undefined
  return {
    skill: undoneBy,
    input(input, output) {
      const { comment, ...given } = input as Readonly<Record<string, unknown>>
      const made =
        takes === undefined ? (output as Readonly<Record<string, unknown>>)[gives ?? ''] : given[takes]
      return { [entity]: made, comment }
    },
  }
}

/** The engine gives a question its id and the possible answers. */
const askingInput = (input: JsonSchema): JsonSchema => ({
  ...input,
  required: [...(input.required ?? []), 'checkpoint_id', 'answers'],
  properties: {
    ...input.properties,
    checkpoint_id: { type: 'string', description: 'Set by the engine.' },
    answers: { type: 'array', items: { type: 'string' }, description: 'Set by the engine.' },
  },
})

const connectionName: JsonSchema = {
  type: ['string', 'null'],
  description: 'Name of the connection that it belongs to; null: the skill needs none.',
}

const sources: JsonSchema = {
  type: 'array',
  description: 'The sources that were asked.',
  items: {
    type: 'object',
    required: ['skill', 'connection', 'ok', 'error'],
    additionalProperties: false,
    properties: {
      skill: { type: 'string' },
      connection: connectionName,
      ok: { type: 'boolean' },
      error: { type: ['string', 'null'], description: 'Why it gave no result.' },
    },
  },
}

/** The output of a step: all fields, including those that the engine adds. */
function stepOutput({ gathers, gives, asks, output }: InterfaceDefinition): JsonSchema {
  if (asks === true)
    return {
      type: 'object',
      required: ['asked'],
      additionalProperties: false,
      properties: { asked: { type: 'string', description: 'The only person who may answer.' } },
    }
  const whole = withAllFields(output)
  const { properties = {}, required = [] } = whole
  if (gives !== undefined)
    return { ...whole, properties: { ...properties, [gives]: withConnection(properties[gives]!) } }
  if (gathers === undefined) return whole
  const list = properties[gathers]!
  return {
    ...whole,
    required: [...required, 'sources', 'incomplete'],
    properties: {
      ...properties,
      [gathers]: { ...list, items: withConnection(list.items!) },
      sources,
      incomplete: { type: 'boolean', description: 'Not every source gave a result.' },
    },
  }
}

const withConnection = (entity: JsonSchema): JsonSchema => ({
  ...entity,
  required: [...(entity.required ?? []), 'connection'],
  properties: { ...entity.properties, connection: connectionName },
})

/** A field that a vendor leaves out is null in the output of a step. */
function withAllFields(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema
  return {
    ...schema,
    ...(properties && {
      required: Object.keys(properties),
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, withAllFields(each)]),
      ),
    }),
    ...(items && { items: withAllFields(items) }),
  }
}

const plugin: PluginDefinition = {
  name: interfacePlugin,
  title: 'Interfaces',
  description: 'Operations of any vendor that is connected.',
  skills: Object.entries<InterfaceDefinition>(interfaces).map(([name, each]) => skillOf(name, each)),
}

/** All interfaces, as playbooks name them. */
export const interfaceSkills = plugin.skills.map((skill) => ({
  name: `${interfacePlugin}.${skill.name}`,
  plugin,
  skill,
}))

/** The interface that playbooks use by this name, also where no plugin is installed. */
export const interfaceSkillNamed = (name: string): (typeof interfaceSkills)[number] | undefined =>
  interfaceSkills.find((each) => each.name === name)
