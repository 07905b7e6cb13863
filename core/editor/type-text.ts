import { describeType, type Type } from '../expression/index.ts'

const maxFields = 12
const maxDepth = 3

/** A type with its fields on several lines, for people. */
export function typeText(type: Type, depth = 0): string {
  switch (type.kind) {
    case 'object': {
      if (type.properties.size === 0) return 'object'
      if (depth >= maxDepth) return '{ … }'
      const pad = '  '.repeat(depth + 1)
      const fields = [...type.properties].slice(0, maxFields).map(([name, property]) => {
        const mark = property.optional === true ? '?' : ''
        return `${pad}${name}${mark}: ${typeText(property.type, depth + 1)}`
      })
      const more =
        type.properties.size > maxFields ? [`${pad}… ${type.properties.size - maxFields} more`] : []
      return `{\n${[...fields, ...more].join('\n')}\n${'  '.repeat(depth)}}`
    }
    case 'list':
      return type.element.kind === 'dyn' ? 'list' : `list(${typeText(type.element, depth)})`
    case 'optional':
      return `optional(${typeText(type.value, depth)})`
    case 'union':
      return type.members.map((member) => typeText(member, depth)).join(' or ')
    case 'string':
      return type.values
        ? type.values
            .slice(0, 20)
            .map((value) => JSON.stringify(value))
            .join(' | ')
        : 'string'
    default:
      return describeType(type)
  }
}
