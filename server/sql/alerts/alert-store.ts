import { eachTogether, known, together, type Work } from '../database/work.ts'
import type { Alert, AlertProgress, NewAlert } from '../../../core/domain/alert.ts'
import { composeAlertId } from '../../../core/domain/ids.ts'
import type { AlertGroup } from '../../../core/domain/alert-group.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
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
import { findGroup, listGroups, queueFirst } from './alert-groups.ts'
import { requireSameAlert } from '../../../core/transitions/idempotency.ts'
import { endedOf, progressOf, wasAlertDeleted } from './alert-progress.ts'
import { findAlertOfRequest, keepAlertRequest } from './alert-requests.ts'
import {
  findAlert,
  insertAlert,
  requireInt64,
  requireWellFormed,
  rowsWithin,
  selectAlert,
  selectMatchedAlert,
  selectPreviewedAlert,
  selectSizedAlert,
  toAlert,
  toListedAlert,
  toMatchedAlert,
  toPreviewedAlert,
  type AlertRow,
  type MatchedAlertRow,
  type PreviewedAlertRow,
  type SizedAlertRow,
} from './alert-rows.ts'
import { ofCase } from '../cases/case-rows.ts'
import type { AlertIndexer } from './alert-indexer.ts'
import { searchQuery } from './alert-search.ts'
import { foldAscii } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { filterBy, listPage, requireLimit, type Condition, type Order } from '../database/paging.ts'
import { needsIndex, type ListedRows } from '../context/listed-rows.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { havingObservable } from '../observables/observable-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { waitsForAlert, wakeWaits } from '../events/wake-waits.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
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

const insertContent = 'INSERT INTO alert_contents (alert_id, content) VALUES (?, ?)'
const selectRecoveryAttempts = 'SELECT take_ups AS "recoveryAttempts" FROM alerts WHERE id = ?'

export class SqlAlertStore extends SqlStore implements AlertStore {
  readonly #indexer: AlertIndexer
  readonly #listed: ListedRows

  constructor(context: StoreContext, indexer: AlertIndexer, listed: ListedRows) {
    super(context)
    this.#indexer = indexer
    this.#listed = listed
  }

  async create(given: NewAlert): Promise<Alert> {
    return (await this.receive(given, {})).alert
  }

  createOnce(given: NewAlert, once: OnceKey): Promise<{ readonly alert: Alert; readonly replayed: boolean }> {
    return this.receive(given, { once })
  }

  receive(given: NewAlert, request: ReceiveRequest): Promise<ReceivedAlert> {
    return this.writeIn({ organization: given.organizationUuid }, () => this.#receive(given, request))
  }

  *#receive(given: NewAlert, { once, firstRun, group }: ReceiveRequest): Work<ReceivedAlert> {
    const { database } = this
    const now = this.clock.now()
    const earlier = once && (yield* findAlertOfRequest(database, given.createdBy, once.key, now))
    if (once && earlier) return { alert: requireSameAlert(earlier, given, once.key), replayed: true }
    requireInt64(given.createdAtSource)
    requireWellFormed(given)
    const organization = yield* requireOrganization(database, given.organizationUuid)
    const provider = yield* requireProvider(database, given.provider)
    const [sequence, key, waits, open] = yield* together([
      takeSequence(database, organization.id, provider.id),
      database.nextKey('alerts'),
      waitsForAlert(database, organization.id, given.type),
      group === undefined ? known(undefined) : findGroup(database, organization.id, group),
    ])
    const alert = newAlert(given, organization, provider, sequence, now)
    const keys = { organizationRow: organization.id, sequence }
    const row = yield* insertAlert(database, key, alert, { ...keys, providerRow: provider.id })
    yield* database.send(insertContent, row, given.content)
    yield* wakeWaits(database, waits, row)
    this.#indexer.soon()
    if (database.triggers.wanted.entities) yield* noteAlert(database, organization.id, row, now)
    if (once !== undefined) yield* keepAlertRequest(database, alert, once, now)
    if (firstRun === undefined) return { alert, replayed: false }
    const state = { ...alert, ...keys, row, caseRow: null, isListed: 0 as const }
    const run = yield* queueFirst(this.context, firstRun(alert), state, group, open)
    return { alert, replayed: false, run }
  }

  find(scope: OrganizationScope, idOrUuid: string): Promise<Alert | undefined> {
    return this.read(function* () {
      const alert = yield* findAlert(this.database, idOrUuid)
      return alert && isInScope(scope, alert.organizationUuid) ? alert : undefined
    })
  }

  progress(uuid: string): Promise<AlertProgress | undefined> {
    return this.read(() => progressOf(this.database, uuid))
  }

  ended(ids: readonly string[]): Promise<readonly string[]> {
    return this.read(() => endedOf(this.database, ids))
  }

  wasDeleted(scope: OrganizationScope, id: string): Promise<boolean> {
    return this.read(() => wasAlertDeleted(this.database, scope, id))
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
        : searchQuery(this.database, select, filter.words, conditions)),
    })
    return this.read(function* () {
      if (contentBytes !== undefined)
        return yield* listPage<SizedAlertRow, ListedAlert>(this.database, {
          ...queryOf(selectSizedAlert),
          cut: (rows) => rowsWithin(rows, contentBytes),
          readItem: (row) => toAlert(this.database, row),
        })
      if (hasPreviews && filter.words !== undefined)
        return yield* listPage<MatchedAlertRow, ListedAlert>(this.database, {
          ...queryOf(selectMatchedAlert),
          toItem: toMatchedAlert(filter.words),
        })
      return hasPreviews
        ? yield* listPage<PreviewedAlertRow, ListedAlert>(this.database, {
            ...queryOf(selectPreviewedAlert),
            toItem: toPreviewedAlert,
          })
        : yield* listPage<AlertRow, ListedAlert>(this.database, {
            ...queryOf(selectAlert),
            toItem: toListedAlert,
          })
    })
  }

  awaitingInvestigation(limit: number, after = ''): Promise<readonly AwaitingAlert[]> {
    return this.read(function* () {
      const rows = yield* this.database.all<SizedAlertRow>(
        `${selectSizedAlert} WHERE t.status = ${awaitingStatus} AND t.type IS NOT NULL
           AND t.id > coalesce((SELECT id FROM alerts WHERE uuid = ?), 0) ORDER BY t.id LIMIT ?`,
        after,
        requireLimit(limit),
      )
      return yield* eachTogether(rowsWithin(rows, maxRecoveredBytes), (row) => this.#awaiting(row))
    })
  }

  *#awaiting(row: SizedAlertRow): Work<AwaitingAlert> {
    const { recoveryAttempts } = yield* this.database.one<{ recoveryAttempts: number }>(
      selectRecoveryAttempts,
      row.id,
    )
    return { ...(yield* toAlert(this.database, row)), recoveryAttempts }
  }

  groups(scope: OrganizationScope, limit: number): Promise<readonly AlertGroup[]> {
    return this.read(() => listGroups(this.database, scope, this.clock.now(), requireLimit(limit)))
  }

  noteTakeUp(uuids: readonly string[]): Promise<void> {
    return this.write(() => this.#countTakeUps(uuids, 1))
  }

  forgetTakeUp(uuids: readonly string[]): Promise<void> {
    return this.write(() => this.#countTakeUps(uuids, -1))
  }

  *#countTakeUps(uuids: readonly string[], change: 1 | -1): Work<void> {
    for (const uuid of uuids)
      yield* this.database.run('UPDATE alerts SET take_ups = take_ups + ? WHERE uuid = ?', change, uuid)
  }
}

const newAlert = (
  given: NewAlert,
  organization: OrganizationKey,
  provider: ProviderKey,
  sequence: number,
  now: number,
): Alert =>
  receivedAlert({
    ...given,
    id: composeAlertId(organization.code, provider.code, sequence),
    uuid: makeUuid(now),
    provider: provider.code,
    organizationUuid: organization.uuid,
    organizationCode: organization.code,
    createdAt: now,
  })

/** Its observables are counted later: a sender does not wait for that. */
function* noteAlert(database: Database, organizationId: number, alertRow: number, at: number): Work<void> {
  yield* database.run(
    `INSERT INTO trigger_events (organization_id, at, kind, subject_id, chain) VALUES (?, ?, 'alert', ?, '[]')`,
    organizationId,
    at,
    alertRow,
  )
  database.triggers.onNoted()
}

/** In the transaction of the alert, so that a rollback leaves no gap. */
function* takeSequence(database: Database, organizationId: number, providerId: number): Work<number> {
  const { last } = yield* database.one<{ last: number }>(
    `INSERT INTO alert_sequences (organization_id, provider_id, last) VALUES (?, ?, 1)
     ON CONFLICT (organization_id, provider_id) DO UPDATE SET last = alert_sequences.last + 1 RETURNING last`,
    organizationId,
    providerId,
  )
  return last
}

interface ProviderKey {
  readonly id: number
  readonly code: string
}

function* requireProvider(database: Database, code: string): Work<ProviderKey> {
  const row = yield* database.cache.get(`provider ${code}`, () =>
    database.get<ProviderKey>('SELECT id, code FROM providers WHERE lower(code) = ?', foldAscii(code)),
  )
  if (row === undefined) {
    throw new NotFoundError('provider_not_found', `there is no provider '${code.slice(0, 64)}'`)
  }
  return row
}

function filterConditions(filter: AlertFilter): readonly Condition[] {
  const idOf = (table: string) => `(SELECT id FROM ${table} WHERE lower(code) = ?)`
  return [
    ...filterBy(
      `t.organization_id = ${idOf('organizations')}`,
      filter.organization && foldAscii(filter.organization),
    ),
    ...filterBy(`t.provider_id = ${idOf('providers')}`, filter.provider && foldAscii(filter.provider)),
    ...filterBy('t.type = ?', filter.type),
    ...filterBy('t.status = ?', filter.status),
    ...(filter.caseId === undefined ? [] : [ofCase('t.case_id', filter.caseId)]),
    ...havingObservable('alerts', filter.observable),
    ...filterBy('t.created_at >= ?', filter.createdAfter),
    ...filterBy('t.created_at < ?', filter.createdBefore),
  ]
}
