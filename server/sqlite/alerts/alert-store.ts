import type { Alert, AlertProgress, NewAlert } from '../../../core/domain/alert.ts'
import { composeAlertId } from '../../../core/domain/ids.ts'
import type { AlertGroup } from '../../../core/domain/alert-group.ts'
import { NotFoundError, ValidationError } from '../../../core/errors/errors.ts'
import type {
  AlertFilter,
  AlertListRequest,
  AlertSort,
  AlertStore,
  AwaitingAlert,
  ListedAlert,
  OnceKey,
  ReceivedAlert,
  ReceiveRequest,
} from '../../../core/ports/alert-store.ts'
import type { ListPage, OrganizationScope } from '../../../core/ports/common.ts'
import { awaitingStatus, receivedAlert } from '../../../core/transitions/alert.ts'
import { listGroups, queueFirst } from './alert-groups.ts'
import { requireSameAlert } from '../../../core/transitions/idempotency.ts'
import { findAlertOfRequest, keepAlertRequest } from './alert-requests.ts'
import {
  findAlert,
  insertAlert,
  rowsWithin,
  selectAlert,
  selectPreviewedAlert,
  selectSizedAlert,
  storedPreview,
  toAlert,
  toListedAlert,
  toPreviewedAlert,
  type AlertRow,
  type PreviewedAlertRow,
  wasAlertDeleted,
  type SizedAlertRow,
} from './alert-rows.ts'
import { ofCase } from '../cases/case-rows.ts'
import type { AlertIndexer } from './alert-indexer.ts'
import { searchQuery } from './alert-search.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { filterBy, listPage, requireLimit, type Condition, type Order } from '../database/paging.ts'
import { needsIndex, type ListedRows } from '../context/listed-rows.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { havingObservable } from '../observables/observable-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { wakeWaits } from '../events/wake-waits.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

/** Maximum of contents that a starting process loads at once. */
const maxRecoveredBytes = 16 * 1_048_576

/** Keys rise with the creation, so that sorting by key is sorting by time, even if the clock is set back. */
const byChange = { column: 't.modified_at', valueOf: (row: AlertRow) => row.modifiedAt }
const byStatus = { column: 't.status', valueOf: (row: AlertRow) => row.status }

const orders: Readonly<Record<AlertSort, Order<AlertRow>>> = {
  created_at: { descending: false },
  '-created_at': { descending: true },
  modified_at: { descending: false, by: byChange },
  '-modified_at': { descending: true, by: byChange },
  investigation_status: { descending: false, by: byStatus },
  '-investigation_status': { descending: true, by: byStatus },
}

const selectProgress =
  'SELECT status, retry_count AS retryCount, modified_at AS modifiedAt FROM alerts WHERE uuid = ?'
const selectRecoveryAttempts = 'SELECT take_ups AS recoveryAttempts FROM alerts WHERE id = ?'

export class SqliteAlertStore extends SqliteStore implements AlertStore {
  readonly #indexer: AlertIndexer
  readonly #listed: ListedRows

  constructor(context: StoreContext, indexer: AlertIndexer, listed: ListedRows) {
    super(context)
    this.#indexer = indexer
    this.#listed = listed
  }

  create(alert: NewAlert): Promise<Alert> {
    return this.commits.write(() => this.#insert(alert).alert)
  }

  createOnce(given: NewAlert, once: OnceKey): Promise<{ readonly alert: Alert; readonly replayed: boolean }> {
    return this.receive(given, { once })
  }

  receive(given: NewAlert, { once, firstRun }: ReceiveRequest): Promise<ReceivedAlert> {
    return this.commits.write(() => {
      const now = this.clock.now()
      const earlier = once && findAlertOfRequest(this.database, given.createdBy, once.key, now)
      if (once && earlier) return { alert: requireSameAlert(earlier, given, once.key), replayed: true }
      const { alert, keys } = this.#insert(given)
      if (once !== undefined) keepAlertRequest(this.database, alert, once, now)
      const first = firstRun?.(alert)
      const run = first && queueFirst(this.context, first, { ...alert, ...keys, caseRow: null, isListed: 0 })
      return { alert, replayed: false, run }
    })
  }

  find(scope: OrganizationScope, idOrUuid: string): Promise<Alert | undefined> {
    return this.database.read(() => {
      const alert = findAlert(this.database, idOrUuid)
      return alert && isInScope(scope, alert.organizationUuid) ? alert : undefined
    })
  }

  progress(uuid: string): Promise<AlertProgress | undefined> {
    return this.database.read(() => this.database.get<AlertProgress>(selectProgress, uuid))
  }

  wasDeleted(scope: OrganizationScope, id: string): Promise<boolean> {
    return this.database.read(() => wasAlertDeleted(this.database, scope, id))
  }

  async list(
    scope: OrganizationScope,
    filter: AlertFilter,
    page: AlertListRequest,
  ): Promise<ListPage<ListedAlert>> {
    if (filter.words !== undefined) await this.#indexer.catchUp()
    const { contentBytes, hasPreviews = false } = page
    const filters = [...scopeConditions(scope, 't.organization_id'), ...filterConditions(filter)]
    const order = orders[page.sort ?? '-created_at']
    const isIndexed = filter.words === undefined && needsIndex(filters, order)
    const conditions = isIndexed ? [...(await this.#listed.condition('alerts')), ...filters] : filters
    const queryOf = (select: string) => ({
      name: 'alerts',
      page,
      order,
      ...(filter.words === undefined
        ? { select, table: 'alerts t', conditions }
        : searchQuery(select, filter.words, conditions)),
    })
    return this.database.read(() => {
      if (contentBytes !== undefined)
        return listPage<SizedAlertRow, ListedAlert>(this.database, {
          ...queryOf(selectSizedAlert),
          cut: (rows) => rowsWithin(rows, contentBytes),
          toItem: (row) => toAlert(this.database, row),
        })
      return hasPreviews
        ? listPage<PreviewedAlertRow, ListedAlert>(this.database, {
            ...queryOf(selectPreviewedAlert),
            toItem: toPreviewedAlert,
          })
        : listPage<AlertRow, ListedAlert>(this.database, { ...queryOf(selectAlert), toItem: toListedAlert })
    })
  }

  awaitingInvestigation(limit: number, after = ''): Promise<readonly AwaitingAlert[]> {
    return this.database.read(() => {
      const rows = this.database.all<SizedAlertRow>(
        `${selectSizedAlert} WHERE t.status = ${awaitingStatus} AND t.type IS NOT NULL
           AND t.id > ifnull((SELECT id FROM alerts WHERE uuid = ?), 0) ORDER BY t.id LIMIT ?`,
        after,
        requireLimit(limit),
      )
      return rowsWithin(rows, maxRecoveredBytes).map((row) => {
        const { recoveryAttempts } = this.database.one<{ recoveryAttempts: number }>(
          selectRecoveryAttempts,
          row.id,
        )
        return { ...toAlert(this.database, row), recoveryAttempts }
      })
    })
  }

  groups(scope: OrganizationScope, limit: number): Promise<readonly AlertGroup[]> {
    return this.database.read(() => listGroups(this.database, scope, this.clock.now(), requireLimit(limit)))
  }

  noteTakeUp(uuids: readonly string[]): Promise<void> {
    return this.commits.write(() => {
      for (const uuid of uuids)
        this.database.run('UPDATE alerts SET take_ups = take_ups + 1 WHERE uuid = ?', uuid)
    })
  }

  #insert(given: NewAlert) {
    requireInt64(given.createdAtSource)
    requireWellFormed(given)
    const organization = requireOrganization(this.database, given.organizationUuid)
    const provider = requireProvider(this.database, given.provider)
    const sequence = takeSequence(this.database, organization.id, provider.id)
    const now = this.clock.now()
    const alert = receivedAlert({
      ...given,
      id: composeAlertId(organization.code, provider.code, sequence),
      uuid: makeUuid(now),
      provider: provider.code,
      organizationUuid: organization.uuid,
      organizationCode: organization.code,
      createdAt: now,
    })
    const keys = { organizationRow: organization.id, sequence }
    const row = insertAlert(this.database, alert, {
      ...keys,
      providerRow: provider.id,
      contentPreview: storedPreview(given.content),
    })
    this.database.run('INSERT INTO alert_contents (alert_id, content) VALUES (?, ?)', row, given.content)
    wakeWaits(this.database, { row, organizationRow: organization.id, type: alert.type })
    this.#indexer.soon()
    if (this.database.triggers.wanted.entities) noteAlert(this.database, organization.id, row, now)
    return { alert, keys: { ...keys, row } }
  }
}

/** Its observables are counted later: a sender does not wait for that. */
function noteAlert(database: Database, organizationId: number, alertRow: number, at: number): void {
  database.run(
    `INSERT INTO trigger_events (organization_id, at, kind, subject_id, chain) VALUES (?, ?, 'alert', ?, '[]')`,
    organizationId,
    at,
    alertRow,
  )
  database.triggers.onNoted()
}

/** In the transaction of the alert, so that a rollback leaves no gap. */
function takeSequence(database: Database, organizationId: number, providerId: number): number {
  const row = database.get<{ last: number }>(
    'UPDATE alert_sequences SET last = last + 1 WHERE organization_id = ? AND provider_id = ? RETURNING last',
    organizationId,
    providerId,
  )
  if (row !== undefined) return row.last
  database.run(
    'INSERT INTO alert_sequences (organization_id, provider_id, last) VALUES (?, ?, 1)',
    organizationId,
    providerId,
  )
  return 1
}

function requireProvider(database: Database, code: string): { readonly id: number; readonly code: string } {
  const row = database.cache.get(`provider ${code}`, () =>
    database.get<{ id: number; code: string }>('SELECT id, code FROM providers WHERE code = ?', code),
  )
  if (row === undefined) {
    throw new NotFoundError('provider_not_found', `there is no provider '${code.slice(0, 64)}'`)
  }
  return row
}

function requireInt64(value: bigint | null): void {
  if (value === null || BigInt.asIntN(64, value) === value) return
  const message = 'must be a 64-bit integer'
  throw new ValidationError('out_of_range', `created_at_source ${message}`, [
    { pointer: '/created_at_source', message },
  ])
}

/** UTF-8 and the database cannot store half of a surrogate pair, and alerts are stored unchanged or not at all. */
function requireWellFormed({ content, type }: NewAlert): void {
  const field = !content.isWellFormed()
    ? 'alert_content'
    : type?.isWellFormed() === false
      ? 'alert_type'
      : undefined
  if (field === undefined) return
  const message = 'contains a lone surrogate (\\ud800 to \\udfff), which is not valid text'
  throw new ValidationError('not_well_formed', `${field} ${message}`, [{ pointer: `/${field}`, message }])
}

function filterConditions(filter: AlertFilter): readonly Condition[] {
  const idOf = (table: string) => `(SELECT id FROM ${table} WHERE code = ?)`
  return [
    ...filterBy(`t.organization_id = ${idOf('organizations')}`, filter.organization),
    ...filterBy(`t.provider_id = ${idOf('providers')}`, filter.provider),
    ...filterBy('t.type = ?', filter.type),
    ...filterBy('t.status = ?', filter.status),
    ...(filter.caseId === undefined ? [] : [ofCase('t.case_id', filter.caseId)]),
    ...havingObservable('alerts', filter.observable),
    ...filterBy('t.created_at >= ?', filter.createdAfter),
    ...filterBy('t.created_at < ?', filter.createdBefore),
  ]
}
