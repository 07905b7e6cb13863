import type { AlertGroup } from '../domain/alert-group.ts'
import type { Alert, AlertStatus, NewAlert } from '../domain/alert.ts'
import type { Page, PageRequest, Scope } from './common.ts'

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
