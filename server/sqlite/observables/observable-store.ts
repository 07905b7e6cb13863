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
import { SqliteStore } from '../context/store-context.ts'
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

const factOf = (name: string): string => `(SELECT value FROM facts WHERE name = '${name}')`

/** Alerts that the lists know have settled as well. */
const selectAlerts = `
  SELECT b.alert_id AS row, b.content FROM alert_contents b
  WHERE b.alert_id > ${factOf('alerts_observed_to')} AND b.alert_id <= ${factOf('alerts_listed_to')} ORDER BY b.alert_id LIMIT ?`
const selectNewRuns = `
  SELECT id AS row, uuid FROM runs WHERE id > ${factOf('runs_observed_to')} AND created_at <= ? ORDER BY id LIMIT ?`
const selectEndedRuns =
  'SELECT id AS row, uuid FROM runs WHERE observed_end = 0 AND ended_at IS NOT NULL ORDER BY id LIMIT ?'

const selectUnindexed = `
  SELECT (SELECT ifnull(max(id), 0) FROM alerts) - ${factOf('alerts_observed_to')} AS alerts,
    (SELECT ifnull(max(id), 0) FROM runs) - ${factOf('runs_observed_to')} AS runs`

const byTime = { column: 't.at', valueOf: (row: FindingRow) => row.at }

export class SqliteObservableStore extends SqliteStore implements ObservableStore {
  nextAlerts(limit: number): Promise<readonly UnindexedAlert[]> {
    return this.database.read(() => {
      const found: UnindexedAlert[] = []
      let characters = 0
      for (const alert of this.database.all<UnindexedAlert>(selectAlerts, limit)) {
        characters += alert.content.length
        if (found.length > 0 && characters > maxCharacters) break
        found.push(alert)
      }
      return found
    })
  }

  async indexAlerts(
    found: readonly { readonly row: number; readonly observables: readonly ObservableKey[] }[],
  ): Promise<void> {
    const last = found.at(-1)
    if (last === undefined) return
    await this.commits.write(() => {
      for (const { row, observables } of found)
        if (row > this.#fact('alerts_observed_to')) indexAlert(this.database, row, observables)
      setFact(this.database, 'alerts_observed_to', Math.max(last.row, this.#fact('alerts_observed_to')))
    })
  }

  nextRuns(limit: number): Promise<readonly UnindexedRun[]> {
    return this.database.read(() => {
      const settled = this.clock.now() - settlingMs
      const rows = this.database.all<UnindexedRun>(selectNewRuns, settled, limit)
      return rows.length > 0 ? rows : this.database.all<UnindexedRun>(selectEndedRuns, limit)
    })
  }

  indexRun(row: number, found: RunObservables): Promise<void> {
    return this.commits.write(() => {
      indexRun(this.database, row, found)
      if (row > this.#fact('runs_observed_to')) setFact(this.database, 'runs_observed_to', row)
    })
  }

  async followMoves(limit: number): Promise<number> {
    // Mostly there are none, and a write costs more than a read.
    if ((await this.database.read(() => this.#hasMoves())) === 0) return 0
    return await this.commits.write(() => {
      const alerts = followMoves(this.database, 'alerts', limit)
      return alerts + (alerts < limit ? followMoves(this.database, 'runs', limit - alerts) : 0)
    })
  }

  countUnindexed(): Promise<number> {
    return this.database.read(() => {
      const { alerts, runs } = this.database.one<{ alerts: number; runs: number }>(selectUnindexed)
      return Math.max(0, alerts) + Math.max(0, runs)
    })
  }

  list(
    scope: OrganizationScope,
    { kind, value, prefix }: ObservableFilter,
    page: ListRequest,
  ): Promise<ListPage<SeenObservable>> {
    return this.database.read(() =>
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
    return this.database.read(() =>
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
    return this.database.read(() =>
      observables.map((observable) => {
        const { sql, values } = isObservable(scope, observable)
        const select = `SELECT ifnull(sum(t.cases), 0) AS cases FROM observables t WHERE ${sql}`
        return this.database.one<{ cases: number }>(select, ...values).cases
      }),
    )
  }

  ofAlert(uuid: string): Promise<readonly ObservableKey[]> {
    return this.database.read(() =>
      this.database.all<ObservableKey>(
        `SELECT t.kind, t.value FROM alerts a JOIN observable_alerts l ON l.alert_id = a.id
           JOIN observables t ON t.id = l.observable_id WHERE a.uuid = ? ORDER BY t.id`,
        uuid,
      ),
    )
  }

  ofCase(organizationUuid: string, caseId: string, limit: number): Promise<readonly ObservableKey[]> {
    return this.database.read(() => {
      const found = findCaseRow(this.database, caseId)
      if (found?.organizationUuid !== organizationUuid) return []
      return this.database.all<ObservableKey>(
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
    return this.database.read(() => {
      const found = findCaseRow(this.database, caseId)
      return found?.organizationUuid === organizationUuid
        ? relatedCases(this.database, found.id, relating, limit)
        : []
    })
  }

  #fact(name: string): number {
    return this.database.one<{ value: number }>('SELECT value FROM facts WHERE name = ?', name).value
  }

  #hasMoves(): 0 | 1 {
    return this.database.one<{ found: 0 | 1 }>(
      `SELECT EXISTS (SELECT 1 FROM alerts WHERE observed_case IS NOT NULL AND observed_case <> ifnull(case_id, 0))
         OR EXISTS (SELECT 1 FROM runs WHERE observed_case IS NOT NULL AND observed_case <> ifnull(case_id, 0)) AS found`,
    ).found
  }
}
