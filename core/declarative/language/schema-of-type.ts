import { isSensitive, type Type } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'

/** The JSON Schema of the JSON values of a type; the opposite of `typeOfSchema`. */
export function schemaOfType(type: Type): JsonSchema {
  const schema = unmarked(type)
  return isSensitive(type) && type.kind !== 'object' && type.kind !== 'list' && type.kind !== 'union'
    ? { ...schema, 'x-sensitive': true }
    : schema
}

function unmarked(type: Type): JsonSchema {
  switch (type.kind) {
    case 'null':
      return { type: 'null' }
    case 'bool':
      return { type: 'boolean' }
    case 'int':
      return { type: 'integer' }
    case 'double':
      return { type: 'number' }
    case 'number':
      return { type: type.whole ? 'integer' : 'number' }
    case 'string':
    case 'duration':
    case 'type':
      return { type: 'string' }
    case 'timestamp':
      return { type: 'string', format: 'date-time' }
    case 'list':
      return { type: 'array', items: schemaOfType(type.element) }
    case 'map':
      return { type: 'object', additionalProperties: schemaOfType(type.value) }
    case 'optional':
      return schemaOfType(type.value)
    case 'union':
      return unionOf(type.members.map(schemaOfType))
    case 'object':
      return ofObject(type)
    case 'dyn':
      return {}
  }
}

function ofObject({ properties, additional }: Extract<Type, { kind: 'object' }>): JsonSchema {
  const fields = [...properties]
  const required = fields.flatMap(([name, { type, optional }]) =>
    optional === true || type.kind === 'optional' ? [] : [name],
  )
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map(([name, { type }]) => [name, schemaOfType(type)])),
    ...(additional && { additionalProperties: schemaOfType(additional) }),
  }
}

/** One of several schemas, as a list of types where that says the same. */
export function unionOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  if (distinct.length === 1) return distinct[0]!
  if (distinct.some((schema) => Object.keys(schema).length === 0)) return {}
  const types = distinct.map((schema) => (Object.keys(schema).join() === 'type' ? schema.type : undefined))
  return types.every((type) => typeof type === 'string') ? { type: types } : { anyOf: distinct }
}
