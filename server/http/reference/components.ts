import { readFileSync } from 'node:fs'

/** Schemas of `schemas/` that answers are made of. */
const names = ['alert', 'case', 'run', 'connection', 'checkpoint', 'error'] as const

/**
 * The schemas of a description of the API, by name: those of `schemas/`, and the parts that they define inside of them as
 * `<schema>_<part>`, since a description has them all in one place.
 */
export function componentSchemas(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap(componentsOf))
}

function componentsOf(name: string): readonly (readonly [string, unknown])[] {
  const url = new URL(`../../../schemas/${name}.schema.json`, import.meta.url)
  const { $schema: _, $id: __, $defs = {}, ...schema } = JSON.parse(readFileSync(url, 'utf8')) as Schema
  const parts = Object.entries($defs).map(
    ([part, inner]) => [`${name}_${part}`, described(inner, name)] as const,
  )
  return [[name, described(schema, name)], ...parts]
}

interface Schema {
  readonly $schema?: string
  readonly $id?: string
  readonly $defs?: Readonly<Record<string, unknown>>
}

/**
 * A schema as a description of the API has it: with references into that, and with what editors read as an extension.
 *
 * @param file name of the schema it stands in
 */
export function described(schema: unknown, file = ''): unknown {
  if (Array.isArray(schema)) return schema.map((item) => described(item, file))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => {
      if (name === '$ref' && typeof value === 'string') return [name, reference(value, file)]
      if (name === 'patternErrorMessage') return ['x-pattern-error-message', value]
      return [name, described(value, file)]
    }),
  )
}

/** `run.schema.json`, `#/$defs/step` of run, `run.schema.json#/$defs/step` → `#/components/schemas/…`. */
function reference(text: string, file: string): string {
  const [, other, part] = /^(?:(\w+)\.schema\.json)?(?:#\/\$defs\/(\w+))?$/.exec(text) ?? []
  if (other === undefined && part === undefined) return text
  const name = other ?? file
  return `#/components/schemas/${part === undefined ? name : `${name}_${part}`}`
}
