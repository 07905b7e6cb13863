import type { AnySkill, JsonSchema, JsonSchemaType } from '../plugin/index.ts'
import { compileSchema } from '../schema/index.ts'

/** The assumed output of a write in a dry run, and its origin. */
export interface AssumedOutput {
  readonly output: unknown
  /** `state`: the state after the change. */
  readonly from: 'fixtures' | 'example' | 'schema' | 'state'
}

/** Placeholder for an unknown text. */
export const unknownText = '(unknown)'

/**
 * The output that a dry run assumes for a skill that it does not call: from the skill's first example, else
 * generated from the schema. Fields that occur in both input and output are copied from the input if they are
 * valid, such as the id of the changed object.
 */
export function assumedOutput(skill: AnySkill, input: unknown): AssumedOutput {
  const schema = skill.output as JsonSchema
  const [example] = skill.examples
  const base: AssumedOutput =
    example === undefined
      ? { output: sampleFromSchema(schema), from: 'schema' }
      : { output: example.output, from: 'example' }
  const echoed = withEcho(base.output, input)
  return compileSchema(schema).problems(echoed).length === 0 ? { ...base, output: echoed } : base
}

function withEcho(output: unknown, input: unknown): unknown {
  if (!isMap(output) || !isMap(input)) return output
  const fields = Object.entries(output).map(([name, value]) => {
    const given = Object.hasOwn(input, name) ? input[name] : undefined
    return [name, typeof given === typeof value && !isMap(value) && given !== null ? given : value] as const
  })
  return Object.fromEntries(fields)
}

/**
 * The simplest value of a schema: `const`, `default`, or the first of `examples` or `enum`; else null if
 * allowed, `(unknown)`, the smallest number, false, an empty list, or an object with the required properties.
 */
export function sampleFromSchema(schema: JsonSchema, root: JsonSchema = schema, depth = 0): unknown {
  if (depth > maxDepth) return null
  const inner = (each: JsonSchema) => sampleFromSchema(each, root, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.enum !== undefined) return schema.enum.includes(null) ? null : schema.enum[0]
  if (schema.$ref !== undefined) return inner(referred(schema.$ref, root))
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (choice !== undefined) return inner(choice)
  switch (typeOf(schema)) {
    case 'string':
      return unknownText
    case 'integer':
    case 'number':
      return leastNumber(schema)
    case 'boolean':
      return false
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => inner(schema.items ?? {}))
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, inner(schema.properties?.[name] ?? {})]),
      )
    case 'null':
    case undefined:
      return null
  }
}

/** A schema may refer to itself. */
const maxDepth = 20

function typeOf(schema: JsonSchema): JsonSchemaType | undefined {
  const { type } = schema
  if (typeof type === 'string') return type
  if (type !== undefined) return type.includes('null') ? 'null' : type[0]
  return schema.properties === undefined ? undefined : 'object'
}

function leastNumber({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema): number {
  if (minimum !== undefined) return minimum
  if (exclusiveMinimum !== undefined) return Math.floor(exclusiveMinimum) + 1
  return Math.min(0, maximum ?? 0, exclusiveMaximum === undefined ? 0 : Math.ceil(exclusiveMaximum) - 1)
}

function referred(ref: string, root: JsonSchema): JsonSchema {
  const name = /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1]
  return (name === undefined ? undefined : root.$defs?.[name]) ?? {}
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
