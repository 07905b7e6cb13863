import { eachTogether, type Work, type WriteScope } from '../database/work.ts'
import type { ObservableKey } from '../../../core/observable/normalize-observable.ts'
import type { CountedInCases } from '../../../core/observable/related-cases.ts'
import type { RunObservables } from '../../../core/observable/run-observables.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type {
  ObservableFilter,
  ObservableStore,
  RelatedCase,
  SeenFinding,
  SeenObservable,
  UnindexedAlert,
  UnindexedRun,
} from '../../../core/ports/derived/observable-store.ts'
import { findCaseRow } from '../cases/case-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { setFact } from '../database/facts.ts'
import { filterBy, listPage } from '../database/paging.ts'
import { followMoves, indexAlert, indexRun } from './index-writes.ts'
import { relatedCases } from './related-cases.ts'
import {
  beginsWith,
  isObservable,
  selectFinding,
  selectObservable,
  toFinding,
  toObservable,
  type FindingRow,
  type ObservableRow,
} from './observable-rows.ts'

/** Characters of the contents that are read at once. */
const maxCharacters = 1_048_576

/** Runs are indexed when they are this old: by then, most have a case and have ended. */
const settlingMs = 2_000

const factOf = (name: string): string => `(SELECT CAST(value AS bigint) FROM facts WHERE name = '${name}')`

/** Alerts that the lists know have settled as well, and none with a lower key is committed later. */
const selectAlerts = `
  SELECT b.alert_id AS row, b.content FROM alert_contents b
  WHERE b.alert_id > ${factOf('alerts_observed_to')} AND b.alert_id <= ${factOf('alerts_listed_to')} ORDER BY b.alert_id LIMIT ?`
const selectNewRuns = `
  SELECT id AS row, uuid, created_at AS "createdAt" FROM runs WHERE id > ${factOf('runs_observed_to')} ORDER BY id LIMIT ?`
const selectEndedRuns =
  'SELECT id AS row, uuid FROM runs WHERE observed_end = 0 AND ended_at IS NOT NULL ORDER BY id LIMIT ?'

const selectUnindexed = `
  SELECT (SELECT coalesce(max(id), 0) FROM alerts) - ${factOf('alerts_observed_to')} AS alerts,
    (SELECT coalesce(max(id), 0) FROM runs) - ${factOf('runs_observed_to')} AS runs`

/** What writes of the index exclude. They read cases of alerts and runs, which may change meanwhile: `followMoves` corrects that. */
const index: WriteScope = { row: 'observables' }

type IndexedAlerts = Parameters<ObservableStore['indexAlerts']>[0]

/** PostgreSQL expects many such rows: without the order, it reads the whole tables. */
const movedOf = (table: 'alerts' | 'runs') =>
  `(SELECT id FROM ${table} WHERE observed_case IS NOT NULL AND observed_case <> coalesce(case_id, 0) ORDER BY id LIMIT 1)`
const selectMoved = `SELECT ${movedOf('alerts')} AS alert, ${movedOf('runs')} AS run`

const byTime = { column: 't.at', valueOf: (row: FindingRow) => row.at }

export class SqlObservableStore extends SqlStore implements ObservableStore {
  /** Up to this key, all runs are visible. */
  #completeTo: number

  constructor(context: StoreContext) {
    super(context)
    this.#completeTo = this.database.hasOneWriter ? Number.MAX_SAFE_INTEGER : 0
  }

  nextAlerts(limit: number): Promise<readonly UnindexedAlert[]> {
    return this.read(function* () {
      const found: UnindexedAlert[] = []
      let characters = 0
      for (const alert of yield* this.database.all<UnindexedAlert>(selectAlerts, limit)) {
        characters += alert.content.length
        if (found.length > 0 && characters > maxCharacters) break
        found.push(alert)
      }
      return found
    })
  }

  async indexAlerts(found: IndexedAlerts): Promise<void> {
    // The groups of several writers wait for their longest write.
    const atOnce = this.database.hasOneWriter ? found.length : 1
    for (let at = 0; at < found.length; at += atOnce) await this.#indexAlerts(found.slice(at, at + atOnce))
  }

  #indexAlerts(found: IndexedAlerts): Promise<void> {
    return this.writeIn(index, function* () {
      for (const { row, observables } of found)
        if (row > (yield* this.#fact('alerts_observed_to')))
          yield* indexAlert(this.database, row, observables)
      yield* setFact(
        this.database,
        'alerts_observed_to',
        Math.max(found.at(-1)?.row ?? 0, yield* this.#fact('alerts_observed_to')),
      )
    })
  }

  async nextRuns(limit: number): Promise<readonly UnindexedRun[]> {
    const newRuns = () => this.read(() => this.#newRuns(limit))
    let found = await newRuns()
    if ((found.at(-1)?.row ?? 0) > this.#completeTo) {
      // Runs may become visible after runs with higher keys, but not while no other write is under way.
      this.#completeTo = await this.write(() => this.#newestRun())
      found = (await newRuns()).filter(({ row }) => row <= this.#completeTo)
    }
    return found.length > 0
      ? found
      : await this.read(() => this.database.all<UnindexedRun>(selectEndedRuns, limit))
  }

  *#newRuns(limit: number): Work<readonly UnindexedRun[]> {
    const rows = yield* this.database.all<UnindexedRun & { readonly createdAt: number }>(selectNewRuns, limit)
    const now = this.clock.now()
    const unsettled = rows.findIndex(({ createdAt }) => createdAt > now - settlingMs && createdAt <= now)
    const settled = unsettled === -1 ? rows : rows.slice(0, unsettled)
    return settled.map(({ row, uuid }) => ({ row, uuid }))
  }

  *#newestRun(): Work<number> {
    return (yield* this.database.one<{ row: number }>('SELECT coalesce(max(id), 0) AS row FROM runs')).row
  }

  indexRun(row: number, found: RunObservables): Promise<void> {
    return this.writeIn(index, function* () {
      yield* indexRun(this.database, row, found)
      if (row > (yield* this.#fact('runs_observed_to')))
        yield* setFact(this.database, 'runs_observed_to', row)
    })
  }

  async followMoves(limit: number): Promise<number> {
    // Mostly there are none, and a write costs more than a read.
    if (!(await this.read(() => this.#hasMoves()))) return 0
    const most = this.database.hasOneWriter ? limit : 1
    return await this.writeIn(index, function* () {
      const alerts = yield* followMoves(this.database, 'alerts', most)
      return alerts + (alerts < most ? yield* followMoves(this.database, 'runs', most - alerts) : 0)
    })
  }

  countUnindexed(): Promise<number> {
    return this.read(function* () {
      const { alerts, runs } = yield* this.database.one<{ alerts: number; runs: number }>(selectUnindexed)
      return Math.max(0, alerts) + Math.max(0, runs)
    })
  }

  list(
    scope: OrganizationScope,
    { kind, value, prefix }: ObservableFilter,
    page: ListRequest,
  ): Promise<ListPage<SeenObservable>> {
    return this.read(() =>
      listPage<ObservableRow, SeenObservable>(this.database, {
        name: 'observables',
        table: 'observables t',
        select: selectObservable,
        conditions: [
          ...scopeConditions(scope, 't.organization_id'),
          ...filterBy('t.value = ?', value),
          ...(prefix === undefined ? [] : [beginsWith(prefix)]),
          ...filterBy('t.kind = ?', kind),
        ],
        page,
        toItem: toObservable,
      }),
    )
  }

  findings(
    scope: OrganizationScope,
    observable: ObservableKey | undefined,
    page: ListRequest,
  ): Promise<ListPage<SeenFinding>> {
    const { sql, values } = isObservable(scope, observable)
    const isAny = scope === 'all' && observable === undefined
    return this.read(() =>
      listPage<FindingRow, SeenFinding>(this.database, {
        name: 'observable findings',
        table: 'observable_findings t',
        select: selectFinding,
        conditions: isAny
          ? []
          : [{ sql: `t.observable_id IN (SELECT t.id FROM observables t WHERE ${sql})`, values }],
        page,
        order: { descending: page.oldestFirst !== true, ...(observable !== undefined && { by: byTime }) },
        toItem: toFinding,
      }),
    )
  }

  countCases(scope: OrganizationScope, observables: readonly ObservableKey[]): Promise<readonly number[]> {
    return this.read(() => eachTogether(observables, (observable) => this.#countCases(scope, observable)))
  }

  *#countCases(scope: OrganizationScope, observable: ObservableKey): Work<number> {
    const { sql, values } = isObservable(scope, observable)
    const select = `SELECT coalesce(sum(t.cases), 0) AS cases FROM observables t WHERE ${sql}`
    return (yield* this.database.one<{ cases: number }>(select, ...values)).cases
  }

  ofAlert(uuid: string): Promise<readonly ObservableKey[]> {
    return this.read(() =>
      this.database.all<ObservableKey>(
        `SELECT t.kind, t.value FROM alerts a JOIN observable_alerts l ON l.alert_id = a.id
           JOIN observables t ON t.id = l.observable_id WHERE a.uuid = ? ORDER BY t.id`,
        uuid,
      ),
    )
  }

  ofCase(organizationUuid: string, caseId: string, limit: number): Promise<readonly ObservableKey[]> {
    return this.read(function* () {
      const found = yield* findCaseRow(this.database, caseId)
      if (found?.organizationUuid !== organizationUuid) return []
      return yield* this.database.all<ObservableKey>(
        `SELECT t.kind, t.value FROM observable_cases l JOIN observables t ON t.id = l.observable_id
         WHERE l.case_id = ? ORDER BY t.id LIMIT ?`,
        found.id,
        limit,
      )
    })
  }

  related(
    organizationUuid: string,
    caseId: string,
    relating: <T extends CountedInCases>(observables: readonly T[]) => readonly T[],
    limit: number,
  ): Promise<readonly RelatedCase[]> {
    return this.read(function* () {
      const found = yield* findCaseRow(this.database, caseId)
      return found?.organizationUuid === organizationUuid
        ? yield* relatedCases(this.database, found.id, relating, limit)
        : []
    })
  }

  *#fact(name: string): Work<number> {
    return (yield* this.database.one<{ value: number }>('SELECT value FROM facts WHERE name = ?', name)).value
  }

  *#hasMoves(): Work<boolean> {
    const { alert, run } = yield* this.database.one<{ alert: number | null; run: number | null }>(selectMoved)
    return alert !== null || run !== null
  }
}
