/**
 * What core needs from outside. Adapters live in `server`; each port has one contract test suite (test/contract) that every
 * adapter must pass. All store operations are atomic: when the promise resolves, all of it is durable; when it rejects, none of
 * it happened. The organization is an argument that cannot be left out, and so is who does it (`by`) where the audit log
 * records it: the entry is written with the action, or neither is.
 */

import type { Alert, AlertStatus, NewAlert } from './domain/alert.ts'
import type { AlertGroup } from './domain/alert-group.ts'
import type { ApiKey } from './domain/api-key.ts'
import type { Actor } from './domain/audit.ts'
import type { ChangeSource } from './domain/change.ts'
import type { CheckpointAnswer } from './domain/checkpoint.ts'
import type { Connection, ConnectionFailure } from './domain/connection.ts'
import type { UnavailableError } from './errors/errors.ts'
import type { Organization } from './domain/organization.ts'
import type { HeldUse, OwnDestructiveLimits } from './domain/destructive-use.ts'
import type { StepMasks } from './domain/mask.ts'
import type { Pause } from './domain/pause.ts'
import type { Provider } from './domain/provider.ts'
import type { FailedAttempt, JournalEntry, Run, StepDecision, StoredError, NewRun } from './domain/run.ts'
import type { loggedFields } from './common/logged-fields.ts'
import type { RefusalReason, Secret } from './plugin/index.ts'
import type { AuditStore } from './ports/audit-store.ts'
import type { CaseStore } from './ports/case-store.ts'
import type { AnswerOutcome, CheckpointStore } from './ports/runs/checkpoint-store.ts'
import type { DestructiveCall, DestructiveUseStore, ReservedUses } from './ports/runs/destructive-use-store.ts'
import type { LineStore } from './ports/runs/journal-reader.ts'
import type { Page, PageRequest, Scope } from './ports/common.ts'
import type { PlaybookStore } from './ports/playbook-store.ts'
import type { RequestStore } from './ports/access/request-store.ts'
import type { RetentionStore } from './ports/retention-store.ts'
import type { RunStore } from './ports/runs/run-store.ts'
import type { SessionStore } from './ports/access/session-store.ts'

export type * from './ports/audit-store.ts'
export * from './ports/case-store.ts'
export type * from './ports/runs/checkpoint-store.ts'
export type * from './ports/runs/destructive-use-store.ts'
export type * from './ports/runs/journal-reader.ts'
export type { Page, PageRequest, Scope } from './ports/common.ts'
export type * from './ports/playbook-store.ts'
export type * from './ports/access/request-store.ts'
export type * from './ports/retention-store.ts'
export type * from './ports/runs/run-store.ts'
export type * from './ports/access/session-store.ts'

export interface OrganizationStore {
  list(scope: Scope): Promise<readonly Organization[]>
  /** Throws ConflictError `organization_exists`. */
  create(organization: CodeAndName, by: Actor): Promise<Organization>
  /** Throws NotFoundError `organization_not_found`, ConflictError `revision_changed`. */
  rename(uuid: string, name: string, revision: SeenRevision, by: Actor): Promise<Organization>
  /** Sets all of its own limits of destructive actions. Throws as `rename` does. */
  limit(uuid: string, limits: OwnDestructiveLimits, revision: SeenRevision, by: Actor): Promise<Organization>
}

export interface ProviderStore {
  list(): Promise<readonly Provider[]>
  /** Throws ConflictError `provider_exists`. */
  create(provider: CodeAndName, by: Actor): Promise<Provider>
  /** By its code. Throws NotFoundError `provider_not_found`, ConflictError `revision_changed`. */
  rename(code: string, name: string, revision: SeenRevision, by: Actor): Promise<Provider>
}

export interface CodeAndName {
  readonly code: string
  readonly name: string
}

/** Of what is about to be edited, the revision that whoever edits it has seen; undefined: whichever it is. */
export type SeenRevision = number | undefined

export interface KeyStore {
  /** `secretHash`: SHA-256 of the key's secret part. */
  create(key: NewApiKey, by: Actor): Promise<ApiKey>
  /** By the id inside the key's text, with the stored hash to compare. */
  find(id: string): Promise<{ readonly key: ApiKey; readonly secretHash: Uint8Array } | undefined>
  list(): Promise<readonly ApiKey[]>
  /**
   * Makes the key useless for good; it stays in the list. A revoked key stays as it is. Throws NotFoundError `key_not_found`,
   * and ConflictError `last_admin_key` for the last administrator's key for all organizations that goes on for a week.
   */
  revoke(id: string, by: Actor): Promise<ApiKey>
  /** Remembers when the key was used, in epoch milliseconds. */
  recordUse(id: string, at: number): Promise<void>
}

export interface NewApiKey {
  readonly id: string
  readonly name: string
  readonly role: ApiKey['role']
  readonly organizationUuids: readonly string[] | null
  readonly secretHash: Uint8Array
  /** Epoch milliseconds; null never. */
  readonly expiresAt: number | null
}

export interface AlertFilter {
  readonly organization?: string | undefined
  readonly provider?: string | undefined
  readonly type?: string | undefined
  readonly status?: AlertStatus | undefined
  readonly caseId?: string | undefined
  /** Words that stand in its id, type or content (its first 65,536 characters): all of them, in any order and letter case. */
  readonly words?: string | undefined
  /** Stored at this time or later, in epoch milliseconds. */
  readonly createdAfter?: number | undefined
  /** Stored before this time, in epoch milliseconds. */
  readonly createdBefore?: number | undefined
}

/** By what a list of alerts can be sorted; with `-` downwards. */
export const alertSorts = [
  'created_at',
  '-created_at',
  'modified_at',
  '-modified_at',
  'investigation_status',
  '-investigation_status',
] as const
export type AlertSort = (typeof alertSorts)[number]

export interface AlertPageRequest extends PageRequest {
  /** Default `-created_at`. */
  readonly sort?: AlertSort | undefined
  /** Rows carry their content: so many bytes at most, or one row; then the page ends early. Default: they do not. */
  readonly contentBytes?: number | undefined
  /** Rows carry the beginning of their content; not together with `contentBytes`. Default: they do not. */
  readonly hasPreviews?: boolean | undefined
}

/** An alert as lists show it: without its content, or with it or its beginning where that is asked for. */
export type ListedAlert = Omit<Alert, 'content'> & { readonly [K in 'content' | 'contentPreview']?: string }

/** What makes a repeated request known; belongs to the API key that creates the alert. */
export interface OnceKey {
  readonly key: string
  /** Milliseconds for which it is kept. */
  readonly keepMs: number
}

/** An alert left at Created. */
export interface AwaitingAlert extends Alert {
  /** How often it has been taken up by a process that found it so. */
  readonly takeUps: number
}

export interface AlertStore {
  /** Gives the alert its id and its place in the sequence. Throws NotFoundError for an unknown organization or provider. */
  create(alert: NewAlert): Promise<Alert>
  /**
   * The same, once: while `key` is kept, a second call with the same alert, by the same API key, answers with the first one as
   * it is then. Throws ConflictError `idempotency_key_reused` when the alert is another.
   */
  createOnce(alert: NewAlert, once: OnceKey): Promise<{ readonly alert: Alert; readonly replayed: boolean }>
  /** By id (ignoring case) or uuid. */
  find(scope: Scope, idOrUuid: string): Promise<Alert | undefined>
  /** Whether there was an alert with this id that is kept no longer; see `RetentionStore`. */
  wasDeleted(scope: Scope, id: string): Promise<boolean>
  list(scope: Scope, filter: AlertFilter, page: AlertPageRequest): Promise<Page<ListedAlert>>
  /**
   * Oldest first: alerts with a type whose investigation has not been queued as a run: Created, after a crash. Fewer than `limit`
   * where they are large, but never none while there are any. `after`: uuid of the last alert of the batch before.
   */
  awaitingInvestigation(limit: number, after?: string): Promise<readonly AwaitingAlert[]>
  /** Groups that have repeats and whose time is not over: the largest first. */
  groups(scope: Scope, limit: number): Promise<readonly AlertGroup[]>
  /** Notes, before it is done, that these alerts are taken up by a process that found them left at Created. */
  noteTakeUp(uuids: readonly string[]): Promise<void>
}

/** What a run remembers. Keyed by run and path. */
export interface JournalStore {
  /**
   * The intent: committed before the work begins. A second `begin` of a path changes nothing, except that one with a higher
   * attempt raises `attempt` in the entry: this tells a try that was under way from one that was still waited for. A use of a
   * destructive skill is counted with it, once per path; one that would exceed the limit is held back: nothing begins, and the
   * audit log says so.
   */
  begin(runUuid: string, entry: JournalBegin): Promise<HeldUse | undefined>
  /** Counts all these uses of a destructive skill before they begin, or none: then they are held back as by `begin`. */
  reserve(runUuid: string, uses: ReservedUses): Promise<HeldUse | undefined>
  /** Takes back what was counted for these paths and has not begun there. */
  release(runUuid: string, paths: readonly string[]): Promise<void>
  /** A try failed, and is not the last. */
  attemptFailed(runUuid: string, attempt: FailedAttempt): Promise<void>
  /** The result. Throws ConflictError `step_has_ended` when there is one already. */
  end(runUuid: string, path: string, end: JournalEnd): Promise<void>
  /** A step that needs no intent, e.g. `set`: begun and ended in one write. */
  record(runUuid: string, entry: JournalBegin, end: JournalEnd): Promise<void>
  /** In the order in which they began. */
  entries(runUuid: string): Promise<readonly JournalEntry[]>
  failedAttempts(runUuid: string): Promise<readonly FailedAttempt[]>
  /** What of a journal can be read at once, however large it is. */
  excerpt(runUuid: string, limits: ExcerptLimits): Promise<JournalExcerpt>
  /**
   * Nobody knows whether the step took effect: it becomes `unknown`, and its run `waiting`; `tried` is how its try ended, where that
   * was not by a crash. Repeating it changes nothing.
   */
  park(runUuid: string, path: string, tried?: FailedAttempt): Promise<void>
  /**
   * A person's word about an `unknown` step; one wins. `ran` completes it with the output, `skip` skips it, `run_again` notes
   * that the try failed, so that another follows. Throws NotFoundError `step_not_found`, ConflictError `step_not_unknown`.
   */
  resolve(runUuid: string, path: string, resolution: NewResolution): Promise<JournalEntry>
  entry(runUuid: string, path: string): Promise<JournalEntry | undefined>
}

export interface ExcerptLimits {
  /** So many of the first. */
  readonly first: number
  /** So many of the newest, and of those that are `unknown`. */
  readonly newest: number
  /** Of inputs and outputs together, `unknown` steps and then the newest before others: what does not fit is null. */
  readonly bytes: number
}

export interface JournalExcerpt {
  /** In the order in which they began. */
  readonly entries: readonly JournalEntry[]
  /** Paths of those whose input and output are left out. */
  readonly emptied: ReadonlySet<string>
  /** Of these entries; at most as many as `first`. */
  readonly failedAttempts: readonly FailedAttempt[]
  /** Of the whole journal. */
  readonly total: number
}

export interface NewResolution {
  readonly decision: StepDecision
  /** For `ran`; else null. */
  readonly output: unknown
  readonly by: Actor
}

/** What the other system of a connection sent, and what it means. */
export interface InboundCall {
  readonly organizationUuid: string
  readonly connectionUuid: string
  /** Of the HTTP request that it came by. */
  readonly requestId: string
  /** What it repeats when it sends the same again, and for how many milliseconds a repeat is known. */
  readonly once: { readonly key: string; readonly keepMs: number } | undefined
  readonly answers: readonly JudgedAnswer[]
  /** See `Connection`. */
  readonly broken: string | undefined
  readonly warning: string | undefined
}

export interface JudgedAnswer extends Omit<CheckpointAnswer, 'at'> {
  readonly checkpointId: string
  /** Why it cannot count; null: it does, if it is the first and in time. */
  readonly refused: RefusalReason | null
}

export interface InboundStore {
  /**
   * All that one call brings, in one write: that it came, its answers, what became known of the connection. Gives what became of
   * the answers, in order; undefined for the repeat of a call, which changes nothing. Throws NotFoundError
   * `connection_not_found`, `checkpoint_not_found`.
   */
  take(call: InboundCall): Promise<readonly AnswerOutcome[] | undefined>
}

/** When a playbook runs next in an organization. */
export interface StoredSchedule {
  readonly playbookName: string
  readonly organizationUuid: string
  readonly cron: string
  /** Epoch milliseconds. */
  readonly nextAt: number
}

export interface ScheduleStore {
  /**
   * Keeps exactly these. One that is there with the same cron keeps its next time, also an overdue one, unless that is more than
   * three hours after the one given here: then the clock has been set back.
   */
  keep(schedules: readonly StoredSchedule[]): Promise<readonly StoredSchedule[]>
  /**
   * Moves on to `nextAt` and queues the run, in one: undefined when somebody else did, or when the run before has not ended
   * and may not overlap.
   */
  fire(
    schedule: StoredSchedule,
    nextAt: number,
    run: NewRun,
    options: { readonly overlap: boolean },
  ): Promise<Run | undefined>
}

export interface JournalBegin {
  readonly path: string
  readonly stepId: string | null
  readonly kind: string
  readonly input: unknown
  /** Where something sensitive stands in the input, and will in the output: what is kept is encrypted. Undefined: nowhere. */
  readonly sensitive?: StepMasks | undefined
  /** The try that begins, from 1. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Of a call of a destructive skill, which goes into the audit log. Default: it is none. */
  readonly destructive?: DestructiveCall | undefined
}

export interface JournalEnd {
  readonly state: 'completed' | 'failed' | 'skipped'
  readonly output: unknown
  /** What is kept of the output is encrypted. Default false. */
  readonly isSensitive?: boolean | undefined
  readonly error: StoredError | null
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly endedAt: number
  /** Of a destructive skill: it is known that the step changed nothing, so that the use is counted no longer. Default false. */
  readonly changedNothing?: boolean | undefined
}

export interface ConnectionStore {
  /** Secrets are encrypted at rest. Throws ConflictError `connection_exists`. */
  create(organizationUuid: string, connection: NewConnection, by: Actor): Promise<Connection>
  list(scope: Scope): Promise<readonly Connection[]>
  /** With its secrets, for calling skills. Name compared ignoring case. */
  open(organizationUuid: string, name: string): Promise<OpenConnection | undefined>
  /**
   * Throws NotFoundError `connection_not_found`, ConflictError `revision_changed`.
   *
   * @param changes or what makes them of what is stored, which nobody else changes meanwhile; what it throws leaves all as it is
   */
  update(
    organizationUuid: string,
    uuid: string,
    changes: ConnectionChanges | ((stored: StoredConnection) => ConnectionChanges),
    revision: SeenRevision,
    by: Actor,
  ): Promise<Connection>
  /** With its secrets. Throws NotFoundError `connection_not_found`, ConflictError `revision_changed`. */
  remove(organizationUuid: string, uuid: string, revision: SeenRevision, by: Actor): Promise<void>
  /**
   * The token that stands in the addresses to which the other system sends. Belongs to this connection alone, from its creation
   * until its end. Throws NotFoundError `connection_not_found`.
   */
  eventsToken(organizationUuid: string, uuid: string): Promise<Secret>
  /** Another token takes its place, at once. Throws NotFoundError `connection_not_found`. */
  rotateEventsToken(organizationUuid: string, uuid: string, by: Actor): Promise<Connection>
  /** The connection that a token belongs to, with its secrets. */
  openByEventsToken(token: string): Promise<OpenConnection | undefined>
  /**
   * Its credentials work, as was found out at `asOf` (epoch milliseconds): what made it broken or was a warning until then is
   * forgotten. `warning`: what is to be said about it now. Throws NotFoundError `connection_not_found`.
   */
  works(
    organizationUuid: string,
    uuid: string,
    found: { readonly asOf: number; readonly warning: string | null },
    by: Actor,
  ): Promise<Connection>
  /** Keeps how it was refused; null: it has worked. Nothing happens to one that is gone. */
  used(organizationUuid: string, uuid: string, failure: ConnectionFailure | null): Promise<void>
}

/** What is absent stays as it is. With settings or secrets, what made it broken or was a warning is forgotten. */
export interface ConnectionChanges {
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** All of them, entered now: one that is not named is deleted. */
  readonly secrets?: Readonly<Record<string, Secret>> | undefined
  readonly enabled?: boolean | undefined
}

export interface StoredConnection {
  readonly connection: Connection
  /** Throws ConnectionError `secret_unreadable`. */
  readonly secrets: () => OpenConnection['secrets']
}

export interface NewConnection {
  readonly name: string
  readonly plugin: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, Secret>>
}

export interface OpenConnection {
  readonly connection: Connection
  readonly secrets: Readonly<Record<string, Secret>>
}

/** Everything that is kept. */
export interface PauseStore {
  /** Undefined: runs are not paused. */
  get(): Promise<Pause | undefined>
  /** An earlier pause stays, and is given. */
  pause(reason: string, by: Actor): Promise<Pause>
  resume(by: Actor): Promise<void>
}

export interface Stores {
  readonly organizations: OrganizationStore
  readonly providers: ProviderStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly requests: RequestStore
  readonly alerts: AlertStore
  readonly cases: CaseStore
  readonly playbooks: PlaybookStore
  readonly runs: RunStore
  readonly journal: JournalStore
  readonly lines: LineStore
  readonly destructiveUses: DestructiveUseStore
  readonly checkpoints: CheckpointStore
  readonly inbound: InboundStore
  readonly schedules: ScheduleStore
  readonly pause: PauseStore
  readonly connections: ConnectionStore
  readonly audit: AuditStore
  readonly retention: RetentionStore
  /** What is written by this process. */
  readonly changes: ChangeSource
  /** Does a write transaction; rejects with UnavailableError when the store cannot take one. */
  probe(): Promise<void>
  /**
   * Why nothing that is written from now on would be found again: the files were deleted, moved or replaced. All writes are refused
   * with it. Undefined while they are where they were opened.
   */
  gone(): UnavailableError | undefined
  /** Commits what is under way and lets go of the files. Later calls reject. */
  close(): Promise<void>
}

/** Time, so that tests can hold it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that have really passed, whatever the time is set to. Default: as `now` says. */
  monotonic?(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The one way out to other systems. */
export interface Egress {
  /**
   * Sends one request, follows no redirect, retries nothing. Rejects with RetryableError (network, TLS, name resolution),
   * ForbiddenError `egress_forbidden` (address or scheme not allowed), SkillError `response_too_large` or `bad_header`, or the
   * signal's reason.
   */
  send(request: EgressRequest): Promise<EgressResponse>
}

export interface EgressRequest {
  /** On whose behalf, for the figures; default: nobody's. */
  readonly plugin?: string | undefined
  /** Whose request it is: it travels on no socket that carries requests of others. Default: nobody's. */
  readonly organizationUuid?: string | undefined
  /**
   * Whether the address is that of a connection, which an administrator has made. Only then may it be private, where the operator allows
   * it. Default false: a playbook's author chose the address.
   */
  readonly isConnection?: boolean | undefined
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Names in lower case; none that frames the message, which is the way out's own. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
  /** Told once, before the other system can have any of the request. Default: nobody is. */
  readonly onSent?: (() => void) | undefined
}

export interface EgressResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed, at most 10 MB. */
  readonly body: string
}

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** What is written out has a name of the list: a log drops the rest. */
export type LogFields = Readonly<Partial<Record<(typeof loggedFields)[number], unknown>>>
