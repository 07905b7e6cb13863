import { builtInRoles, rolesWith } from '../../../core/access/permissions.ts'
import { needsCaller, permissionFor } from '../caller/caller.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { headersOf, isOnce } from '../request/idempotency.ts'
import type { Route } from '../routing/route.ts'
import { componentSchemas, described } from './components.ts'
import type { OpenApiDocument, Operation, ApiParameter, Response, Content } from './openapi-document.ts'

/** The OpenAPI 3.1 document of the routes: parameters, bodies, responses and roles of every operation. */
export function openApiDocument(
  routes: readonly Route[],
  prefix: string,
  publicUrl: string | undefined,
  cookie: string,
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {}
  const edited = new Set(routes.filter(isEdit).map(({ path }) => path))
  for (const route of routes) {
    const path = route.outsidePrefix === true ? route.path : `/${prefix}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, edited) }
  }
  const used = new Set(routes.map(tagOf))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tocsin',
      version: '1',
      description:
        'Receives alerts, investigates them with playbooks and records cases. Times are epoch milliseconds.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl ?? '/' }],
    tags: [...used].map((name) => ({ name, description: tags[name] ?? '' })),
    paths,
    components: {
      schemas: componentSchemas(),
      responses: {
        problem: {
          description: 'The request was refused.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/error' } } },
        },
      },
      securitySchemes: {
        api_key: { type: 'apiKey', in: 'cookie', name: 'Session', description: 'An API key.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookie,
          description: 'The session of a signed-in person, set by `POST session`.',
        },
        events_token: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'The token of a connection.',
        },
      },
    },
  }
}

/** By the first segment of the path. */
const tags: Readonly<Record<string, string>> = {
  alerts: 'Incoming events.',
  cases: 'Records that investigations open, and people work on.',
  tasks: 'Tasks of all cases.',
  runs: 'Executions of playbooks.',
  checkpoints: 'Questions to people.',
  playbooks: 'Definitions of investigations.',
  skills: 'Operations that playbooks can use.',
  plugins: 'Installed integrations.',
  organizations: 'Owners of alerts, cases and connections.',
  providers: 'Systems that send alerts.',
  keys: 'API keys.',
  session: 'Sign-ins to the web page.',
  connections: 'Settings and secrets for other systems.',
  audit: 'The audit log.',
  webhooks: 'Endpoints for other systems.',
  engine: 'Runs of all organizations.',
  events: 'Live changes.',
  server: 'The server itself.',
}

function tagOf({ path }: Route): string {
  const [first = ''] = path.slice(1).split('/', 1)
  return Object.hasOwn(tags, first) ? first : 'server'
}

/** In the format of the plugin. */
const anyBody = { 'application/json': {}, 'application/x-www-form-urlencoded': {} }

const isStream = ({ textType }: Route): boolean => textType === 'text/event-stream'

/** Paths that support editing send an `ETag`. */
const isEdit = ({ method, headers }: Route): boolean =>
  method !== 'DELETE' && headers?.properties?.['if-match'] !== undefined

const entityTag = {
  ETag: {
    description: 'Revision of the current state; an edit names it in `If-Match`.',
    schema: { type: 'string' },
  },
} as const

const whatWasMade = {
  Location: {
    description: 'Path of the created object, or of its list.',
    schema: { type: 'string' },
  },
} as const

function headersOfSuccess(route: Route, edited: ReadonlySet<string>): Pick<Response, 'headers'> {
  const headers = {
    ...(edited.has(route.path) && route.method !== 'DELETE' && entityTag),
    ...(route.status !== 200 && whatWasMade),
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}

function operation(route: Route, edited: ReadonlySet<string>): Operation {
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [tagOf(route)],
    ...security(route),
    parameters: [
      ...pathParameters(route.path),
      ...parametersIn('query', route.query),
      ...parametersIn('header', headersOf(route)),
    ],
    ...(route.body !== undefined && {
      requestBody: { required: true, content: content('application/json', route.body) },
    }),
    ...(route.bytes !== undefined && { requestBody: { required: true, content: anyBody } }),
    ...(route.stream !== undefined && {
      requestBody: { required: true, content: { 'application/octet-stream': {} } },
    }),
    responses: {
      [route.status]: {
        description: 'Success.',
        ...headersOfSuccess(route, edited),
        content: {
          ...content(
            route.isText === true ? (route.textType ?? 'text/plain') : 'application/json',
            route.answer,
          ),
          ...(route.alsoText !== undefined && content(route.alsoText, { type: 'string' })),
        },
      },
      ...(route.over !== undefined && { 204: { description: route.over } }),
      ...Object.fromEntries(refusals(route).map((status) => [status, problem])),
      default: problem,
    },
  }
}

function security({ access }: Route): Pick<Operation, 'security' | 'x-roles' | 'x-permission'> {
  if (!needsCaller(access)) return { security: access === 'events_token' ? [{ events_token: [] }] : [] }
  const permission = permissionFor(access)
  return {
    security: [{ api_key: [] }, { bearer: [] }, { session: [] }],
    'x-roles': permission === undefined ? Object.keys(builtInRoles) : rolesWith(permission),
    ...(permission !== undefined && { 'x-permission': permission }),
  }
}

const problem: Response = { $ref: '#/components/responses/problem' }

/** Statuses that follow from the route definition. Others, such as 409 and 5xx, are under `default`. */
function refusals(route: Route): readonly number[] {
  const takesBody = route.body !== undefined || route.bytes !== undefined || route.stream !== undefined
  const needsKey = needsCaller(route.access)
  return [
    400,
    ...(needsKey || route.access === 'events_token' || route.access === 'sign_in' ? [401] : []),
    ...(needsKey || route.access === 'sign_in' ? [403] : []),
    ...(route.path.includes('{') ? [404] : []),
    ...(route.headers?.properties?.['if-match'] === undefined ? [] : [412]),
    ...(takesBody ? [413] : []),
    ...(route.body !== undefined || (needsKey && route.method !== 'GET') ? [415] : []),
    ...(isOnce(route) || route.headers?.properties?.['idempotency-key'] !== undefined ? [422] : []),
    ...(isEdit(route) ? [428] : []),
    ...(isOfStrangers(route) || isStream(route) ? [429] : []),
  ]
}

/** Without a key, so that the rate of requests is limited by address. */
const isOfStrangers = ({ access }: Route): boolean =>
  access === 'events_token' || access === 'sign_in' || access === 'logout_token'

function content(type: string, schema: JsonSchema): Content {
  return { [type]: { schema: described(schema) as JsonSchema } }
}

/** `GET /alerts/{alert}` → `get_alerts_alert`. */
function operationId({ method, path }: Route): string {
  return `${method}${path}`
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replace(/_$/, '')
}

function pathParameters(path: string): readonly ApiParameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)]
  return names.map(([, name = '']) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function parametersIn(place: 'query' | 'header', given: JsonSchema | undefined): readonly ApiParameter[] {
  return Object.entries(given?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: given?.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema: described(schema) as JsonSchema,
  }))
}
