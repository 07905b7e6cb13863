import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { CancelledError } from '../../../core/errors/errors.ts'
import { stringifyJson } from '../../../core/common/json.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { compileSchema } from '../../../core/schema/index.ts'
import { authenticate, authorize, isActivity } from '../caller/authenticate.ts'
import type { BodyBudget } from '../server/body-budget.ts'
import { streamHeaders } from '../events/event-streams.ts'
import { handleOnce, headersOf, isOnce, targetOf } from './idempotency.ts'
import { parseQuery } from './parse-query.ts'
import { readBytes, readJsonBody, requirePlainJson } from './read-body.ts'
import type { Requester } from '../caller/requester.ts'
import { sessionCookie } from '../caller/session-cookie.ts'
import { refuseCrossSite, type OwnNames } from '../caller/same-origin.ts'
import type { Answer, ApiRequest, Route, Services } from '../routing/route.ts'
import { validateBody, validateHeaders, validateQuery } from './validate.ts'
import type { Caller } from '../caller/caller.ts'

/** What the configuration says about requests. */
export interface RequestSettings {
  readonly prefix: string
  /** Of a body. */
  readonly maxBodyBytes: number
  readonly bodies: BodyBudget
  readonly ownNames: OwnNames
}

/** What is known of a request that may be refused. */
interface Seen {
  caller: Caller
  organization: string | undefined
}

/** Rejects with what the request is refused for. */
export type RequestHandler = (context: Context, params: Readonly<Record<string, string>>) => Promise<void>
const noBytes = new Uint8Array()

const noParameters: JsonSchema = { type: 'object', additionalProperties: false, properties: {} }

const nobody: Caller = {
  keyUuid: '',
  expiresAt: null,
  actor: { kind: 'person', id: '', name: '', requestId: null },
  role: 'intake',
  scope: [],
  session: undefined,
}

/**
 * Checks a request before its route's handler sees it, in this order: other web sites, key, role, query, body. A schema is
 * compiled at the first request that needs it: compiling all of them would double the time of a start.
 */
export function requestHandler(route: Route, services: Services, settings: RequestSettings): RequestHandler {
  const querySchema = route.query ?? noParameters
  const headersSchema = headersOf(route)
  // The types of parameters, query and body were checked where the route was defined, and their values are checked here.
  const handle = route.handle as (
    request: ApiRequest<unknown, unknown, unknown>,
    services: Services,
  ) => ReturnType<Route['handle']>

  return async function handleRequest(context, params) {
    const requestId = context.response.get('x-request-id')
    const requester = services.requesterOf(context.req)
    const seen: Seen = { caller: nobody, organization: undefined }
    try {
      await answerRequest(context, params, requester, seen)
    } catch (error) {
      const caller = seen.caller === nobody ? undefined : seen.caller
      const { address } = requester
      const action = `${route.method} ${route.path}`
      const refused = { caller, address, requestId, action, params, organization: seen.organization }
      if (route.access === 'sign_in' || typeof route.access !== 'string')
        services.recordAccessRefusal(refused, error)
      throw error
    }
  }

  /** @param seen is told who calls, and about which organization, as far as it comes */
  async function answerRequest(
    context: Context,
    params: Readonly<Record<string, string>>,
    { address, isTls }: Requester,
    seen: Seen,
  ): Promise<void> {
    const { headers } = context.req
    const requestId = context.response.get('x-request-id')
    let caller = nobody
    const cookie = sessionCookie(isTls)
    if (route.access === 'sign_in') refuseCrossSite(headers, settings.ownNames)
    if (typeof route.access !== 'string') {
      refuseCrossSite(headers, settings.ownNames)
      const origin = { requestId, address, cookie, isActivity: isActivity(route, headers) }
      caller = await authenticate(headers, services, origin)
      seen.caller = caller
      authorize(caller, route.access)
    }
    const parameters = parseQuery(context.querystring, querySchema)
    validateQuery(compileSchema(querySchema), parameters)
    if (headersSchema !== undefined) validateHeaders(compileSchema(headersSchema), headers)
    const gone = new AbortController()
    context.res.once('close', () => {
      if (!context.res.writableFinished)
        gone.abort(new CancelledError('request_given_up', 'nobody waits for the answer'))
    })
    const content = await readContent(context.req, parameters, address)
    seen.organization = organizationIn(parameters, content.body)
    try {
      const about = { headers, caller, address, sessionCookie: cookie, requestId, gone: gone.signal }
      const request = { params, query: parameters, ...content, ...about }
      const work = (): Promise<Answer> => handle(request, services)
      const answer = isOnce(route)
        ? handleOnce(services.stores, targetOf(route, params), request, work, recalled({ caller, params }))
        : work()
      const answered = await answer
      if (route.view !== undefined) await services.recordView(caller, route.view)
      setAnswer(context, caller, answered)
    } finally {
      content.letGo()
    }
  }

  function recalled(request: { readonly caller: Caller; readonly params: Readonly<Record<string, string>> }) {
    const { recall } = route
    return recall && { ...recall, answer: (kept: unknown) => recall.answer(kept, request, services) }
  }

  /** `letGo`: to be called when it is not used any more. */
  async function readContent(
    request: IncomingMessage,
    query: Readonly<Record<string, unknown>>,
    address: string,
  ) {
    const max = route.bytes?.max ?? settings.maxBodyBytes
    route.bytes?.admit({ query, address }, services)
    if (route.bytes === undefined && route.body === undefined) {
      // A form of a page always says its type.
      if (route.method !== 'GET' && request.headers['content-type'] !== undefined) requirePlainJson(request)
      return { body: undefined, bytes: noBytes, letGo() {} }
    }
    const letGo = settings.bodies.take(request, max)
    try {
      if (route.body === undefined) return { body: undefined, bytes: await readBytes(request, max), letGo }
      const value = await readJsonBody(request, max)
      validateBody(compileSchema(route.body), value)
      return { body: value, bytes: noBytes, letGo }
    } catch (error) {
      letGo()
      throw error
    }
  }

  function setAnswer(context: Context, caller: Caller, answer: Answer): void {
    if (answer.events !== undefined) return answerEvents(context, caller, answer.events)
    if (answer.location !== undefined) context.set('location', `/${settings.prefix}${answer.location}`)
    if (answer.headers !== undefined) context.set(answer.headers)
    context.status = answer.status ?? route.status
    if (context.status === 204) return
    const textType = answer.type ?? 'text/plain; charset=utf-8'
    context.set('content-type', answer.text === undefined ? 'application/json' : textType)
    context.body = sendable(answer.text ?? stringifyJson(answer.body))
  }

  function answerEvents(context: Context, caller: Caller, events: NonNullable<Answer['events']>): void {
    context.status = route.status
    context.set(streamHeaders)
    const isHead = context.method === 'HEAD'
    const stream = isHead ? undefined : services.eventStreams.open(caller, context.res)
    context.respond = false
    if (stream === undefined) return void context.res.end()
    events(stream).catch((error: unknown) => {
      if (stream.over.aborted) return
      services.log.error({ error }, 'a stream of events broke off')
      stream.cut()
    })
  }
}

/** Code of the organization that a request names, as all routes call it. */
function organizationIn(query: Readonly<Record<string, unknown>>, body: unknown): string | undefined {
  const named =
    query['organization'] ?? (body as { organization_code?: unknown } | undefined)?.organization_code
  return typeof named === 'string' ? named : undefined
}

/** A large text that is written as such takes three bytes for each of its characters until it has been read. */
const sendable = (text: string): string | Buffer => (text.length > 65_536 ? Buffer.from(text) : text)
