import type { JsonSchema } from '../../../core/plugin/index.ts'
import type { Operation } from './openapi-document.ts'

/**
 * A curl command to paste into a shell with `TOCSIN_URL` and `TOCSIN_KEY`; path parameters are shell
 * variables too.
 */
export function curlExample(method: string, path: string, operation: Operation): string {
  const { parameters, requestBody, responses, security } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const [needed] = security
  const token = needed !== undefined && Object.hasOwn(needed, 'events_token') ? '?token=$EVENTS_TOKEN' : ''
  const isStream = responses['200']?.content?.['text/event-stream'] !== undefined
  const schema = requestBody?.content['application/json']?.schema
  const parts = [
    `curl -s${isStream ? 'N' : ''}${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$TOCSIN_URL${filled}${token}"`,
    ...(needed !== undefined && Object.hasOwn(needed, 'api_key') ? [`-H "Cookie: Session=$TOCSIN_KEY"`] : []),
    ...(['patch', 'put'].includes(method) && parameters.some(({ name }) => name === 'if-match')
      ? [`-H 'If-Match: *'`]
      : []),
    ...(requestBody === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d '${quoted(schema === undefined ? {} : sample(schema))}'`,
        ]),
  ]
  return parts.join(' \\\n  ')
}

/** Within single quotes. */
const quoted = (value: unknown): string => JSON.stringify(value).replaceAll(`'`, String.raw`'\''`)

/** An example value for a schema: its required fields, or the first one. */
function sample(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const [type] = [schema.type ?? 'string'].flat()
  if (type === 'object') {
    const properties = Object.entries(schema.properties ?? {})
    const required = properties.filter(([name]) => schema.required?.includes(name))
    const shown = required.length > 0 || (schema.minProperties ?? 0) === 0 ? required : properties.slice(0, 1)
    return Object.fromEntries(shown.map(([name, inner]) => [name, sample(inner)]))
  }
  if (type === 'array') return [sample(schema.items ?? {})]
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  return type === 'boolean' ? true : type === 'null' ? null : 'text'
}
