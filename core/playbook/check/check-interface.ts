import { membersOf, type Type } from '../../expression/index.ts'
import { candidatesFor } from '../../interface/choose-calls.ts'
import { interfaceNamed } from '../../interface/definitions.ts'
import { usedInterface } from '../../interface/interface-skills.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import { suggest } from '../language/did-you-mean.ts'
import { quote } from '../language/problem.ts'
import type { Span } from '../language/source-text.ts'
import type { ReadContext } from '../scope/context.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

/** The connection of a step that uses an interface. */
export interface InterfaceUse {
  readonly found: CatalogueSkill
  readonly given: TypedTemplate | undefined
  /** The connection that the step names, at its place. */
  readonly named: string | undefined
  readonly at: Span
}

/** Reports a connection that cannot be used, and a choice that is not clear. */
export function checkInterfaceConnection(
  context: ReadContext,
  { found, given, named, at }: InterfaceUse,
): void {
  const { catalogue, connections, known, problems } = context
  const all = connections ?? known?.connections
  if (catalogue === undefined || all === undefined) return
  const of = usedInterface(found.name)!
  const { gathers, takes } = interfaceNamed(of)!
  const implementers = catalogue.implementing(of)
  const plugins = implementers.map(({ plugin }) => plugin.name)
  const usable = all.filter(({ plugin }) => plugins.includes(plugin))
  const names = [...new Set(usable.map(({ name }) => name))]
  if (named !== undefined) {
    if (names.some((name) => name.toLowerCase() === named.toLowerCase())) return
    const other = all.find(({ name }) => name.toLowerCase() === named.toLowerCase())
    const message =
      other === undefined
        ? `there is no connection ${quote(named)}`
        : `${quote(named)} is a connection of ${other.plugin}, which does not implement ${found.name}`
    const hint = suggest(named, names) ?? 'create it, or correct the name'
    // A name that another plugin uses cannot be used again.
    const missing = other === undefined ? missingConnection(plugins, named) : undefined
    problems.add('E304', message, at, hint, missing)
    return
  }
  // The others depend on the organization.
  if (connections === undefined) return
  const candidates = candidatesFor({ of, input: literalPart(given), implementers, connections })
  if (candidates.length === 0) {
    const hint = plugins.length === 0 ? 'install a plugin that implements it' : undefined
    const message = `no connection can be used for ${found.name}`
    const create = `create a connection of ${[...new Set(plugins)].join(', ')}`
    problems.add('E304', message, at, hint ?? create, missingConnection(plugins))
  } else if (candidates.length > 1 && gathers === undefined && !mayBelong(given, takes)) {
    const choice = candidates.map(({ connection }) => connection).join(' | ')
    const entity = takes === undefined ? '' : `, or give the ${takes} as a step found it`
    const message = `several connections can be used for ${found.name}`
    problems.add('E304', message, at, `add connection: ${choice}${entity}`)
  }
}

const missingConnection = (plugins: readonly string[], name?: string) =>
  plugins.length === 0 ? undefined : ({ kind: 'connection', name, plugins: [...new Set(plugins)] } as const)

/** The inputs whose values are written in the playbook. */
const literalPart = (given: TypedTemplate | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (given?.entries ?? []).flatMap(({ name, value: { template } }) =>
      template.kind === 'literal' ? [[name, template.value]] : [],
    ),
  )

/** Whether the entity in the input may say to which connection it belongs. */
function mayBelong(given: TypedTemplate | undefined, takes: string | undefined): boolean {
  const entity = given?.entries?.find(({ name }) => name === takes)?.value
  return entity !== undefined && membersOf(entity.type).some(mayName)
}

const mayName = (type: Type): boolean =>
  type.kind === 'dyn' ||
  type.kind === 'map' ||
  (type.kind === 'object' && (type.properties.has('connection') || type.additional !== undefined))
