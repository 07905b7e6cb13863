import type { JsonSchema } from '../../../core/plugin/index.ts'
import { ValidationError } from '../../../core/errors/errors.ts'

const integer = /^-?\d{1,15}$/

/**
 * The parameters of a query string as a plain object, integers as numbers where the schema says so. What does not look like
 * an integer stays text, for the schema to refuse. Throws ValidationError for a parameter that stands twice.
 */
export function parseQuery(search: string, schema: JsonSchema): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, text] of new URLSearchParams(`?${search}`)) {
    if (Object.hasOwn(values, name)) {
      const message = `the query parameter '${name.slice(0, 64)}' stands twice`
      throw new ValidationError('query_invalid', message, [{ pointer: `/${name.slice(0, 64)}`, message }])
    }
    const type =
      schema.properties !== undefined &&
      Object.hasOwn(schema.properties, name) &&
      schema.properties[name]?.type
    values[name] = type === 'integer' && integer.test(text) ? Number(text) : text
  }
  return values
}
