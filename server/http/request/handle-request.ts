import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { CancelledError } from '../../../core/errors/errors.ts'
import { stringifyJson } from '../../../core/common/json.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { compileSchema } from '../../../core/schema/index.ts'
import { authenticate, authorize, isActivity } from '../caller/authenticate.ts'
import type { BodyBudget } from '../server/body-budget.ts'
import { streamHeaders } from '../events/event-streams.ts'
import { handleOnce, headersOf, isOnce, requestTarget } from './idempotency.ts'
import {
  readRequestBytes,
  readJsonBody,
  requirePlainJson,
  streamOfBody,
  type BodyStream,
} from './read-body.ts'
import type { Requester } from '../caller/requester.ts'
import { sessionCookie } from '../caller/session-cookie.ts'
import { refuseCrossSite, type OwnNames } from '../caller/same-origin.ts'
import type { Answer, ApiRequest, RecalledRequest, Route, Services } from '../routing/route.ts'
import { readQuery, validateBody, validateHeaders } from './validate.ts'
import { needsCaller, type Caller } from '../caller/caller.ts'
import { RequestError } from './request-error.ts'

export interface RequestSettings {
  readonly prefix: string
  readonly maxBodyBytes: number
  readonly bodies: BodyBudget
  readonly ownNames: OwnNames
}

interface Seen {
  caller: Caller
  organization: string | undefined
}

/** Rejects with the reason of a refusal. */
export type RequestHandler = (context: Context, params: PathParams) => Promise<void>

type PathParams = Readonly<Record<string, string>>

const noParameters: JsonSchema = { type: 'object', additionalProperties: false, properties: {} }

const nobody: Caller = {
  uuid: '',
  expiresAt: null,
  actor: { kind: 'person', id: '', name: '', requestId: null },
  grants: [],
  scope: [],
  session: undefined,
  account: undefined,
}

/**
 * Checks a request before the handler of its route, in this order: cross-site, key, role, query, body. Schemas are compiled at their
 * first use: compiling all of them would double the time of a start.
 */
export function requestHandler(route: Route, services: Services, settings: RequestSettings): RequestHandler {
  const querySchema = route.query ?? noParameters
  const headersSchema = headersOf(route)
  const checkedHeaders = [...Object.keys(headersSchema?.properties ?? {}), ...(headersSchema?.required ?? [])]
  // Types of parameters, query and body were checked at the definition of the route; their values are checked here.
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
      if (needsKey(route) || route.access === 'sign_in') services.recordAccessRefusal(refused, error)
      throw error
    }
  }

  /** @param seen receives the caller and the organization, for the log of refusals */
  async function answerRequest(
    context: Context,
    params: PathParams,
    { address, isTls }: Requester,
    seen: Seen,
  ): Promise<void> {
    const { headers } = context.req
    const requestId = context.response.get('x-request-id')
    const cookie = sessionCookie(isTls)
    if (needsKey(route) || route.access === 'sign_in') refuseCrossSite(headers, settings.ownNames)
    if (needsKey(route)) {
      const origin = { requestId, address, cookie, isActivity: isActivity(route, headers) }
      const inQuery = route.keyInQuery === true ? keyInQuery(context) : undefined
      seen.caller = await authenticate(inQuery ?? headers, services, origin)
      if (inQuery !== undefined) requireIntake(seen.caller)
      seen.caller = authorize(seen.caller, route.access)
      route.admit?.(seen.caller, services)
    }
    const { caller } = seen
    const { querystring } = context
    const query = querystring === '' && route.query === undefined ? {} : readQuery(querystring, querySchema)
    if (headersSchema !== undefined && checkedHeaders.some((name) => headers[name] !== undefined))
      validateHeaders(compileSchema(headersSchema), headers)
    const content = await readContent(route, context.req, { query, address }, services, settings)
    seen.organization = organizationIn(query, content.body)
    try {
      const { originalUrl: target } = context
      const gone = goneSignal(context)
      const about = { headers, caller, address, sessionCookie: cookie, requestId, target, gone }
      const request = { params, query, ...content, ...about }
      const work = (): Promise<Answer> => handle(request, services)
      const recall = recallOf(route, { caller, params }, services)
      const once = requestTarget(route, params)
      const answer = isOnce(route)
        ? await handleOnce(services.stores, once, request, work, recall, route.stream)
        : await work()
      if (route.view !== undefined) await services.recordView(caller, route.view)
      if (answer.events === undefined) setAnswer(context, route, answer, settings.prefix)
      else answerEvents(context, route, caller, answer.events, services)
    } finally {
      content.release()
    }
  }
}

function recallOf({ recall }: Route, request: RecalledRequest, services: Services) {
  if (recall === undefined) return undefined
  return { ...recall, answer: (kept: unknown) => recall.answer(kept, request, services) }
}

/** Headers with the key of the query; undefined if the request has credentials in its own headers, or no key. */
function keyInQuery({ req: { headers }, querystring }: Context): IncomingHttpHeaders | undefined {
  if (headers.authorization !== undefined || headers.cookie !== undefined) return undefined
  const key = new URLSearchParams(querystring).get('key')
  return key === null ? undefined : { authorization: `Bearer ${key}` }
}

const needsKey = ({ access }: Route): boolean => needsCaller(access)

/** An address is easily seen by others, so that only keys that post alerts may be in one. */
function requireIntake({ grants }: Caller): void {
  if (grants.every(({ role }) => role === 'intake')) return
  throw new RequestError('role_insufficient', 'Only a key with the role intake may be in an address.', {
    hint: 'use an API key with the role intake',
  })
}

/** Made at the first call: most requests are answered without a signal. */
function goneSignal({ res }: Context): () => AbortSignal {
  let signal: AbortSignal | undefined
  return () => {
    if (signal !== undefined) return signal
    const gone = new AbortController()
    signal = gone.signal
    const onClose = (): void => {
      if (!res.writableFinished) gone.abort(new CancelledError('request_given_up', 'the client disconnected'))
    }
    if (res.closed) onClose()
    else res.once('close', onClose)
    return signal
  }
}

/** Call `release` when the content is no longer used: it counts towards the memory of all bodies. */
async function readContent(
  { method, body, bytes, stream, maxBody }: Route,
  request: IncomingMessage,
  sender: { readonly query: Readonly<Record<string, unknown>>; readonly address: string },
  services: Services,
  { bodies, maxBodyBytes }: RequestSettings,
) {
  if (stream !== undefined) {
    const release = bodies.take(request, streamBytes)
    return { body: undefined, bytes: noBytes, stream: streamOfBody(request), release }
  }
  const max = bytes?.max ?? maxBody ?? maxBodyBytes
  bytes?.admit?.(sender, services)
  if (bytes === undefined && body === undefined) {
    // A cross-site HTML form always sends a content type.
    if (method !== 'GET' && request.headers['content-type'] !== undefined) requirePlainJson(request)
    return { body: undefined, bytes: noBytes, stream: noStream, release() {} }
  }
  const release = bodies.take(request, max)
  try {
    if (body === undefined)
      return { body: undefined, bytes: await readRequestBytes(request, max), stream: noStream, release }
    const value = await readJsonBody(request, max)
    validateBody(compileSchema(body), value)
    return { body: value, bytes: noBytes, stream: noStream, release }
  } catch (error) {
    release()
    throw error
  }
}

const noBytes = new Uint8Array()
const noStream: BodyStream = { content: Readable.from([]), size: 0, sha256: async () => '' }
/** Memory that a body takes while it is read as a stream. */
const streamBytes = 2 * 1_048_576

function setAnswer(context: Context, route: Route, answer: Answer, prefix: string): void {
  if (answer.location !== undefined) context.set('location', `/${prefix}${answer.location}`)
  if (answer.headers !== undefined) context.set(answer.headers)
  context.status = answer.status ?? route.status
  if (context.status === 204) return
  if (answer.file !== undefined) return setFile(context, answer.file)
  const textType = answer.type ?? 'text/plain; charset=utf-8'
  context.set('content-type', answer.text === undefined ? 'application/json' : textType)
  context.body = sendable(answer.text ?? stringifyJson(answer.body))
}

/** Whatever the file is: it may be malware, or a page that would run with the rights of ours. */
function setFile(context: Context, { name, size, content }: NonNullable<Answer['file']>): void {
  context.attachment(name)
  context.set({ 'content-type': 'application/octet-stream', 'content-length': String(size) })
  context.set({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  context.body = Readable.from(content, { objectMode: false })
}

function answerEvents(
  context: Context,
  { status }: Route,
  caller: Caller,
  events: NonNullable<Answer['events']>,
  { eventStreams, log }: Services,
): void {
  context.status = status
  context.set(streamHeaders)
  const stream = context.method === 'HEAD' ? undefined : eventStreams.open(caller, context.res)
  context.respond = false
  if (stream === undefined) return void context.res.end()
  events(stream).catch((error: unknown) => {
    if (stream.over.aborted) return
    log.error({ error }, 'an event stream failed')
    stream.cut()
  })
}

/** The organization code of a request, in the query or the body. */
function organizationIn(query: Readonly<Record<string, unknown>>, body: unknown): string | undefined {
  const named =
    query['organization'] ?? (body as { organization_code?: unknown } | undefined)?.organization_code
  return typeof named === 'string' ? named : undefined
}

/** Node buffers a large string at three bytes per character until the client has read it. */
const sendable = (text: string): string | Buffer => (text.length > 65_536 ? Buffer.from(text) : text)
