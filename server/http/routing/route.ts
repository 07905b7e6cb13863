import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { DestructiveLimits } from '../../../core/domain/destructive-use.ts'
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
import type { OpenConnection } from '../../../core/ports/connection-store.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Authenticated, ConnectionDefinition, Infer, JsonSchema } from '../../../core/plugin/index.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import type { Reruns } from '../../../core/rerun/reruns.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { RecordKeyUse } from '../../access/key-use.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Directory } from '../caller/directory.ts'
import type { Calculations } from '../limits/calculations.ts'
import type { DryRunGate } from '../limits/dry-run-gate.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { EventStream } from '../events/event-stream.ts'
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
import type { SignInGate } from '../caller/sign-in-gate.ts'
import type { TakeWaitPlace } from '../limits/wait-places.ts'
import type { WebhookGate } from '../limits/webhook-gate.ts'
import type { Access, Caller } from '../caller/caller.ts'
import type { OpenApiDocument } from '../reference/openapi-document.ts'

/** What handlers work with. */
export interface Services {
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly investigations: Pick<Investigations, 'submit' | 'accepting' | 'wait' | 'again'>
  readonly control: RunControl
  readonly reruns: Reruns
  readonly scheduler: Pick<Scheduler, 'takeOver'>
  /** Playbooks that a person wrote, in force. */
  readonly playbooks: Pick<
    PlaybookLibrary,
    'written' | 'byHash' | 'newest' | 'fileOf' | 'check' | 'edit' | 'takeUpRefused'
  >
  /** Calls skills over the connections of organizations, with these cases instead of those that are stored. */
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  readonly dryRunGate: DryRunGate
  readonly calculations: Calculations
  readonly directory: Directory
  /** Asks the other system whether a connection's credentials work. */
  readonly authenticate: (
    definition: ConnectionDefinition,
    open: OpenConnection,
    signal: AbortSignal,
  ) => Promise<Authenticated>
  readonly engine: {
    readonly pauses: Pick<Pauses, 'current' | 'pause' | 'resume'>
    /** How many runs of an organization have been queued and not started. */
    readonly queuedOf: (organizationUuid: string) => number
    /** How many runs of an organization work, and how many may at most. */
    readonly shareOf: (organizationUuid: string) => { readonly working: number; readonly most: number }
    /** How many runs are watched after crashes of the process. */
    readonly suspects: () => number
    /** Of the server: destructive actions of each class in one organization within an hour that begin without an approval. */
    readonly destructiveLimits: DestructiveLimits
    /** Of one organization: from then on its alerts are refused. */
    readonly maxQueued: number
    readonly storms: StormWatch
  }
  readonly recordKeyUse: RecordKeyUse
  readonly failedAuthentications: FailedAuthentications
  readonly sessions: Sessions
  readonly requesterOf: (request: IncomingMessage) => Requester
  readonly eventStreams: EventStreams
  readonly takeWaitPlace: TakeWaitPlace
  readonly watchRun: WatchRun
  /** Of one run at a time what is told to a stream; organizations take turns. */
  readonly readRunInTurn: InTurn
  /** Of one run at a time what one answer holds; organizations take turns. */
  readonly excerptRunInTurn: InTurn
  readonly changeFeed: ChangeFeed
  readonly signInGate: SignInGate
  /** Of requests whose API key or session is refused. */
  readonly requestGate: SignInGate
  readonly authenticateGate: AuthenticateGate
  readonly recordAccessRefusal: RecordAccessRefusal
  readonly recordView: RecordView
  /** What other systems send to the addresses of connections. */
  readonly inbound: Inbound
  readonly webhookGate: WebhookGate
  readonly recordRefusedWebhook: RecordRefusal
  readonly metrics: Pick<Metrics, 'text' | 'requestAnswered'>
  readonly clock: Clock
  readonly log: Log
  /** Where other systems reach this server, without trailing slash. */
  readonly publicUrl: () => string
  /** Of all paths of the API, without slashes at its ends. */
  readonly apiPrefix: string
  /** The description of the API: an OpenAPI document. */
  readonly openApi: OpenApiDocument
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal
}

export interface ApiRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  /** Of a route that takes bytes; else empty. */
  readonly bytes: Uint8Array
  /** Of a public route: nobody, who sees no organization. */
  readonly caller: Caller
  /** See `Requester`. */
  readonly address: string
  /** As this browser is to keep it. */
  readonly sessionCookie: SessionCookie
  /** As the log has it. */
  readonly requestId: string
  /** Aborted when the connection is gone before the answer. */
  readonly gone: AbortSignal
}

export interface Answer {
  /** JSON; bigints are written as integers. */
  readonly body?: unknown
  /** Instead of `body`: sent as `text/plain`. */
  readonly text?: string
  /** Of `text`; default `text/plain; charset=utf-8`. */
  readonly type?: string
  /** Instead of `body`: sent as server-sent events, for as long as it takes. */
  readonly events?: (stream: EventStream) => Promise<void>
  /** Default: that of the route. With 204 there is no body. */
  readonly status?: number
  /** Path of what was made, below the prefix. */
  readonly location?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Fields of the body that are shown this once: where the answer is repeated, they are null. */
  readonly unkept?: readonly string[]
}

/** Refers to `schemas/<name>.schema.json`, as the description of the API carries it. */
export const component = (
  name: 'alert' | 'case' | 'run' | 'run_step' | 'connection' | 'checkpoint',
): JsonSchema => ({
  $ref: `#/components/schemas/${name}`,
})

/** `/alerts/{id}` → `{ id: string }`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the prefix (see `outsidePrefix`), with `{name}` for parameters. Compared exactly: letter case and slashes count. */
  readonly path: string
  readonly access: Access
  /** One sentence for the documentation. */
  readonly summary: string
  /** The status of success. */
  readonly status: 200 | 201
  /** What success answers, for the description of the API. Schemas of `schemas/` stand as `component('alert')`. */
  readonly answer: JsonSchema
  readonly outsidePrefix?: true
  /** Recorded in the audit log, once an hour for each key and session, before the answer. */
  readonly view?: ViewAction
  /** Success answers text, no JSON. */
  readonly isText?: true
  /** Of that text. Default: `text/plain`. */
  readonly textType?: string
  /** Success answers text of this type, where the request prefers that to JSON. */
  readonly alsoText?: string
  /** When success answers 204, with nothing. */
  readonly over?: string
  /** An object schema. Parameters not in it are refused. */
  readonly query?: JsonSchema
  /** An object schema of the headers the route reads, names in lower case. Other headers pass. */
  readonly headers?: JsonSchema
  /** Absent: the route takes no body, unless it takes bytes. */
  readonly body?: JsonSchema
  /** Instead of `body`. */
  readonly bytes?: BytesBody
  /** Whether a request with an `Idempotency-Key` is handled once; default: see `isOnce`. */
  readonly once?: boolean
  /** Of such a request: how an answer is made that was lost with the process. Absent: a repeat is answered that it is lost. */
  readonly recall?: Recall
}

/** Makes an answer again of what the first write of the request gave. */
export interface Recall {
  /** Kept in the commit of that write, as JSON, without secrets. Undefined: of this no answer can be made. */
  readonly keeps: (written: unknown) => unknown
  readonly answer: (kept: unknown, request: RecalledRequest, services: Services) => Promise<Answer>
}

interface RecalledRequest {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/** A body of whatever kind, as it came. */
interface BytesBody {
  readonly max: number
  /** Before any of it is read, with the query as it was checked. Throws where nothing is to be read now. */
  readonly admit: (sender: Sender, services: Services) => void
}

interface Sender {
  readonly query: Readonly<Record<string, unknown>>
  /** See `Requester`. */
  readonly address: string
}

/** One operation, as the table holds it. */
export interface Route extends RouteBase {
  readonly handle: (request: ApiRequest<never, never, never>, services: Services) => Promise<Answer>
}

interface RouteDefinition<
  Path extends string,
  Query extends JsonSchema,
  Body extends JsonSchema,
> extends RouteBase {
  readonly path: Path
  readonly query?: Query
  readonly body?: Body
  readonly handle: (
    request: ApiRequest<ParamsOf<Path>, Infer<Query>, Infer<Body>>,
    services: Services,
  ) => Promise<Answer>
}

/** Declares a route. The types of parameters, query and body follow from the path and the schemas. */
export function defineRoute<
  const Path extends string,
  const Query extends JsonSchema,
  const Body extends JsonSchema,
>(route: RouteDefinition<Path, Query, Body>): Route {
  return route
}
