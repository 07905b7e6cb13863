import { expect } from 'chai'
import { routes } from '../../server/http/routing/routes.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import type { SqlValue } from '../../server/sql/database/columns.ts'
import { startApi, type Api } from './support/api.ts'
import { thingsOf } from './support/things.ts'

/** A value for each filter, taken from an existing row. */
const values: Readonly<Record<string, string>> = {
  organization: 'acme',
  provider: 'SIEM',
  type: 't',
  playbook: 'p',
  error: 'broken',
  assignee: 'somebody',
  via: 'operator',
  kind: 'p:c',
  observable: 'ip:203.0.113.9',
  action: 'run.started',
  actor: 'bootstrap',
  subject: 'x',
  skill: 'p.s',
  after: '1',
  before: '9999999999999',
  name: 'p',
}

/** Filters without an index, each with the reason why it may scan until its page is full. */
const readOn: Readonly<Record<string, string>> = {
  q: 'words anywhere in a text; alerts have an index of words',
  created_after: 'rows are walked in the order of time, newest first',
  created_before: 'rows are walked in the order of time, newest first',
}

/** Lists paged by the database. All others are short and sorted in memory, or walked in the order of their keys. */
const paths = ['/alerts', '/cases', '/runs', '/checkpoints', '/audit'] as const

describe('long lists', () => {
  let api: Api
  const plans: string[][] = []
  const { all } = SqliteConnection.prototype
  let known: Readonly<Record<string, string>>

  before(async () => {
    api = await startApi()
    const things = thingsOf(api, 'acme')
    const [{ alert }, { case: id }, { run }] = [
      await things.alert(),
      await things.case(),
      await things.failedRun(),
    ]
    await things.checkpoint()
    known = { alert: alert?.[0] ?? '', case: id?.[0] ?? '', run: run?.[0] ?? '' }
    // The plan of each page query.
    SqliteConnection.prototype.all = function <Row>(
      this: SqliteConnection,
      sql: string,
      ...given: SqlValue[]
    ): Row[] {
      if (/ORDER BY [^]* LIMIT \?$/.test(sql.trim())) {
        const rows = all.call(this, `EXPLAIN QUERY PLAN ${sql}`, ...given) as { detail: string }[]
        plans.push(rows.map(({ detail }) => detail))
      }
      return all.call(this, sql, ...given) as Row[]
    }
  })
  after(async () => {
    SqliteConnection.prototype.all = all
    await api.close()
  })

  async function planOf(path: string, query: string): Promise<readonly string[]> {
    plans.length = 0
    const reply = await api.call('GET', `/api${path}?${query}`)
    expect(reply.status, reply.text).to.equal(200)
    expect(plans.length, `${path}?${query} asks the database for a page`).to.be.above(0)
    return plans[0]!
  }

  for (const path of paths) {
    const parameters = routes.find((route) => route.method === 'GET' && route.path === path)?.query
      ?.properties
    const sorts = (parameters?.['sort']?.enum ?? []) as string[]

    for (const sort of sorts)
      for (const filter of path === '/cases' ? ['', '&organization=acme'] : [''])
        it(`use an index to sort: ${path}?sort=${sort}${filter}`, async () => {
          const plan = await planOf(path, `sort=${sort}${filter}`)
          expect(plan.join('\n')).to.not.include('TEMP B-TREE')
        })

    for (const [name, schema] of Object.entries(parameters ?? {})) {
      if (['limit', 'cursor', 'sort', 'content'].includes(name) || name in readOn) continue
      it(`use an index to filter: ${path}?${name}=`, async () => {
        const value =
          known[name] ?? values[name] ?? JSON.stringify(schema.enum?.[0] ?? '').replaceAll('"', '')
        expect(value, 'a value to look for').to.not.equal('')
        const plan = await planOf(path, `${name}=${encodeURIComponent(value)}`)
        expect(plan.join('\n')).to.match(/SEARCH t USING|MULTI-INDEX OR/)
        // A range of times: these rows are sorted.
        if (name === 'sla') return
        expect(plan.join('\n'), 'what is found is in order').to.not.include('TEMP B-TREE FOR ORDER')
      })
    }
  }
})
