import { durationsOf, type CountedDurations } from '../../../core/numbers/histogram.ts'
import type { NumberRange } from '../../../core/numbers/number-range.ts'
import type { TimeMeasure } from '../../../core/numbers/time-measures.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import type {
  AlertDimension,
  AlertNumbers,
  ContainmentNumbers,
  FailureNumbers,
  NumberStore,
  QuestionNumbers,
  RuleNumbers,
  RunNumbers,
  TimeNumbers,
} from '../../../core/ports/derived/number-store.ts'
import type { ListedRows } from '../context/listed-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import type { SqlValue } from '../database/columns.ts'
import { countNextEntries, countNextQuestions, countNextRuns } from './count-rows.ts'

const named: Readonly<Record<AlertDimension, string>> = {
  type: 't.type',
  severity: 't.severity',
  provider: '(SELECT code FROM providers p WHERE p.id = t.provider_id)',
}

/** Causes, and answers, of a range. */
const maxRows = 200

export class SqlNumberStore extends SqlStore implements NumberStore {
  readonly #listed: ListedRows

  constructor(context: StoreContext, listed: ListedRows) {
    super(context)
    this.#listed = listed
  }

  async catchUp(): Promise<void> {
    await this.#listed.condition('alerts')
    for (const count of [countNextRuns, countNextEntries, countNextQuestions])
      while (await this.write(() => count(this.database)));
  }

  alerts(scope: OrganizationScope, range: NumberRange, by: AlertDimension): Promise<readonly AlertNumbers[]> {
    return this.#all<AlertNumbers>(
      scope,
      range,
      (where) => `SELECT at, ${named[by]} AS name, sum(alerts) AS alerts, sum(repeats) AS repeats
        FROM alert_numbers t WHERE ${where} GROUP BY 1, 2 ORDER BY 1, 2`,
    )
  }

  async runs(scope: OrganizationScope, range: NumberRange): Promise<readonly RunNumbers[]> {
    const rows = await this.#all<RunNumbers & { readonly started: number; readonly totalMs: number }>(
      scope,
      range,
      (
        where,
      ) => `SELECT at, playbook_name AS playbook, coalesce(sum(runs) FILTER (WHERE status = 'completed'), 0) AS completed,
          coalesce(sum(runs) FILTER (WHERE status = 'failed'), 0) AS failed,
          coalesce(sum(runs) FILTER (WHERE status = 'cancelled'), 0) AS cancelled, sum(started) AS started, sum(total_ms) AS "totalMs"
        FROM run_numbers t WHERE ${where} GROUP BY 1, 2 ORDER BY 1, 2`,
    )
    return rows.map(({ started, totalMs, ...row }) => ({
      ...row,
      meanMs: started === 0 ? null : Math.round(totalMs / started),
    }))
  }

  failures(scope: OrganizationScope, range: NumberRange): Promise<readonly FailureNumbers[]> {
    return this.#all<FailureNumbers>(
      scope,
      range,
      (where) => `SELECT cause, playbook_name AS playbook, sum(runs) AS runs FROM run_numbers t
        WHERE status = 'failed' AND ${where} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${maxRows}`,
    )
  }

  async times(scope: OrganizationScope, range: NumberRange): Promise<readonly TimeNumbers[]> {
    const rows = await this.#all<CountedDurations & { readonly at: number; readonly measure: TimeMeasure }>(
      scope,
      range,
      (
        where,
      ) => `SELECT at, measure, bucket, sum(count) AS count, sum(total_ms) AS "totalMs" FROM time_numbers t
        WHERE ${where} GROUP BY 1, 2, 3 ORDER BY 2, 1`,
    )
    return [...Map.groupBy(rows, ({ measure }) => measure)].flatMap(([measure, counted]) => [
      { at: null, measure, ...durationsOf(counted) },
      ...Array.from(
        Map.groupBy(counted, ({ at }) => at),
        ([at, here]) => ({
          at,
          measure,
          ...durationsOf(here),
        }),
      ),
    ])
  }

  questions(scope: OrganizationScope, range: NumberRange): Promise<readonly QuestionNumbers[]> {
    return this.#all<QuestionNumbers>(
      scope,
      range,
      (where) => `SELECT state, answer, sum(questions) AS questions FROM question_numbers t
        WHERE ${where} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${maxRows}`,
    )
  }

  containments(scope: OrganizationScope, { from, to }: NumberRange): Promise<readonly ContainmentNumbers[]> {
    return this.read(function* () {
      const { sql, values } = this.#within(scope)
      return yield* this.database.all<ContainmentNumbers>(
        `SELECT action ->> '$.skill' AS skill, state, count(*) AS containments FROM containments t
         WHERE ${sql} AND t.created_at >= ? AND t.created_at < ? GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${maxRows}`,
        ...values,
        from,
        to,
      )
    })
  }

  rules(scope: OrganizationScope, range: NumberRange, limit: number): Promise<readonly RuleNumbers[]> {
    return this.#all<RuleNumbers>(
      scope,
      range,
      (where) => `SELECT ${named.provider} AS provider, type, sum(alerts) AS alerts, sum(repeats) AS repeats
        FROM alert_numbers t WHERE ${where} GROUP BY t.provider_id, t.type ORDER BY sum(alerts) + sum(repeats) DESC, 1, 2
        LIMIT ${limit}`,
    )
  }

  /** Rows of a table of numbers, with alias `t`. */
  #all<Row>(
    scope: OrganizationScope,
    { from, to, period }: NumberRange,
    select: (where: string) => string,
  ): Promise<readonly Row[]> {
    return this.read(function* () {
      const { sql, values } = this.#within(scope)
      const where = `${sql} AND t.period = ? AND t.at >= ? AND t.at < ?`
      return yield* this.database.all<Row>(select(where), ...values, period, from, to)
    })
  }

  /** The organizations first, because the keys of the tables begin with them. */
  #within(scope: OrganizationScope): { readonly sql: string; readonly values: readonly SqlValue[] } {
    const [condition] = scopeConditions(scope, 't.organization_id')
    return condition ?? { sql: 't.organization_id IN (SELECT id FROM organizations)', values: [] }
  }
}
