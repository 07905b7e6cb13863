import { authorsInput } from '../playbook/check/asked-input.ts'
import { skillPattern } from '../playbook/language/constants.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'
import { skillDocumentation } from './describe-skill.ts'
import { namesSkill, skillsFor } from './schema-walk.ts'

/** JSON Schema with the extensions of editors. */
type EditorSchema = JsonSchema & {
  readonly enumDescriptions?: readonly string[]
  readonly markdownEnumDescriptions?: readonly string[]
}

/**
 * The playbook schema extended with the installed skills, so that editors complete and explain skills and
 * their inputs. Every value may also be a string with `${{ }}`.
 *
 * @param base `schemas/playbook.schema.json`; every object with a skill name and `with` is extended
 */
export function editorSchema(base: JsonSchema, catalogue: Catalogue): JsonSchema {
  const skills = catalogue.usable.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const definitions = Object.entries(base.$defs ?? {}).map(([name, schema]) => [
    name,
    withSkills(schema, skills),
  ])
  const inputs = skills.map((skill) => [inputsName(skill), inputsOf(skill)])
  const { $id: _, ...rest } = base
  return {
    ...rest,
    description: 'A Tocsin playbook with the installed skills, for editors.',
    $defs: Object.fromEntries([...definitions, ...inputs]) as Record<string, JsonSchema>,
  }
}

function withSkills(schema: JsonSchema, skills: readonly CatalogueSkill[]): JsonSchema {
  const properties = schema.properties ?? {}
  const key = Object.keys(properties).find((name) => namesSkill(properties[name]!))
  if (key === undefined || properties['with'] === undefined) return schema
  const own = skillsFor(key, skills)
  const rules = [...(schema.allOf ?? []), ...own.map((skill) => inputsFor(key, skill))]
  return {
    ...schema,
    properties: { ...properties, [key]: skillNames(properties[key]!, own) },
    // `allOf` must not be empty.
    ...(rules.length > 0 && { allOf: rules }),
  }
}

function skillNames(schema: JsonSchema, skills: readonly CatalogueSkill[]): EditorSchema {
  if (schema.pattern !== skillPattern) {
    const each = (parts: readonly JsonSchema[]) =>
      parts.map((part) => (namesSkill(part) ? skillNames(part, skills) : part))
    const { anyOf, oneOf } = schema
    return { ...schema, ...(anyOf && { anyOf: each(anyOf) }), ...(oneOf && { oneOf: each(oneOf) }) }
  }
  const { pattern: _, ...rest } = schema
  if (skills.length === 0) return { ...rest, not: {} }
  return {
    ...rest,
    enum: skills.map(({ name }) => name),
    enumDescriptions: skills.map(({ skill }) => `${skill.title}. ${skill.description}`),
    markdownEnumDescriptions: skills.map(skillDocumentation),
  }
}

/** A step with this skill has the skill's inputs, and no `connection` if the skill needs none. */
function inputsFor(key: string, { name, skill, ...entry }: CatalogueSkill): JsonSchema {
  const needsInputs = (authorsInput(skill).required ?? []).length > 0
  const connection = skill.connection === undefined ? { connection: nothing } : {}
  return {
    if: { type: 'object', required: [key], properties: { [key]: { const: name } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: {
      properties: { with: { $ref: `#/$defs/${inputsName({ name, skill, ...entry })}` }, ...connection },
      ...(needsInputs ? { required: ['with'] } : {}),
    },
  }
}

const nothing: JsonSchema = { not: {}, description: 'This skill needs no connection.' }

const inputsName = ({ name }: CatalogueSkill): string => `inputs of ${name}`

function inputsOf(entry: CatalogueSkill): JsonSchema {
  const { skill, name } = entry
  const input = orExpression(authorsInput(skill), `#/$defs/${inputsName(entry)}`, true)
  return { title: `Inputs of ${name}`, description: skill.description, ...input }
}

/** The schema, which also accepts a string with an expression. References point to its new place. */
function orExpression(schema: JsonSchema, root: string, isTop = false): JsonSchema {
  const inner = mapParts(withoutForeignPatterns(schema), (part) => orExpression(part, root))
  if (inner.$ref !== undefined) return { ...inner, $ref: inner.$ref.replace(/^#/, root) }
  if (isTop || !isConstrained(schema)) return inner
  const { title, description, default: preset, examples, ...constraints } = inner
  const notes = { title, description, default: preset, examples }
  return {
    ...(JSON.parse(JSON.stringify(notes)) as JsonSchema),
    anyOf: [constraints, { type: 'string', pattern: '\\$\\{\\{' }],
  }
}

/**
 * Patterns are RE2, but editors expect ECMAScript. Patterns that only RE2 accepts, such as `(?i)`, are left
 * to Tocsin.
 */
function withoutForeignPatterns(schema: JsonSchema): JsonSchema {
  const { pattern, not, ...rest } = schema
  return {
    ...rest,
    ...(pattern !== undefined && isEcmaPattern(pattern) && { pattern }),
    ...(not !== undefined && (not.pattern === undefined || isEcmaPattern(not.pattern)) && { not }),
  }
}

function isEcmaPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch {
    return false
  }
}

/** Whether the schema rejects some strings. */
function isConstrained(schema: JsonSchema): boolean {
  const { title: _t, description: _d, default: _v, examples: _e, ...rest } = schema
  const names = Object.keys(rest).filter((name) => !name.startsWith('x-'))
  return !(names.length === 0 || (names.length === 1 && [schema.type].flat().includes('string')))
}

function mapParts(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const all = (parts: readonly JsonSchema[]) => parts.map(change)
  const each = (parts: Readonly<Record<string, JsonSchema>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]))
  const { oneOf, ...rest } = schema
  const { properties, $defs, items, additionalProperties: others, anyOf, allOf } = rest
  return {
    ...rest,
    ...(properties && { properties: each(properties) }),
    ...($defs && { $defs: each($defs) }),
    ...(items && { items: change(items) }),
    ...(typeof others === 'object' && { additionalProperties: change(others) }),
    ...(anyOf && { anyOf: all(anyOf) }),
    // A value with an expression may match several branches.
    ...(oneOf && { anyOf: all(oneOf) }),
    ...(allOf && { allOf: all(allOf) }),
  }
}
