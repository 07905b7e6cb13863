import { readFileSync } from 'node:fs'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { headersOf } from './idempotency.ts'
import type { Route } from './route.ts'

/** An OpenAPI 3.1 document of the table: every operation with its parameters, bodies, answers and the roles that may call it. */
export function openApiDocument(
  routes: readonly Route[],
  prefix: string,
  publicUrl: string | undefined,
  cookie: string,
): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.outsidePrefix === true ? route.path : `/${prefix}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tocsin',
      version: '1',
      description: 'Alerts in, playbooks investigate them, cases out. Times are epoch milliseconds.',
    },
    servers: [{ url: publicUrl ?? '/' }],
    paths,
    components: {
      schemas: Object.fromEntries(componentNames.map((name) => [name, readSchema(name)])),
      responses: {
        problem: {
          description: 'The request was refused.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/error' } } },
        },
      },
      securitySchemes: {
        api_key: { type: 'apiKey', in: 'cookie', name: 'Session' },
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: cookie },
        events_token: { type: 'apiKey', in: 'query', name: 'token' },
      },
    },
  }
}

const componentNames = ['alert', 'case', 'run', 'connection', 'checkpoint', 'error'] as const

/** Each keeps its `$id`, against which references between them resolve. */
function readSchema(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'))
}

/** As the plugin wants it. */
const anyBody = { 'application/json': {}, 'application/x-www-form-urlencoded': {} }

function operation(route: Route): object {
  const json = (schema: JsonSchema) => ({ 'application/json': { schema } })
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(typeof route.access === 'string'
      ? { security: route.access === 'events_token' ? [{ events_token: [] }] : [] }
      : { security: [{ api_key: [] }, { bearer: [] }, { session: [] }], 'x-roles': route.access }),
    parameters: [
      ...pathParameters(route.path),
      ...parametersIn('query', route.query),
      ...parametersIn('header', headersOf(route)),
    ],
    ...(route.body !== undefined && { requestBody: { required: true, content: json(route.body) } }),
    ...(route.bytes !== undefined && { requestBody: { required: true, content: anyBody } }),
    responses: {
      [route.status]: {
        description: 'Success.',
        content: {
          ...(route.isText === true ? { 'text/plain': { schema: route.answer } } : json(route.answer)),
          ...(route.alsoText !== undefined && { [route.alsoText]: { schema: { type: 'string' } } }),
        },
      },
      default: { $ref: '#/components/responses/problem' },
    },
  }
}

/** `GET /alerts/{alert}` → `get_alerts_alert`. */
function operationId({ method, path }: Route): string {
  return `${method}${path}`
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replace(/_$/, '')
}

function pathParameters(path: string): readonly object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)]
  return names.map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function parametersIn(place: 'query' | 'header', given: JsonSchema | undefined): readonly object[] {
  return Object.entries(given?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: given?.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema,
  }))
}
