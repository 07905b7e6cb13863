type Schema = Readonly<Record<string, unknown>>

/** Data that others send to Tocsin, or that Tocsin sends to others. */
export type Direction = 'in' | 'out'

/**
 * The promises of a JSON Schema, one line per fact: `<path>: <type>`, `<path> = <value>` for each value of an
 * enumeration,
 * `<path> optional` and `<path> required` for received data, `<path> always` for sent data. Removing a line
 * is a breaking change.
 */
export function schemaLines(schema: unknown, path: string, direction: Direction): readonly string[] {
  const types = new Map<string, Set<string>>()
  const marks = new Set<string>()
  const root = (schema ?? {}) as Schema

  function visit(schema: Schema, path: string, entered: readonly string[], isForm = false): void {
    const found = types.get(path) ?? new Set()
    types.set(path, found)
    const reference = schema['$ref']
    if (typeof reference === 'string') {
      const [, definition] = /^#\/\$defs\/(\w+)$/.exec(reference) ?? []
      const inner = definition === undefined ? undefined : (root['$defs'] as Schema | undefined)?.[definition]
      if (definition === undefined || inner === undefined) found.add(reference.replace(/^.*\//, '@'))
      else if (entered.includes(definition)) found.add(`@${definition}`)
      else visit(inner as Schema, path, [...entered, definition], isForm)
    }
    for (const type of [schema['type'] ?? []].flat()) found.add(type as string)
    for (const value of [...listOf(schema['enum']), ...('const' in schema ? [schema['const']] : [])]) {
      found.add(value === null ? 'null' : typeof value)
      marks.add(`${path} = ${JSON.stringify(value)}`)
    }
    const required = listOf(schema['required'])
    for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Schema)) {
      const isRequired = required.includes(name)
      const need = isForm ? 'required in one form' : 'required'
      if (direction === 'in') marks.add(`${path}.${name} ${isRequired ? need : 'optional'}`)
      else if (isRequired) marks.add(`${path}.${name} always`)
      enter(inner, `${path}.${name}`, entered)
    }
    enter(schema['items'], `${path}[]`, entered)
    enter(schema['additionalProperties'], `${path}.*`, entered)
    for (const inner of listOf(schema['prefixItems'])) enter(inner, `${path}[]`, entered)
    for (const inner of listOf(schema['allOf'])) enter(inner, path, entered, isForm)
    for (const key of ['anyOf', 'oneOf'])
      for (const inner of listOf(schema[key])) enter(inner, path, entered, true)
    for (const key of ['then', 'else']) enter(schema[key], path, entered, true)
  }

  function enter(schema: unknown, path: string, entered: readonly string[], isForm = false): void {
    if (typeof schema === 'object' && schema !== null) visit(schema as Schema, path, entered, isForm)
  }

  visit(root, path, [])
  const typed = [...types].map(([path, found]) => `${path}: ${[...found].toSorted().join('|') || 'any'}`)
  return [...typed, ...marks].toSorted()
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
