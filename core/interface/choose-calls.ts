import { ConnectionError, SkillError, type AnySkill } from '../plugin/index.ts'
import { acceptedInput, implementationsOf, interfaceNamed } from './definitions.ts'

/** A skill that implements an interface, as the catalogue lists it. */
interface ImplementingSkill {
  /** `<plugin>.<skill>`. */
  readonly name: string
  readonly plugin: { readonly name: string }
  readonly skill: AnySkill
}

interface ConnectionOfPlugin {
  readonly name: string
  readonly plugin: string
  /** Default true. */
  readonly enabled?: boolean
}

/** The skill and connection chosen for an interface. */
export interface ChosenCall {
  readonly skill: string
  /** Null: the skill needs none. */
  readonly connection: string | null
}

export interface Choice {
  /** Name of the interface. */
  readonly of: string
  readonly input: unknown
  /** The connection that the step names. */
  readonly named: string | undefined
  readonly implementers: readonly ImplementingSkill[]
  /** All connections of the organization. */
  readonly connections: readonly ConnectionOfPlugin[]
}

/** Every call that is possible: each skill that accepts the input, over each enabled connection, in a fixed order. */
export function candidatesFor({
  of,
  input,
  implementers,
  connections,
}: Omit<Choice, 'named'>): readonly ChosenCall[] {
  return implementers
    .filter(({ skill }) => accepts(of, skill, input))
    .flatMap(({ name, plugin, skill }): readonly ChosenCall[] => {
      if (skill.connection === undefined) return [{ skill: name, connection: null }]
      return connections
        .filter((each) => each.plugin === plugin.name && each.enabled !== false)
        .map((each) => each.name)
        .toSorted()
        .map((connection) => ({ skill: name, connection }))
    })
}

function accepts(of: string, skill: AnySkill, input: unknown): boolean {
  const only = of === 'enrich' ? { kind: skill.enriches ?? [] } : implementationsOf(skill)[of]?.only
  const { properties = {} } = acceptedInput(interfaceNamed(of)!, only)
  const given = input as Readonly<Record<string, unknown>>
  return Object.entries(properties).every(
    ([name, { enum: values }]) => given[name] === undefined || values?.includes(given[name]) !== false,
  )
}

/**
 * The calls of a step: all of them for an interface that gathers results, else the one over the connection that
 * the step names, that the entity in the input belongs to, or that is the only possible one.
 *
 * @throws ConnectionError `connection_missing`, `connection_disabled`, `connection_ambiguous`; SkillError
 * `entity_elsewhere`
 */
export function chooseCalls(choice: Choice): readonly ChosenCall[] {
  const { of, named } = choice
  const { gathers, takes } = interfaceNamed(of)!
  const owner = takes === undefined ? undefined : ownerOf(choice.input, takes)
  const wanted = named ?? owner
  if (named !== undefined && owner !== undefined) checkOwner(choice, named, owner)
  const all = candidatesFor(choice)
  const found = wanted === undefined ? all : all.filter((each) => isCalled(each.connection, wanted))
  if (found.length === 0) throw wanted === undefined ? noneConnected(choice) : cannotUse(choice, wanted)
  if (found.length === 1 || gathers !== undefined) return found
  const names = found.map(({ connection, skill }) => `${connection ?? 'no connection'} (${skill})`)
  const entity = takes === undefined ? '' : `, or give ${takes} as a step found it`
  throw new ConnectionError(
    'connection_ambiguous',
    `interface.${of} could use any of ${found.length} connections: ${names.join(', ')}`,
    { hint: `name one in the step (connection: ${found[0]!.connection ?? ''})${entity}` },
  )
}

/** The connection that an entity belongs to. */
function ownerOf(input: unknown, takes: string): string | undefined {
  const entity = (input as Readonly<Record<string, unknown>>)[takes]
  const owner = (entity as { readonly connection?: unknown } | undefined)?.connection
  return typeof owner === 'string' ? owner : undefined
}

const isCalled = (name: string | null, wanted: string): boolean =>
  name?.toLowerCase() === wanted.toLowerCase()

/** An id is valid only in its own system. Several connections can belong to the same system. */
function checkOwner({ of, connections }: Choice, named: string, owner: string): void {
  const pluginOf = (name: string) => connections.find((each) => isCalled(each.name, name))?.plugin
  if (isCalled(named, owner) || pluginOf(owner) === undefined || pluginOf(named) === pluginOf(owner)) return
  const message = `interface.${of}: what the step acts on was found over '${owner}', but the step names '${named}', a connection of another plugin`
  throw new SkillError('entity_elsewhere', message, { hint: `leave out connection: ${named}` })
}

function noneConnected({ of, implementers, connections }: Choice): ConnectionError {
  const plugins = [...new Set(implementers.map(({ plugin }) => plugin.name))]
  const disabled = connections.filter(({ plugin, enabled }) => enabled === false && plugins.includes(plugin))
  if (disabled.length > 0) {
    const names = disabled.map(({ name }) => name).join(', ')
    const message = `interface.${of} has no enabled connection; disabled: ${names}`
    return new ConnectionError('connection_disabled', message, { hint: 'enable one of them' })
  }
  const isConnected = connections.some(({ plugin }) => plugins.includes(plugin))
  const message = isConnected
    ? `no connected plugin accepts this input of interface.${of}`
    : `no connected plugin implements interface.${of}`
  const hint =
    plugins.length === 0
      ? 'install a plugin that implements it'
      : `create a connection of ${plugins.length > 8 ? `${plugins.slice(0, 8).join(', ')}, …` : plugins.join(', ')}`
  return new ConnectionError('connection_missing', message, {
    hint: isConnected ? `\`tocsin skills interface.${of}\` shows which plugins accept what` : hint,
    ...(!isConnected && { details: { plugins } }),
  })
}

function cannotUse({ of, implementers, connections }: Choice, wanted: string): ConnectionError {
  const found = connections.find(({ name }) => isCalled(name, wanted))
  const usable = connections
    .filter(({ plugin }) => implementers.some((each) => each.plugin.name === plugin))
    .map(({ name }) => name)
  const hint =
    usable.length === 0 ? `connect a plugin that implements it` : `possible connections: ${usable.join(', ')}`
  if (found?.enabled === false)
    return new ConnectionError('connection_disabled', `connection '${found.name}' is disabled`, {
      hint: 'enable it, or name another one in the step',
      details: { plugin: found.plugin, connection: found.name },
    })
  const doesImplement = implementers.some(({ plugin }) => plugin.name === found?.plugin)
  const why =
    found === undefined
      ? 'there is no such connection'
      : doesImplement
        ? `${found.plugin} does not accept this input`
        : `${found.plugin} does not implement it`
  const message = `connection '${wanted}' cannot be used for interface.${of}: ${why}`
  return new ConnectionError('connection_missing', message, { hint })
}
