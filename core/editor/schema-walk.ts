import { authorsInput, operatorInput } from '../playbook/check/asked-input.ts'
import type { CallablePlaybooks } from '../playbook/scope/callable-playbooks.ts'
import type { KnownConnection } from '../playbook/scope/context.ts'
import { skillPattern, viaOperator } from '../playbook/language/grammar.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'
import { inputsOf } from './describe-playbook.ts'
import type { Step } from './inspection.ts'

/** What leads an editor through a playbook: the schema of the language, the skills, and what can be called and used. */
export interface Guide {
  readonly schema: JsonSchema
  readonly catalogue: Catalogue | undefined
  readonly playbooks?: CallablePlaybooks | undefined
  /** Those that exist where it shall run; undefined: not known. */
  readonly connections?: readonly KnownConnection[] | undefined
}

/** A schema with the document that its references are in. */
interface Rooted {
  readonly schema: JsonSchema
  readonly root: JsonSchema
}

/** The schemas that a value may follow: those of `anyOf` and its kin by themselves. */
export function schemasAt(guide: Guide, path: readonly Step[]): readonly JsonSchema[] {
  return rootedAt(guide, path).map(({ schema }) => schema)
}

function rootedAt(guide: Guide, path: readonly Step[]): readonly Rooted[] {
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

function partsOf(schema: JsonSchema, step: Step): readonly JsonSchema[] {
  if ('index' in step) return schema.items === undefined ? [] : [schema.items]
  const own =
    schema.properties && Object.hasOwn(schema.properties, step.key) ? schema.properties[step.key] : undefined
  if (own !== undefined) return [own]
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
}

/** The inputs of what stands beside a `with`: a skill, a called playbook, or the built-in way of asking. */
function inputsBeside(
  guide: Guide,
  step: Extract<Step, { key: string }>,
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

/** The key whose value names a skill that asks people; everywhere else stand those that do not. */
const asksKey = 'via'

/** The skills that can stand under a key. */
export const skillsFor = (key: string, skills: readonly CatalogueSkill[]): readonly CatalogueSkill[] =>
  skills.filter(({ skill }) => (skill.asks === true) === (key === asksKey))

function alternatives({ schema, root }: Rooted, depth = 0): readonly Rooted[] {
  if (depth > 20) return []
  const target = schema.$ref === undefined ? undefined : resolve(schema.$ref, root)
  // What is said at the reference counts before what is said at its target.
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

/** Also where something else than a skill will do. */
export const namesSkill = ({ pattern, anyOf = [], oneOf = [] }: JsonSchema): boolean =>
  pattern === skillPattern || anyOf.some(namesSkill) || oneOf.some(namesSkill)

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
