import { alertStatus, type Alert, type NewAlert } from '../../../core/domain/alert.ts'
import { composeAlertId } from '../../../core/domain/ids.ts'
import type { AlertGroup } from '../../../core/domain/alert-group.ts'
import { NotFoundError, ValidationError } from '../../../core/errors/errors.ts'
import type {
  AlertFilter,
  AlertPageRequest,
  AlertSort,
  AlertStore,
  AwaitingAlert,
  ListedAlert,
  OnceKey,
} from '../../../core/ports/alert-store.ts'
import type { Page, Scope } from '../../../core/ports/common.ts'
import { listGroups } from './alert-groups.ts'
import { findAlertOfRequest, keepAlertRequest, requireSame } from './alert-requests.ts'
import {
  findAlert,
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
import { listPage, requireLimit, type Condition, type Order } from '../database/paging.ts'
import { isInScope, scopeConditions } from '../context/scope.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

/** Content that a process which has just started takes into memory at once. */
const maxRecoveredBytes = 16 * 1_048_576

/** Alerts are made in the order of their keys: sorting by the key is sorting by the time, also when the clock is set back. */
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

const selectTakeUps = 'SELECT take_ups AS takeUps FROM alerts WHERE id = ?'

export class SqliteAlertStore implements AlertStore {
  readonly #context: StoreContext
  readonly #indexer: AlertIndexer

  constructor(context: StoreContext, indexer: AlertIndexer) {
    this.#context = context
    this.#indexer = indexer
  }

  create(alert: NewAlert): Promise<Alert> {
    const { commits } = this.#context
    return commits.write(() => this.#insert(alert))
  }

  createOnce(given: NewAlert, once: OnceKey): Promise<{ readonly alert: Alert; readonly replayed: boolean }> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const now = clock.now()
      const earlier = findAlertOfRequest(database, given.createdBy, once.key, now)
      if (earlier !== undefined) return { alert: requireSame(earlier, given, once.key), replayed: true }
      const alert = this.#insert(given)
      keepAlertRequest(database, alert, once, now)
      return { alert, replayed: false }
    })
  }

  find(scope: Scope, idOrUuid: string): Promise<Alert | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const alert = findAlert(database, idOrUuid)
      return alert && isInScope(scope, alert.organizationUuid) ? alert : undefined
    })
  }

  wasDeleted(scope: Scope, id: string): Promise<boolean> {
    const { database } = this.#context
    return database.read(() => wasAlertDeleted(database, scope, id))
  }

  async list(scope: Scope, filter: AlertFilter, page: AlertPageRequest): Promise<Page<ListedAlert>> {
    const { database } = this.#context
    if (filter.words !== undefined) await this.#indexer.catchUp()
    const { contentBytes, hasPreviews = false } = page
    const conditions = [...scopeConditions(scope, 't.organization_id'), ...filterConditions(filter)]
    const queryOf = (select: string) => ({
      name: 'alerts',
      page,
      order: orders[page.sort ?? '-created_at'],
      ...(filter.words === undefined
        ? { select, table: 'alerts t', conditions }
        : searchQuery(select, filter.words, conditions)),
    })
    return database.read(() => {
      if (contentBytes !== undefined)
        return listPage<SizedAlertRow, ListedAlert>(database, {
          ...queryOf(selectSizedAlert),
          cut: (rows) => rowsWithin(rows, contentBytes),
          toItem: (row) => toAlert(database, row),
        })
      return hasPreviews
        ? listPage<PreviewedAlertRow, ListedAlert>(database, {
            ...queryOf(selectPreviewedAlert),
            toItem: toPreviewedAlert,
          })
        : listPage<AlertRow, ListedAlert>(database, { ...queryOf(selectAlert), toItem: toListedAlert })
    })
  }

  awaitingInvestigation(limit: number, after = ''): Promise<readonly AwaitingAlert[]> {
    const { database } = this.#context
    return database.read(() => {
      const rows = database.all<SizedAlertRow>(
        `${selectSizedAlert} WHERE t.status = 0 AND t.type IS NOT NULL
           AND t.id > ifnull((SELECT id FROM alerts WHERE uuid = ?), 0) ORDER BY t.id LIMIT ?`,
        after,
        requireLimit(limit),
      )
      return rowsWithin(rows, maxRecoveredBytes).map((row) => {
        const { takeUps } = database.one<{ takeUps: number }>(selectTakeUps, row.id)
        return { ...toAlert(database, row), takeUps }
      })
    })
  }

  groups(scope: Scope, limit: number): Promise<readonly AlertGroup[]> {
    const { database, clock } = this.#context
    return database.read(() => listGroups(database, scope, clock.now(), requireLimit(limit)))
  }

  noteTakeUp(uuids: readonly string[]): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      for (const uuid of uuids) database.run('UPDATE alerts SET take_ups = take_ups + 1 WHERE uuid = ?', uuid)
    })
  }

  #insert(given: NewAlert): Alert {
    const { database, clock } = this.#context
    requireInt64(given.createdAtSource)
    requireWellFormed(given)
    const organization = requireOrganization(database, given.organizationUuid)
    const provider = requireProvider(database, given.provider)
    const sequence = takeSequence(database, organization.id, provider.id)
    const now = clock.now()
    const uuid = makeUuid(now)
    const row = database.insert(
      `INSERT INTO alerts (uuid, organization_id, provider_id, sequence, type, created_at_source, created_by,
         created_at, modified_at, status, content_preview) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      uuid,
      organization.id,
      provider.id,
      sequence,
      given.type,
      given.createdAtSource,
      given.createdBy,
      now,
      now,
      alertStatus.created,
      storedPreview(given.content),
    )
    database.run('INSERT INTO alert_contents (alert_id, content) VALUES (?, ?)', row, given.content)
    this.#indexer.soon()
    return {
      id: composeAlertId(organization.code, provider.code, sequence),
      uuid,
      content: given.content,
      provider: provider.code,
      organizationUuid: organization.uuid,
      organizationCode: organization.code,
      type: given.type,
      createdAtSource: given.createdAtSource,
      createdBy: given.createdBy,
      createdAt: now,
      modifiedAt: now,
      status: alertStatus.created,
      retryCount: 0,
      investigator: null,
      caseId: null,
      completedAt: null,
      groupedWith: null,
      groupedBecause: null,
    }
  }
}

/** In the transaction of the alert itself: what is undone leaves no gap. */
function takeSequence(database: Database, organizationId: number, providerId: number): number {
  const { last } = database.one<{ last: number }>(
    `INSERT INTO alert_sequences (organization_id, provider_id, last) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
    organizationId,
    providerId,
  )
  return last
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
  const message = 'must be an integer of 64 bits'
  throw new ValidationError('out_of_range', `created_at_source ${message}`, [
    { pointer: '/created_at_source', message },
  ])
}

/** UTF-8, and so the database, cannot hold half of a surrogate pair; and an alert is kept as it came or not at all. */
function requireWellFormed({ content, type }: NewAlert): void {
  const field = !content.isWellFormed()
    ? 'alert_content'
    : type?.isWellFormed() === false
      ? 'alert_type'
      : undefined
  if (field === undefined) return
  const message = 'holds a lone surrogate (\\ud800 to \\udfff), which is no text'
  throw new ValidationError('not_well_formed', `${field} ${message}`, [{ pointer: `/${field}`, message }])
}

function filterConditions(filter: AlertFilter): readonly Condition[] {
  const conditions: Condition[] = []
  if (filter.organization !== undefined) {
    conditions.push({
      sql: 't.organization_id = (SELECT id FROM organizations WHERE code = ?)',
      values: [filter.organization],
    })
  }
  if (filter.provider !== undefined) {
    conditions.push({
      sql: 't.provider_id = (SELECT id FROM providers WHERE code = ?)',
      values: [filter.provider],
    })
  }
  if (filter.type !== undefined) conditions.push({ sql: 't.type = ?', values: [filter.type] })
  if (filter.status !== undefined) conditions.push({ sql: 't.status = ?', values: [filter.status] })
  if (filter.caseId !== undefined) conditions.push(ofCase('t.case_id', filter.caseId))
  if (filter.createdAfter !== undefined)
    conditions.push({ sql: 't.created_at >= ?', values: [filter.createdAfter] })
  if (filter.createdBefore !== undefined)
    conditions.push({ sql: 't.created_at < ?', values: [filter.createdBefore] })
  return conditions
}
