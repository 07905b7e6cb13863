import type { ContentMatch } from '../observable/content-match.ts'
import type { AlertGroup, GroupOfAlert } from '../domain/alert-group.ts'
import type { Alert, AlertFacts, AlertProgress, AlertStatus, NewAlert } from '../domain/alert.ts'
import type { NewRun, Run } from '../domain/run.ts'
import type { ObservableKey } from '../observable/normalize-observable.ts'
import type { ListPage, ListRequest, OrganizationScope } from './common.ts'
import type { NewRunCase } from './runs/run-store.ts'

export interface AlertFilter {
  readonly organization?: string | undefined
  readonly provider?: string | undefined
  readonly type?: string | undefined
  readonly status?: AlertStatus | undefined
  readonly caseId?: string | undefined
  /** Alerts whose content has it, as far as they are indexed. */
  readonly observable?: ObservableKey | undefined
  /** Words that occur in the id, type or content (the first 65,536 characters): all of them, in any order and case. */
  readonly words?: string | undefined
  /** Stored at or after this time, in epoch milliseconds. */
  readonly createdAfter?: number | undefined
  /** Stored before this time, in epoch milliseconds. */
  readonly createdBefore?: number | undefined
}

/** Sort orders of a list of alerts; `-` is descending. */
export const alertSorts = [
  'created_at',
  '-created_at',
  'modified_at',
  '-modified_at',
  'investigation_status',
  '-investigation_status',
] as const

export type AlertSort = (typeof alertSorts)[number]

export interface AlertListRequest extends ListRequest {
  /** Default `-created_at`. */
  readonly sort?: AlertSort | undefined
  /** Includes contents of at most this many bytes, or of one alert; the page ends early. Default: none. */
  readonly contentBytes?: number | undefined
  /** Includes previews of contents, and where they match searched words; excludes `contentBytes`. Default false. */
  readonly hasPreviews?: boolean | undefined
}

/** An alert in a list: without content, unless the request asks for contents or previews. */
export type ListedAlert = Omit<Alert, 'content'> & {
  readonly [K in 'content' | 'contentPreview']?: string
} & {
  readonly contentMatch?: ContentMatch | undefined
}

/** Recognizes a repeated request of the same API key. */
export interface OnceKey {
  readonly key: string
  /** How long the key is kept, in milliseconds. */
  readonly keepMs: number
}

/** The first run of an alert, to be queued with it. */
export interface FirstRun {
  readonly run: Omit<NewRun, 'alertUuid'>
  /** Starts the run too, see `RunStore.queue`. */
  readonly begin: NewRunCase | undefined
}

export interface ReceiveRequest {
  /** See `createOnce`. Default: the request is not idempotent. */
  readonly once?: OnceKey | undefined
  /**
   * Called inside the write, possibly repeatedly. It must be safe for any alert: an error or a crash here refuses the alert.
   * Default: no run is queued.
   */
  readonly firstRun?: ((alert: Alert) => FirstRun) | undefined
  /** The group of the alert: if it is no repeat, its first run begins the group. Default: none. */
  readonly group?: GroupOfAlert | undefined
}

export interface ReceivedAlert {
  /** The stored alert; a repeated request gets the first alert in its current state. */
  readonly alert: Alert
  readonly replayed: boolean
  /** The run that was queued with the alert. Undefined: none; the alert is Created, and may be a repeat. */
  readonly run?: Run | undefined
}

/** An alert with status Created. */
export interface AwaitingAlert extends Alert {
  /** How many processes have found it with this status at their start. */
  readonly recoveryAttempts: number
}

export interface AlertStore {
  /** Assigns the id and the sequence number. Throws NotFoundError for an unknown organization or provider. */
  create(alert: NewAlert): Promise<Alert>
  /**
   * Idempotent `create`: while `key` is kept, a second call with the same alert and API key returns the first alert in its present
   * state. Throws ConflictError `idempotency_key_reused` for a different alert.
   */
  createOnce(alert: NewAlert, once: OnceKey): Promise<{ readonly alert: Alert; readonly replayed: boolean }>
  /** Like `create` or `createOnce`, with the facts of the alert (default: none); queues the first run of the alert in the same write, unless the alert is a repeat. */
  receive(alert: NewAlert & Partial<AlertFacts>, request: ReceiveRequest): Promise<ReceivedAlert>
  /** By id (ignoring case) or uuid. */
  find(scope: OrganizationScope, idOrUuid: string): Promise<Alert | undefined>
  /** By uuid; undefined if there is no such alert. Cheaper than `find`. */
  progress(uuid: string): Promise<AlertProgress | undefined>
  /** Those of these ids whose alerts have been investigated. */
  ended(ids: readonly string[]): Promise<readonly string[]>
  /** Whether retention has deleted the alert with this id; see `RetentionStore`. */
  wasDeleted(scope: OrganizationScope, id: string): Promise<boolean>
  list(scope: OrganizationScope, filter: AlertFilter, page: AlertListRequest): Promise<ListPage<ListedAlert>>
  /**
   * Alerts with a type whose investigation was not queued because of a crash, oldest first. Fewer than `limit` if they are large,
   * but at least one if any is left. `after`: uuid of the last alert of the previous batch.
   */
  awaitingInvestigation(limit: number, after?: string): Promise<readonly AwaitingAlert[]>
  /** Active groups with repeats, the largest first. */
  groups(scope: OrganizationScope, limit: number): Promise<readonly AlertGroup[]>
  /** Records that a process found these alerts with status Created, before it investigates them. */
  noteTakeUp(uuids: readonly string[]): Promise<void>
  /** Undoes `noteTakeUp` for alerts that could not be queued without a crash, such as while the disk is full. */
  forgetTakeUp(uuids: readonly string[]): Promise<void>
}
