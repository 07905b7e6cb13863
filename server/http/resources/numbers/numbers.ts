import { numberRange, type NumberRange } from '../../../../core/numbers/number-range.ts'
import { timeMeasures } from '../../../../core/numbers/time-measures.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import { alertDimensions } from '../../../../core/ports/derived/number-store.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { acceptsRather } from '../../request/accepts-rather.ts'
import { defineRoute, type Route, type Services } from '../../routing/route.ts'
import { epochMs, objectSchema, text, time, timeOrNull } from '../system/page.ts'
import { csvText } from './csv.ts'

const count = { type: 'integer', minimum: 0 } as const
const duration = { type: ['integer', 'null'], minimum: 0, description: 'Milliseconds.' } as const
const start = { ...time, description: 'Start of the period (epoch milliseconds).' } as const

/** Rows of each table of numbers. */
export const apiNumberSchemas = {
  alerts: objectSchema({
    at: start,
    name: {
      ...text,
      description: 'Type, provider or severity; empty: none. `(other)`: all but the 20 most frequent.',
    },
    alerts: { ...count, description: 'Without repeats.' },
    repeats: count,
  }),
  runs: objectSchema({
    at: start,
    playbook: text,
    completed: count,
    failed: count,
    cancelled: count,
    mean_ms: { ...duration, description: 'Mean time from start to end, in milliseconds.' },
  }),
  failures: objectSchema({
    cause: { ...text, description: 'Code of the error.' },
    playbook: text,
    runs: count,
  }),
  times: objectSchema({
    at: { ...timeOrNull, description: 'Start of the period (epoch milliseconds); null: the whole range.' },
    measure: {
      enum: timeMeasures,
      description:
        'From the first alert of a case, or its opening, to its first destructive `action`, its first verdict (`decision`) and its first `close`; from a question to its `answer`.',
    },
    count,
    mean_ms: duration,
    p50_ms: duration,
    p90_ms: duration,
    p95_ms: duration,
  }),
  questions: objectSchema({
    state: { enum: ['answered', 'timed_out', 'withdrawn', 'decided'] },
    answer: { ...text, description: 'The chosen answer; empty for a form, and without an answer.' },
    questions: count,
  }),
  containments: objectSchema({ skill: text, state: text, containments: count }),
  rules: objectSchema({
    provider: text,
    type: { ...text, description: 'Empty: none.' },
    alerts: { ...count, description: 'Without repeats.' },
    repeats: {
      ...count,
      description: 'Alerts that joined an earlier one by grouping, each a saved investigation.',
    },
    saved_percent: { type: 'integer', minimum: 0, maximum: 100, description: 'Repeats in percent of all.' },
  }),
} as const

type Table = keyof typeof apiNumberSchemas
type Rows = readonly Readonly<Record<string, string | number | null>>[]

/** Days of the default range. */
const defaultDays = 7
const dayMs = 86_400_000
/** Longest range in days. */
const maxDays = 1_100

const rangeParameters = {
  organization: { type: 'string', description: 'Code of an organization.' },
  from: { ...epochMs, description: `Epoch milliseconds. Default: ${defaultDays} days before \`to\`.` },
  to: { ...epochMs, description: 'Exclusive, in epoch milliseconds. Default: now.' },
  format: {
    type: 'string',
    enum: ['json', 'csv'],
    description:
      'Default: the type that `Accept` prefers, `application/json` or `text/csv`; otherwise `json`.',
  },
} as const

interface Definition<Query extends Readonly<Record<string, JsonSchema>>> {
  readonly summary: string
  readonly query?: Query
  readonly read: (
    numbers: Services['stores']['numbers'],
    scope: OrganizationScope,
    range: NumberRange,
    query: Readonly<Record<string, unknown>>,
  ) => Promise<Rows>
}

function numbersRoute<Query extends Readonly<Record<string, JsonSchema>>>(
  table: Table,
  { summary, query, read }: Definition<Query>,
): Route {
  const schema = apiNumberSchemas[table]
  return defineRoute({
    method: 'GET',
    path: `/numbers/${table}`,
    access: 'cases:read',
    summary,
    answer: objectSchema({
      from: { ...time, description: 'Start of the first period (epoch milliseconds).' },
      to: { ...time, description: 'End of the last period (epoch milliseconds).' },
      period_ms: { ...count, description: 'Length of a period: an hour or a day, in UTC.' },
      data: { type: 'array', items: schema },
    }),
    alsoText: 'text/csv',
    query: { ...rangeParameters, ...query },
    async handle({ query: asked, headers, caller }, { stores, directory, clock }) {
      const given = asked as Readonly<Record<string, unknown>> & {
        readonly organization?: string
        readonly from?: number
        readonly to?: number
        readonly format?: string
      }
      const scope = await directory.scopeWithin(caller.scope, given.organization)
      const range = rangeOf(given, clock.now())
      await stores.numbers.catchUp()
      const data = await read(stores.numbers, scope, range, given)
      const isCsv = (given.format ?? (acceptsRather(headers.accept, 'text/csv') ? 'csv' : 'json')) === 'csv'
      if (isCsv)
        return {
          text: csvText(Object.keys(schema.properties), data),
          type: 'text/csv; charset=utf-8',
          headers: { 'content-disposition': `attachment; filename="${table}.csv"`, vary: 'Accept' },
        }
      return {
        body: { from: range.from, to: range.to, period_ms: range.period, data },
        headers: { vary: 'Accept' },
      }
    },
  })
}

/** Throws ValidationError `value_invalid`. */
function rangeOf(given: { readonly from?: number; readonly to?: number }, now: number): NumberRange {
  const to = given.to ?? now + 1
  const from = given.from ?? Math.max(0, to - defaultDays * dayMs)
  const message =
    from >= to
      ? 'must be before to'
      : to - from > maxDays * dayMs
        ? `must be at most ${maxDays} days before to`
        : undefined
  if (message === undefined) return numberRange(from, to, now)
  throw new ValidationError('value_invalid', `from ${message}`, [{ pointer: '/from', message }], {
    hint: 'both are epoch milliseconds',
  })
}

/** Names that keep their own rows. */
const maxNames = 20
const maxRules = 50

/** Joins the rows of rare names, because senders can choose any number of types. */
function withoutRare(
  rows: readonly {
    readonly at: number
    readonly name: string
    readonly alerts: number
    readonly repeats: number
  }[],
): Rows {
  const totals = new Map<string, number>()
  for (const { name, alerts, repeats } of rows) totals.set(name, (totals.get(name) ?? 0) + alerts + repeats)
  const kept = new Set(
    [...totals]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, maxNames)
      .map(([name]) => name),
  )
  const joined = new Map<string, { at: number; name: string; alerts: number; repeats: number }>()
  for (const { at, name: given, alerts, repeats } of rows) {
    const name = kept.has(given) ? given : '(other)'
    const row = joined.get(`${at} ${name}`) ?? { at, name, alerts: 0, repeats: 0 }
    joined.set(`${at} ${name}`, { ...row, alerts: row.alerts + alerts, repeats: row.repeats + repeats })
  }
  return [...joined.values()]
}

export const numberRoutes = [
  numbersRoute('alerts', {
    summary: 'Alerts and repeats over time, by type, provider or severity.',
    query: { by: { type: 'string', enum: alertDimensions, default: 'type' } },
    read: async (numbers, scope, range, { by = 'type' }) =>
      withoutRare(await numbers.alerts(scope, range, by as (typeof alertDimensions)[number])),
  }),
  numbersRoute('runs', {
    summary: 'Ended runs over time, by playbook and outcome.',
    read: async (numbers, scope, range) =>
      (await numbers.runs(scope, range)).map(({ meanMs, ...row }) => ({ ...row, mean_ms: meanMs })),
  }),
  numbersRoute('failures', {
    summary: 'Failed runs by cause and playbook, the most frequent first.',
    read: async (numbers, scope, range) => (await numbers.failures(scope, range)).map((row) => ({ ...row })),
  }),
  numbersRoute('times', {
    summary:
      'Times to the first action, decision and closing of a case, and to the answer of a question: mean and percentiles.',
    read: async (numbers, scope, range) =>
      (await numbers.times(scope, range)).map(({ at, measure, count: of, meanMs, p50Ms, p90Ms, p95Ms }) => ({
        at,
        measure,
        count: of,
        mean_ms: meanMs,
        p50_ms: p50Ms,
        p90_ms: p90Ms,
        p95_ms: p95Ms,
      })),
  }),
  numbersRoute('questions', {
    summary: 'Questions that are no longer open, by answer.',
    read: async (numbers, scope, range) => (await numbers.questions(scope, range)).map((row) => ({ ...row })),
  }),
  numbersRoute('containments', {
    summary: 'Containments that took effect in the range, by skill and present state.',
    read: async (numbers, scope, range) =>
      (await numbers.containments(scope, range)).map((row) => ({ ...row })),
  }),
  numbersRoute('rules', {
    summary: 'The 50 alert types with the most alerts, and what grouping saved.',
    read: async (numbers, scope, range) =>
      (await numbers.rules(scope, range, maxRules)).map(({ alerts, repeats, ...row }) => ({
        ...row,
        alerts,
        repeats,
        saved_percent: Math.round((100 * repeats) / Math.max(1, alerts + repeats)),
      })),
  }),
]
