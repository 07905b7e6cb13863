import type { Organization } from '../domain/organization.ts'
import { authorsInput, operatorInput } from '../playbook/check/asked-input.ts'
import type { CallablePlaybooks, KnownConnection } from '../playbook/scope/context.ts'
import { skillPattern, viaOperator } from '../playbook/language/constants.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'
import { inputsOf } from './describe-playbook.ts'
import type { Inspection, PathStep } from './inspection.ts'

/**
 * The context of an editor: the schema of the language, the skills, the callable playbooks and the
 * connections.
 */
export interface Guide {
  readonly schema: JsonSchema
  readonly catalogue: Catalogue | undefined
  readonly playbooks?: CallablePlaybooks | undefined
  /** The existing connections; undefined if unknown. */
  readonly connections?: readonly KnownConnection[] | undefined
  /** The existing organizations. Default: unknown. */
  readonly organizations?: readonly Pick<Organization, 'code' | 'name'>[] | undefined
  /** The time in epoch milliseconds, for the next runs of a schedule. Default: they are not shown. */
  readonly nowMs?: number | undefined
  /** Reads a text. Default: as a playbook. */
  readonly inspect?: ((text: string) => Inspection) | undefined
}

/** A schema with the document that its references point into. */
interface Rooted {
  readonly schema: JsonSchema
  readonly root: JsonSchema
}

/** The schemas that apply to a value, with `anyOf` and similar keywords split into their branches. */
export function schemasAt(guide: Guide, path: readonly PathStep[]): readonly JsonSchema[] {
  return rootedAt(guide, path).map(({ schema }) => schema)
}

function rootedAt(guide: Guide, path: readonly PathStep[]): readonly Rooted[] {
  let schemas = alternatives({ schema: guide.schema, root: guide.schema })
  for (const step of path) {
    const inputs = 'key' in step && step.key === 'with' ? inputsBeside(guide, step, schemas) : undefined
    schemas = inputs
      ? alternatives({ schema: inputs, root: inputs })
      : schemas.flatMap(({ schema, root }) =>
          partsOf(schema, step).flatMap((part) => alternatives({ schema: part, root })),
        )
  }
  return schemas
}

function partsOf(schema: JsonSchema, step: PathStep): readonly JsonSchema[] {
  if ('index' in step) return schema.items === undefined ? [] : [schema.items]
  const own =
    schema.properties && Object.hasOwn(schema.properties, step.key) ? schema.properties[step.key] : undefined
  if (own !== undefined) return [own]
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
}

/** The inputs of the object with this `with`: a skill, a called playbook, or a built-in question. */
function inputsBeside(
  guide: Guide,
  step: Extract<PathStep, { key: string }>,
  schemas: readonly Rooted[],
): JsonSchema | undefined {
  const called = step.in.entries.find(({ name }) => name === 'call')?.value
  if (called?.kind === 'scalar' && typeof called.value === 'string') {
    const playbook = guide.playbooks?.find(called.value, [])?.playbook
    if (playbook) return inputsOf(playbook)
  }
  for (const { schema } of schemas) {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (!namesSkill(property)) continue
      const value = step.in.entries.find(({ name }) => name === key)?.value
      const name = value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : ''
      if (key === asksKey && name === viaOperator) return operatorInput
      const skill = guide.catalogue?.skill(name)?.skill
      if (skill) return authorsInput(skill)
    }
  }
  return undefined
}

/** The key that names a skill that asks people; all other keys name other skills. */
const asksKey = 'via'

/** The skills that a key can name. */
export const skillsFor = (key: string, skills: readonly CatalogueSkill[]): readonly CatalogueSkill[] =>
  skills.filter(({ skill }) => (skill.asks === true) === (key === asksKey))

function alternatives({ schema, root }: Rooted, depth = 0): readonly Rooted[] {
  if (depth > 20) return []
  const target = schema.$ref === undefined ? undefined : resolve(schema.$ref, root)
  // Keywords beside the reference take precedence over those of its target.
  const whole = target === undefined ? schema : { ...target, ...schema, $ref: undefined! }
  const inner = [...(whole.anyOf ?? []), ...(whole.oneOf ?? []), ...(whole.allOf ?? [])]
  return [
    { schema: whole, root },
    ...inner.flatMap((each) => alternatives({ schema: each, root }, depth + 1)),
  ]
}

function resolve(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at as JsonSchema
}

/** Whether the value is the name of a skill. */
export const isSkillName = (schemas: readonly JsonSchema[]): boolean => schemas.some(namesSkill)

/** Also true if other values are allowed. */
export const namesSkill = ({ pattern, anyOf = [], oneOf = [] }: JsonSchema): boolean =>
  pattern === skillPattern || anyOf.some(namesSkill) || oneOf.some(namesSkill)

/** Excludes the keys of a choice, which is a `oneOf` whose branches have no properties. */
export const requiresKey = (schemas: readonly JsonSchema[], name: string): boolean =>
  schemas.some(({ required, properties }) => properties !== undefined && required?.includes(name) === true)

/** The alternative keys of a map: each branch of a `oneOf` requires one, so the map has exactly one. */
export const exclusiveKeys = (schemas: readonly JsonSchema[]): readonly (readonly string[])[] =>
  schemas
    .map(({ oneOf = [] }) =>
      oneOf.flatMap(({ required, properties }) => (properties === undefined ? (required ?? []) : [])),
    )
    .filter((keys) => keys.length > 1)

/** The keys that a map may have, with their schemas. */
export function keysOf(
  schemas: readonly JsonSchema[],
  root: JsonSchema,
): ReadonlyMap<string, readonly JsonSchema[]> {
  const keys = new Map<string, readonly JsonSchema[]>()
  for (const schema of schemas) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!keys.has(name))
        keys.set(
          name,
          alternatives({ schema: property, root }).map((each) => each.schema),
        )
    }
  }
  return keys
}
