import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { theServer } from '../../core/domain/audit.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const count = 10_000
/** Cases that somebody changes after the bulk change was decided. */
const touched = new Set(Array.from({ length: 20 }, (_, n) => 7 + n * 490))

interface Result {
  readonly case_id: string
  readonly outcome: 'changed' | 'unchanged' | 'refused'
  readonly before: object | null
  readonly error: { readonly code: string } | null
}

describe('a change of 10,000 cases whose process is killed', function () {
  this.timeout(240_000)
  let tocsin: TestTocsin
  before(async () => {
    tocsin = await makeTestTocsin()
    await tocsin.start()
    await tocsin.server.stop('SIGTERM')
    const stores = await openStoresIn(join(tocsin.folder, 'data'))
    const [main] = await stores.organizations.list('all')
    for (let at = 0; at < count; at += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, n) =>
          stores.cases.create(main?.uuid ?? '', { title: 'x' }, theServer, `case/${at + n}`),
        ),
      )
    await stores.close()
    await tocsin.start()
  })
  after(() => tocsin?.close())

  it('gives each case one result and changes none twice, if its requests are repeated with their keys', async () => {
    const since = Date.now()
    await sleep(5)
    for (const number of touched) {
      const headers = { 'if-match': '*' }
      await tocsin.call(`/cases/main-${number}`, { method: 'PATCH', headers, body: { severity: 'high' } })
    }
    const send = (n: number, cursor: string | null) =>
      tocsin.call('/cases/bulk', {
        method: 'POST',
        headers: { 'idempotency-key': `bulk-${n}` },
        body: {
          // What the change ends, so that cases that are done no longer match.
          filter: { verdict: 'unknown' },
          unchanged_since: since,
          changes: { verdict: 'benign' },
          ...(cursor !== null && { cursor }),
        },
      })
    const results: Result[] = []
    let cursor: string | null = null
    let killed = 0
    for (let n = 0; n === 0 || cursor !== null; n++) {
      if (n % 10 === 3) {
        const cut = send(n, cursor).catch(() => undefined)
        // At another moment of the request each time.
        await sleep(8 * killed++)
        await tocsin.server.stop('SIGKILL')
        await cut
        await tocsin.start()
      }
      const { status, body } = await send(n, cursor)
      expect(status, JSON.stringify(body)).to.equal(200)
      results.push(...(body.data as Result[]))
      cursor = body.next_cursor as string | null
    }
    expect(killed).to.be.above(3)
    expect(results).to.have.length(count)
    expect(new Set(results.map((each) => each.case_id)).size).to.equal(count)
    const refused = results.filter(({ outcome }) => outcome === 'refused')
    expect(refused.map((each) => Number(each.case_id.split('-')[1]))).to.have.members([...touched])
    const changed = results.filter(({ outcome }) => outcome === 'changed')
    expect(changed).to.have.length(count - touched.size)
    for (const { before } of changed) expect(before).to.deep.equal({ verdict: 'unknown' })
    expect(new Set(refused.map(({ error }) => error?.code))).to.deep.equal(new Set(['revision_changed']))

    await tocsin.server.stop('SIGTERM')
    const stores = await openStoresIn(join(tocsin.folder, 'data'))
    const { total } = await stores.cases.list('all', { verdict: 'benign' }, { limit: 1 })
    expect(total).to.equal(count - touched.size)
    let page = await stores.cases.list('all', {}, { limit: 200 })
    const revisions: number[] = []
    for (;;) {
      revisions.push(...page.data.map(({ revision }) => revision))
      if (page.nextCursor === null) break
      page = await stores.cases.list('all', {}, { limit: 200, cursor: page.nextCursor })
    }
    expect(
      revisions.filter((revision) => revision !== 2),
      'changed not exactly once',
    ).to.deep.equal([])
    await stores.close()
    await tocsin.start()
  })
})
