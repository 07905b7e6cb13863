import { integer, list, number, string, union, type Property, type Type } from '../expression/index.ts'

/** The type without what it says about single values: text instead of `one of a, b`. What a `set` gives may be replaced by any such. */
export function widened(type: Type): Type {
  switch (type.kind) {
    case 'string':
      return type.values ? string : type
    case 'number':
      return type.values ? (type.whole ? integer : number) : type
    case 'list':
      return list(widened(type.element))
    case 'union':
      return union(type.members.map(widened))
    case 'object': {
      const properties = Array.from(type.properties, ([name, property]): [string, Property] => [
        name,
        { ...property, type: widened(property.type) },
      ])
      return { ...type, properties: new Map(properties) }
    }
    default:
      return type
  }
}
