import { integer, list, map, number, string, union, type Property, type Type } from '../expression/index.ts'

/** The type without what it says about single values: text instead of `one of a, b`. What a `set` gives may be replaced by any such. */
export function widened(type: Type): Type {
  return ofLeaves(type, (leaf) => {
    if (leaf.kind === 'string') return leaf.values ? string : leaf
    return leaf.kind === 'number' && leaf.values ? (leaf.whole ? integer : number) : leaf
  })
}

/** What a value of the type looks like once it is JSON: times and durations are text. */
export function jsonType(type: Type): Type {
  return ofLeaves(type, (leaf) => (leaf.kind === 'timestamp' || leaf.kind === 'duration' ? string : leaf))
}

/** The type with each part that has no parts of its own changed. */
function ofLeaves(type: Type, change: (leaf: Type) => Type): Type {
  const inner = (part: Type) => ofLeaves(part, change)
  switch (type.kind) {
    case 'list':
      return list(inner(type.element))
    case 'map':
      return map(inner(type.value), type.key)
    case 'union':
      return union(type.members.map(inner))
    case 'object': {
      const properties = Array.from(type.properties, ([name, property]): [string, Property] => [
        name,
        { ...property, type: inner(property.type) },
      ])
      return {
        ...type,
        properties: new Map(properties),
        additional: type.additional && inner(type.additional),
      }
    }
    default:
      return change(type)
  }
}
