import { expect } from 'chai'
import type { StateChange } from '../../core/state/state.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, type Api } from './support/api.ts'
import { somebody } from '../support/somebody.ts'
import { newPerson, type TestPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'
import { manualPlaybook, someSet, storeState, thingsOf, towerSettings } from './support/things.ts'

/** Every paged list of the routing table. */
const lists = routes.filter(
  ({ method, answer }) => method === 'GET' && answer.properties?.['next_cursor'] !== undefined,
)

/** The field that identifies a row of the list. */
const idOf: Readonly<Record<string, string>> = {
  '/alerts': 'alert_id',
  '/cases': 'case_id',
  '/cases/{case}/timeline': 'text',
  '/observables': 'value',
  '/observables/findings': 'path',
  '/runs': 'run_uuid',
  '/runs/{run}/steps': 'path',
  '/checkpoints': 'checkpoint_id',
  '/tasks': 'task_id',
  '/containments': 'containment_id',
  '/playbooks': 'hash',
  '/playbooks/{playbook}/versions': 'hash',
  '/playbooks/{playbook}/state/{state}': 'key',
  '/skills': 'name',
  '/plugins': 'name',
  '/playbooks/{playbook}/shadow/alerts': 'alert_id',
  '/organizations': 'code',
  '/providers': 'code',
  '/keys': 'key_id',
  '/accounts': 'account_uuid',
  '/connections': 'connection_uuid',
  '/notifications': 'notification_id',
  '/audit': 'sequence',
}

describe('every list of the API', () => {
  let api: Api
  let ids: Record<string, string>
  let person: TestPerson

  before(async () => {
    api = await startApi()
    api.playbooks.push(manualPlaybook)
    for (const code of ['acme', 'globex', 'acme']) {
      for (const make of Object.values(thingsOf(api, code))) {
        await make().catch((error: unknown) => {
          // Names of the second round of one organization, which already exist.
          if (!String(error).includes('already')) throw error
        })
        api.clock.time += 10
      }
    }
    const { case: id } = await thingsOf(api, 'acme').case()
    const { run } = await thingsOf(api, 'acme').run()
    ids = { case: id?.[0] ?? '', run: run?.[0] ?? '', playbook: 'three-versions', state: 'seen' }
    for (const startedAt of [1, 2, 3]) {
      const begun = { path: `s${startedAt}`, stepId: null, kind: 'set', input: null, attempt: 1, startedAt }
      await api.stores.journal.begin(ids['run'] ?? '', begun)
    }
    for (const n of [1, 2, 3]) {
      const source = `apiVersion: tocsin/v1\nname: three-versions\non: { manual: true }\nsteps: [{ set: { n: ${n} } }]\n`
      const headers = n === 1 ? {} : { 'if-match': '*' }
      await api.call('PUT', '/api/playbooks/three-versions', { body: { source }, headers })
      api.clock.time += 10
    }
    for (const key of ['k1', 'k2', 'k3']) {
      const change: StateChange = { operation: 'add', key }
      await storeState(api, { code: 'acme', playbook: 'three-versions', name: 'seen', rule: someSet, change })
      api.clock.time += 10
    }
    person = await newPerson(api, 'Anna', ['admin'])
    for (const key of ['one', 'two', 'three']) {
      api.clock.time += 10
      const assigned = { title: key, assignee: person.email }
      await api.stores.cases.create(api.organizations['acme'] ?? '', assigned, somebody(), key)
    }
    for (const text of ['one', 'two', 'three'])
      await api.call('POST', `/api/cases/${ids['case']}/notes`, { body: { text } })
    for (const due of [1, 2]) {
      const body = { title: `Task ${due}`, due_at: due }
      await api.call('POST', `/api/cases/${ids['case']}/tasks`, { body })
      api.clock.time += 10
    }
  })
  after(() => api.close())

  const pathOf = (path: string) => {
    const own = path.includes('/shadow/') ? { ...ids, playbook: 'watched' } : ids
    return `/api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? '')}`
  }
  const call = (path: string, query: string) =>
    (path === '/notifications' ? person : api).call('GET', `${pathOf(path)}?${query}`)
  const get = async (path: string, query: string) => {
    const reply = await call(path, query)
    expect(reply.status, reply.text).to.equal(200)
    return reply.json as { data: Record<string, unknown>[]; next_cursor: string | null; total: number }
  }

  it('is tested here', () => {
    expect(lists.map(({ path }) => path)).to.have.members(Object.keys(idOf))
  })

  for (const { path, query } of lists) {
    describe(`GET ${path}`, () => {
      const sorts = (query?.properties?.['sort']?.enum ?? []) as string[]
      const id = idOf[path] ?? ''
      const idsIn = (rows: readonly Record<string, unknown>[]) => rows.map((row) => String(row[id]))

      it('accepts limit, cursor and sort, and has a default sort', async () => {
        expect(Object.keys(query?.properties ?? {})).to.include.members(['limit', 'cursor', 'sort'])
        expect(sorts.length).to.be.above(1)
        const standard = String(query?.properties?.['sort']?.default)
        expect((await get(path, '')).data).to.deep.equal((await get(path, `sort=${standard}`)).data)
      })

      for (const sort of sorts)
        it(`returns each row once in pages of one, sorted by ${sort}`, async () => {
          const whole = await get(path, `limit=200&sort=${sort}`)
          expect(whole.next_cursor).to.equal(null)
          const all = idsIn(whole.data)
          expect(all.length).to.equal(whole.total)
          expect(all.length, 'rows to look at').to.be.above(path === '/skills' ? 0 : 1)
          expect(new Set(all).size).to.equal(all.length)
          const seen: string[] = []
          let cursor = ''
          do {
            const page = await get(path, `limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`)
            expect([page.data.length, page.total]).to.deep.equal([1, whole.total])
            seen.push(...idsIn(page.data))
            cursor = page.next_cursor ?? ''
          } while (cursor !== '')
          expect(seen).to.deep.equal(all)
          const field = whole.data[0]?.[sort.replace('-', '')]
          if (typeof field === 'number') {
            // Rows without the value, such as tasks without a due time, are last.
            const found = whole.data.map((row) => row[sort.replace('-', '')] as number | null)
            const values = found.filter((value) => value !== null)
            const sorted = values.toSorted((a, b) => (sort.startsWith('-') ? b - a : a - b))
            expect(values).to.deep.equal(sorted)
          }
        })

      it('sorts descending in the reverse of ascending order', async () => {
        for (const sort of sorts.filter((name) => !name.startsWith('-'))) {
          const up = idsIn((await get(path, `limit=200&sort=${sort}`)).data)
          expect(idsIn((await get(path, `limit=200&sort=-${sort}`)).data)).to.deep.equal(up.toReversed())
        }
      })

      it('refuses malformed cursors and those of other lists or sorts', async () => {
        const other = path === '/alerts' ? '/cases' : '/alerts'
        const foreign = (await get(other, 'limit=1')).next_cursor ?? ''
        const own = (await get(path, `limit=1&sort=${sorts[0]}`)).next_cursor
        const cursors = [foreign, 'x', '%00', 'bnVsbA', 'W10', 'WzFd', 'e30', 'A'.repeat(2_000)]
        for (const cursor of cursors)
          expectProblem(await call(path, `cursor=${cursor}`), 400, 'invalid_cursor')
        if (own === null) return
        const turned = await call(path, `sort=${sorts[1]}&cursor=${own}`)
        expectProblem(turned, 400, 'invalid_cursor')
      })

      it('refuses unknown parameters, sorts and limits', async () => {
        for (const wrong of [
          'limit=0',
          'limit=201',
          'limit=x',
          'sort=x',
          'sort=',
          'unknown=1',
          'cursor=',
          'limit=1&limit=1',
        ])
          expectProblem(await call(path, wrong), 400, 'query_invalid')
      })
    })
  }

  describe('filters', () => {
    const total = async (query: string) =>
      (await get(`/${query.split('?')[0]}`, query.split('?')[1] ?? '')).total

    it('return exactly the matching rows', async () => {
      const body = { organization_code: 'globex', name: 'off', plugin: 'tower', settings: towerSettings }
      await api.call('POST', '/api/connections', { body })
      await api.call('PATCH', '/api/connections/off', {
        body: { enabled: false },
        headers: { 'if-match': '*' },
      })
      const expired = await api.newKey('intake', ['globex'], api.clock.time)
      expect(expired).to.be.a('string')
      for (const [narrow, wide, query] of [
        ['connections?enabled=false', 1, 'connections?enabled=true'],
        ['connections?organization=globex&enabled=false', 1, 'connections?organization=acme'],
        ['connections?plugin=none', 0, 'connections?plugin=tower'],
        ['connections?broken=true', 0, 'connections?broken=false'],
        ['keys?role=intake', 1, 'keys?role=reader'],
        ['keys?state=unusable', 1, 'keys?state=usable'],
        ['keys?organization=acme&role=intake', 0, 'keys?organization=globex&role=intake'],
        ['organizations?q=LOBE', 1, 'organizations?q=e'],
        ['providers?q=sie', 1, 'providers?q=d'],
        ['skills?plugin=none', 0, 'skills?plugin=tower'],
        ['skills?effect=read&plugin=quiet', 0, 'skills?effect=write'],
        ['playbooks?origin=file', 5, 'playbooks?origin=made'],
        ['playbooks?q=MADE-GLOBEX', 1, 'playbooks?q=made'],
        ['playbooks?organization=globex', 7, 'playbooks?organization=acme'],
        ['runs?playbook=none', 0, 'runs?playbook=p'],
        ['runs?status=cancelled', 0, 'runs?status=failed'],
        ['runs?error=none', 0, 'runs?error=broken'],
        [`runs?created_after=${api.clock.time + 1}`, 0, `runs?created_before=${api.clock.time + 1}`],
        ['runs?organization=globex&playbook=none', 0, 'runs?organization=globex'],
        ['checkpoints?via=none', 0, 'checkpoints?via=operator'],
        ['checkpoints?run=none', 0, 'checkpoints?organization=acme'],
      ] as const) {
        expect(await total(narrow), narrow).to.equal(wide)
        expect(await total(query), query).to.be.above(0)
      }
      const [first] = (await get('/checkpoints', 'sort=created_at')).data
      expect(await total(`checkpoints?run=${String(first?.['run_uuid'])}`)).to.equal(1)
    })
  })
})
