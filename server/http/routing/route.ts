import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Backtests } from '../../../core/backtest/backtests.ts'
import type { ApprovalRule, DestructiveLimits } from '../../../core/domain/destructive-use.ts'
import type { Pauses } from '../../../core/engine/turns/pauses.ts'
import type { RunControl } from '../../../core/engine/turns/run-control.ts'
import type { Scheduler } from '../../../core/engine/turns/scheduler.ts'
import type { SkillCaller } from '../../../core/engine/skills/skill-caller.ts'
import type { Inbound } from '../../../core/inbound/inbound.ts'
import type { Investigations } from '../../../core/investigation/investigations.ts'
import type { StormWatch } from '../../../core/investigation/storm-watch.ts'
import type { PlaybookLibrary } from '../../../core/investigation/playbook-library.ts'
import type { CaseStore } from '../../../core/ports/case-store.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { SecretResolver } from '../../../core/skill/connection/secret-resolver.ts'
import type { SignInFlow } from '../../../core/skill/sign-in/sign-in-flow.ts'
import type { OpenConnection } from '../../../core/ports/connection-store.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Authenticated, Infer, JsonSchema } from '../../../core/plugin/index.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import type { Retries } from '../../../core/retry/retries.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { RecordAccountUse, RecordKeyUse } from '../../access/last-use.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Directory } from '../caller/directory.ts'
import type { Calculations } from '../limits/calculations.ts'
import type { DryRunGate } from '../limits/dry-run-gate.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { EventStream } from '../events/event-stream.ts'
import type { NodeList } from '../../nodes/node-list.ts'
import type { EventStreams } from '../events/event-streams.ts'
import type { InTurn } from '../../../core/common/in-turn.ts'
import type { WatchRun } from '../events/run-watch.ts'
import type { FailedAuthentications } from '../caller/failed-authentications.ts'
import type { RecordRefusal } from '../limits/refusal-log.ts'
import type { Requester } from '../caller/requester.ts'
import type { SessionCookie } from '../caller/session-cookie.ts'
import type { RecordAccessRefusal } from '../caller/access-refusals.ts'
import type { RecordView, ViewAction } from '../caller/view-audit.ts'
import type { AuthenticateGate } from '../limits/authenticate-gate.ts'
import type { SignInServices } from '../caller/sign-on.ts'
import type { SignInGate } from '../caller/sign-in-gate.ts'
import type { TakeWaitPlace } from '../limits/wait-places.ts'
import type { IntakeGate } from '../limits/intake-gate.ts'
import type { WebhookGate } from '../limits/webhook-gate.ts'
import type { BodyStream, StreamedBody } from '../request/read-body.ts'
import type { RouteAccess, Caller } from '../caller/caller.ts'
import type { OpenApiDocument } from '../reference/openapi-document.ts'

/** What handlers work with. */
export interface Services extends SignInServices {
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly investigations: Pick<Investigations, 'receive' | 'accepting' | 'wait' | 'again'>
  readonly control: RunControl
  readonly retries: Retries
  readonly scheduler: Pick<Scheduler, 'takeOver'>
  readonly playbooks: Omit<PlaybookLibrary, 'rivals'>
  /** Calls skills; `cases` replaces the stored cases in a dry run. */
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  readonly dryRunGate: DryRunGate
  readonly backtests: Backtests
  readonly calculations: Calculations
  readonly directory: Directory
  /** Tests the credentials of a connection. */
  readonly authenticate: (open: OpenConnection, signal: AbortSignal) => Promise<Authenticated>
  /** Reads secrets that are kept outside of Tocsin. */
  readonly secrets: Pick<SecretResolver, 'values'>
  /** Signs in to other systems. */
  readonly signIn: SignInFlow
  readonly engine: {
    readonly pauses: Pick<Pauses, 'current' | 'pause' | 'resume'>
    /** Queued runs of an organization that have not started. */
    readonly queuedOf: (organizationUuid: string) => number
    /** Active runs of an organization on all nodes, and their limit. */
    readonly shareOf: (organizationUuid: string) => { readonly working: number; readonly most: number }
    /** Runs watched after crashes of the process, on all nodes. */
    readonly suspects: () => number
    /** Limits of the server: destructive actions per class, organization and hour without approval. */
    readonly destructiveLimits: DestructiveLimits
    /** Approval rules of the server, after those of each organization. */
    readonly approvalRules: readonly ApprovalRule[]
    /** Queued runs of one organization; beyond this, alerts are refused. */
    readonly maxQueued: number
    readonly storms: StormWatch
  }
  readonly nodes: () => Promise<NodeList>
  /** Lifetime of a key that is created without an end, in milliseconds; null: such a key does not expire. */
  readonly keyLifetimeMs: number | null
  readonly recordKeyUse: RecordKeyUse
  readonly recordAccountUse: RecordAccountUse
  readonly failedAuthentications: FailedAuthentications
  readonly sessions: Sessions
  readonly requesterOf: (request: IncomingMessage) => Requester
  readonly eventStreams: EventStreams
  readonly takeWaitPlace: TakeWaitPlace
  readonly watchRun: WatchRun
  /** Streams, and responses, read one run at a time; organizations take turns. */
  readonly readRunInTurn: InTurn
  readonly excerptRunInTurn: InTurn
  readonly changeFeed: ChangeFeed
  readonly signInGate: SignInGate
  /** Limits requests with an invalid API key or session. */
  readonly requestGate: SignInGate
  readonly authenticateGate: AuthenticateGate
  readonly recordAccessRefusal: RecordAccessRefusal
  readonly recordView: RecordView
  readonly inbound: Inbound
  readonly webhookGate: WebhookGate
  readonly intakeGate: IntakeGate
  readonly recordRefusedWebhook: RecordRefusal
  readonly metrics: Pick<Metrics, 'text' | 'requestAnswered' | 'alertReceived'>
  readonly clock: Clock
  readonly log: Log
  /** The address of this server for other systems, without trailing slash. */
  readonly publicUrl: () => string
  /** Path prefix of the API, without slashes at its ends. */
  readonly apiPrefix: string
  readonly openApi: OpenApiDocument
  /** Aborted when the server begins to close; `draining` when balancers should send it nothing more; `caughtUp` when they may begin. */
  readonly closing: AbortSignal
  readonly draining: AbortSignal
  readonly caughtUp: AbortSignal
}

export interface ApiRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  /** For routes with a binary body; otherwise empty. */
  readonly bytes: Uint8Array
  /** For routes with a stream; otherwise empty. */
  readonly stream: BodyStream
  /** For public routes: a caller without organizations. */
  readonly caller: Caller
  /** See `Requester`. */
  readonly address: string
  /** The session cookie for this browser. */
  readonly sessionCookie: SessionCookie
  readonly requestId: string
  /** Path and query as received. */
  readonly target: string
  /** Aborted when the client disconnects before the response. */
  readonly gone: () => AbortSignal
}

export interface Answer {
  /** JSON; bigints become integers. */
  readonly body?: unknown
  /** Instead of `body`: sent as text. */
  readonly text?: string
  /** Content type of `text`; default `text/plain; charset=utf-8`. */
  readonly type?: string
  /** Instead of `body`: sends a file to save, which no browser shows. */
  readonly file?: {
    readonly name: string
    readonly size: number
    readonly content: AsyncIterable<Uint8Array>
  }
  /** Instead of `body`: sends server-sent events until it resolves. */
  readonly events?: (stream: EventStream) => Promise<void>
  /** Default: the status of the route. 204 has no body. */
  readonly status?: number
  /** Path of the created object, below the prefix. */
  readonly location?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Fields of the body that are shown once; null when an idempotent request is replayed. */
  readonly unkept?: readonly string[]
}

/** References `schemas/<name>.schema.json` in the API document. */
export const component = (
  name: 'alert' | 'case' | 'run' | 'run_step' | 'connection' | 'checkpoint' | 'containment',
): JsonSchema => ({
  $ref: `#/components/schemas/${name}`,
})

/** `/alerts/{id}` → `{ id: string }`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the prefix (see `outsidePrefix`), with `{name}` for parameters. Letter case and slashes matter. */
  readonly path: string
  readonly access: RouteAccess
  /** One sentence for the API document. */
  readonly summary: string
  readonly status: 200 | 201 | 202
  /** Schema of a successful response; `component('alert')` references `schemas/`. */
  readonly answer: JsonSchema
  readonly outsidePrefix?: true
  /** Recorded in the audit log before the response, once an hour per key and session. */
  readonly view?: ViewAction
  /** Called before the body is read. Throws to refuse the request. */
  readonly admit?: (caller: Caller, services: Services) => void
  /** The response is text, not JSON. */
  readonly isText?: true
  /** Content type of the text. Default: `text/plain`. */
  readonly textType?: string
  /** Alternative text type, if the request prefers it to JSON. */
  readonly alsoText?: string
  /** When a successful response is an empty 204. */
  readonly over?: string
  readonly query?: JsonSchema
  /** Accepts parameters of the query that `query` does not list, as texts. */
  readonly otherQuery?: true
  /** An object schema of the headers in use, with lower-case names. Other headers are ignored. */
  readonly headers?: JsonSchema
  /** Absent: no JSON body. */
  readonly body?: JsonSchema
  /** Accepts fields of the body that `body` does not list. */
  readonly otherFields?: true
  /** Largest JSON body in bytes. Default: 1 MiB. */
  readonly maxBody?: number
  /** A binary body instead of `body`. */
  readonly bytes?: BytesBody
  /** Instead of `body`: any content, which the handler reads and limits. */
  readonly stream?: StreamedBody
  /** Accepts a key of the role intake as the query parameter `key`, for senders that can only be given an address. */
  readonly keyInQuery?: true
  /** Whether to handle a request with an `Idempotency-Key` once; default: see `isOnce`. */
  readonly once?: boolean
  /** Rebuilds the response after a crash, for a repeated request. Absent: the repetition is told that it was lost. */
  readonly recall?: Recall
}

/** Rebuilds a response from the first write of a request. */
export interface Recall {
  /** Stored in the commit of that write, as JSON without secrets. Undefined: the response cannot be rebuilt. */
  readonly keeps: (written: unknown) => unknown
  readonly answer: (kept: unknown, request: RecalledRequest, services: Services) => Promise<Answer>
}

export interface RecalledRequest {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/** A body of any type, unchanged. */
interface BytesBody {
  /** Default: the limit of JSON bodies. */
  readonly max?: number
  /** Called before the body is read; throws to refuse it. */
  readonly admit?: (
    sender: Pick<ApiRequest<never, Readonly<Record<string, unknown>>, never>, 'query' | 'address'>,
    services: Services,
  ) => void
}

/** An entry of the routing table. */
export interface Route extends RouteBase {
  readonly handle: (request: ApiRequest<never, never, never>, services: Services) => Promise<Answer>
}

type Fields = Readonly<Record<string, JsonSchema>>

interface BodyFields {
  readonly required?: readonly string[]
  readonly minProperties?: number
  readonly properties: Fields
}

type Strict<Schema> = Infer<Schema & { readonly type: 'object'; readonly additionalProperties: false }>

interface RouteDefinition<Path extends string, Query extends Fields, Body extends BodyFields> extends Omit<
  RouteBase,
  'query' | 'body' | 'status'
> {
  readonly path: Path
  /** Default: 200. */
  readonly status?: RouteBase['status']
  /** Schemas of the parameters by name; others are refused. */
  readonly query?: Query
  /** Fields of a JSON body; others are refused. */
  readonly body?: Body
  readonly handle: (
    request: ApiRequest<ParamsOf<Path>, Strict<{ readonly properties: Query }>, Strict<Body>>,
    services: Services,
  ) => Promise<Answer>
}

const strict = { type: 'object', additionalProperties: false } as const
const textsToo = { additionalProperties: { type: 'string' } } as const

/** Declares a route. Types of parameters, query and body follow from the path and the schemas. */
export function defineRoute<
  const Path extends string,
  const Query extends Fields,
  const Body extends BodyFields,
>({ status = 200, query, body, ...route }: RouteDefinition<Path, Query, Body>): Route {
  return {
    ...route,
    status,
    ...(query && { query: { ...strict, properties: query, ...(route.otherQuery && textsToo) } }),
    ...(body && { body: { ...strict, ...body, ...(route.otherFields && { additionalProperties: true }) } }),
  }
}
