import type { JsonSchema, JsonSchemaType } from '../../plugin/index.ts'
import * as t from './types.ts'
import type { Property, Type } from './types.ts'

/** Parts of schemas nested deeper than this have type `dyn`. */
const maxDepth = 32

/**
 * The static type of the values that fit a JSON Schema. Unsupported parts become `dyn`, which is checked at
 * run time; it never throws. String types keep their format: `date-time` strings fit timestamps, and
 * `duration` strings fit durations.
 *
 * `properties` without `additionalProperties` counts as a complete list, so that misspelled fields are found;
 * with `additionalProperties: true` other fields are `dyn`.
 */
export function typeOfSchema(schema: JsonSchema): Type {
  return convert(
    schema,
    { schema, types: new Map(), beyond: marksSensitive(schema) ? t.sensitive(t.dyn) : t.dyn },
    0,
  )
}

/** The document of the references, and the types found so far, since schemas are often reused. */
interface Root {
  readonly schema: JsonSchema
  readonly types: Map<JsonSchema, Type>
  /** For parts that are not converted. */
  readonly beyond: Type
}

/** Whether anything in the document is marked sensitive. */
function marksSensitive(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  return (part as JsonSchema)['x-sensitive'] === true || Object.values(part).some(marksSensitive)
}

function convert(schema: JsonSchema, root: Root, depth: number): Type {
  const known = root.types.get(schema)
  if (known) return known
  // Recursive references become `dyn`.
  root.types.set(schema, root.beyond)
  const unmarked = convertNew(schema, root, depth)
  const type = schema?.['x-sensitive'] === true ? t.sensitive(unmarked) : unmarked
  root.types.set(schema, type)
  return type
}

function convertNew(schema: JsonSchema, root: Root, depth: number): Type {
  if (depth > maxDepth) return root.beyond
  if (typeof schema !== 'object' || schema === null) return t.dyn
  if (schema.$ref !== undefined) return reference(schema.$ref, root, depth)
  if (schema.const !== undefined) return t.union([typeOfValue(schema.const)])
  if (schema.enum !== undefined) return t.union(schema.enum.map(typeOfValue))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) {
    const { anyOf: _anyOf, oneOf: _oneOf, ...base } = schema
    const own = base.type === undefined && base.properties === undefined ? {} : base
    return t.union(choices.map((choice) => convert(combine([own, choice]), root, depth + 1)))
  }
  if (schema.allOf !== undefined) {
    const { allOf, ...base } = schema
    return convert(combine([base, ...allOf.map((part) => resolve(part, root))]), root, depth + 1)
  }
  const names = typeNames(schema)
  return names.length === 0 ? t.dyn : t.union(names.map((name) => ofName(name, schema, root, depth)))
}

function typeNames(schema: JsonSchema): readonly JsonSchemaType[] {
  if (Array.isArray(schema.type)) return schema.type
  if (schema.type !== undefined) return [schema.type as JsonSchemaType]
  return schema.properties ? ['object'] : schema.items ? ['array'] : []
}

function ofName(name: JsonSchemaType, schema: JsonSchema, root: Root, depth: number): Type {
  switch (name) {
    case 'string':
      return schema.format === undefined ? t.string : { kind: 'string', format: schema.format }
    case 'integer':
      return t.integer
    case 'number':
      return t.number
    case 'boolean':
      return t.bool
    case 'null':
      return t.nullType
    case 'array':
      return t.list(schema.items ? convert(schema.items, root, depth + 1) : t.dyn)
    case 'object':
      return ofObject(schema, root, depth)
    default:
      return t.dyn
  }
}

function ofObject(schema: JsonSchema, root: Root, depth: number): Type {
  const extra = schema.additionalProperties
  const closed = extra === false || (extra === undefined && schema.properties !== undefined)
  const additional = closed ? undefined : typeof extra === 'object' ? convert(extra, root, depth + 1) : t.dyn
  const required = new Set(schema.required)
  const properties = new Map<string, Property>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    properties.set(name, {
      type: convert(property, root, depth + 1),
      optional: !required.has(name),
    })
  }
  // `required` may name fields without a property.
  for (const name of required) if (!properties.has(name)) properties.set(name, { type: additional ?? t.dyn })
  if (properties.size === 0 && additional !== undefined && additional.kind !== 'dyn') return t.map(additional)
  return { kind: 'object', properties, additional }
}

function typeOfValue(value: unknown): Type {
  if (value === null) return t.nullType
  if (typeof value === 'string') return t.enumeration([value])
  if (typeof value === 'boolean') return t.bool
  if (typeof value === 'number') return { kind: 'number', whole: Number.isInteger(value), values: [value] }
  return t.dyn
}

/** Only references inside the document are followed: `#` and `#/$defs/name`. */
function resolve(schema: JsonSchema, root: Root): JsonSchema {
  let at = schema
  for (let hops = 0; at.$ref !== undefined; hops++) {
    const name = at.$ref.startsWith('#/$defs/') ? at.$ref.slice('#/$defs/'.length) : undefined
    const next = at.$ref === '#' ? root.schema : name === undefined ? undefined : own(root.schema.$defs, name)
    if (next === undefined || hops > maxDepth) return {}
    at = next
  }
  return at
}

function reference(_ref: string, root: Root, depth: number): Type {
  return convert(resolve({ $ref: _ref }, root), root, depth + 1)
}

const own = (definitions: Readonly<Record<string, JsonSchema>> | undefined, name: string) =>
  definitions && Object.hasOwn(definitions, name) ? definitions[name] : undefined

/** Approximates `allOf`: merges properties and required fields; the last part wins for everything else. */
function combine(parts: readonly JsonSchema[]): JsonSchema {
  const required = parts.flatMap((part) => part.required ?? [])
  const properties: Record<string, JsonSchema> = Object.create(null) as Record<string, JsonSchema>
  for (const [name, property] of parts.flatMap((part) => Object.entries(part.properties ?? {}))) {
    const isMarked = properties[name]?.['x-sensitive'] === true
    properties[name] = isMarked ? { ...property, 'x-sensitive': true } : property
  }
  const joined: JsonSchema = Object.assign({}, ...parts)
  return {
    ...joined,
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  }
}
