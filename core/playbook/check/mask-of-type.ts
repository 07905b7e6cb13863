import { maskOf, merged, type Mask } from '../../domain/mask.ts'
import { isSensitive, typeOfSchema, type Type } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'

/** Limits of a mask: types share parts and may expand without bound. Deeper parts count as sensitive. */
const maxDepth = 24
const maxFields = 1_000

const masks = new WeakMap<Type, { readonly mask: Mask | undefined }>()

/** The sensitive parts of values of this type. */
export function maskOfType(type: Type): Mask | undefined {
  if (!isSensitive(type)) return undefined
  const known = masks.get(type) ?? { mask: ofType(type, 0, { left: maxFields }) }
  masks.set(type, known)
  return known.mask
}

function ofType(type: Type, depth: number, fields: { left: number }): Mask | undefined {
  if (!isSensitive(type)) return undefined
  if (type.sensitive === true || depth > maxDepth || --fields.left < 0) return true
  const inner = (part: Type): Mask | undefined => ofType(part, depth + 1, fields)
  switch (type.kind) {
    case 'dyn':
      return type.shape && inner(type.shape)
    case 'list':
      return maskOf([], undefined, inner(type.element))
    case 'map':
      return isSensitive(type.key) ? true : maskOf([], inner(type.value))
    case 'optional':
      return inner(type.value)
    case 'union':
      return merged(...type.members.map(inner))
    case 'object': {
      const own = Array.from(type.properties, ([name, property]) => [name, inner(property.type)] as const)
      return maskOf(own, type.additional && inner(type.additional))
    }
    default:
      return undefined
  }
}

const ofSchemas = new WeakMap<JsonSchema, { readonly mask: Mask | undefined }>()

/** The sensitive parts according to a schema. */
export function maskOfSchema(schema: JsonSchema): Mask | undefined {
  const known = ofSchemas.get(schema) ?? { mask: maskOfType(typeOfSchema(schema)) }
  ofSchemas.set(schema, known)
  return known.mask
}

const accepting = new WeakMap<JsonSchema, { readonly mask: Mask | undefined }>()

/** The parts of an input that may be sensitive: those marked `x-sensitive` or `x-accepts-sensitive`. */
export function acceptedBy(schema: JsonSchema): Mask | undefined {
  const known = accepting.get(schema) ?? { mask: maskOfType(typeOfSchema(withMarks(schema) as JsonSchema)) }
  accepting.set(schema, known)
  return known.mask
}

function withMarks(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(withMarks)
  const entries = Object.entries(part).map(([name, inner]) => [
    name === 'x-accepts-sensitive' ? 'x-sensitive' : name,
    withMarks(inner),
  ])
  return Object.fromEntries(entries)
}
