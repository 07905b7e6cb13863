import { theServer } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import type { ListPage, ListRequest } from '../../core/ports/common.ts'
import { expectRejection, newAlert, queuedRun, type GetSubject } from './fixture.ts'

type GetPage = (page: ListRequest) => Promise<ListPage<{ readonly id?: string; readonly uuid?: string }>>

/** All lists page alike. */
export function pagingContract(subject: GetSubject): void {
  const lists: Readonly<Record<string, { readonly add: () => Promise<unknown>; readonly list: GetPage }>> = {
    alerts: {
      add: () => subject().stores.alerts.create(newAlert(subject().acme)),
      list: (page) => subject().stores.alerts.list([subject().acme.uuid], {}, page),
    },
    cases: {
      add: () => {
        const { stores, acme } = subject()
        return stores.cases.create(acme.uuid, { title: 'x' }, theServer, crypto.randomUUID())
      },
      list: (page) => subject().stores.cases.list('all', {}, page),
    },
    runs: {
      add: () => queuedRun(subject(), null),
      list: (page) => subject().stores.runs.list('all', {}, page),
    },
  }

  for (const [name, { add, list }] of Object.entries(lists)) {
    describe(`pages of ${name}`, () => {
      it('show each row once, newest first, while rows are added', async () => {
        for (let count = 0; count < 7; count += 1) await add()
        const all = (await list({ limit: 200 })).data
        let page = await list({ limit: 3 })
        const seen = [...page.data]
        while (page.nextCursor !== null) {
          await add()
          page = await list({ limit: 3, cursor: page.nextCursor })
          seen.push(...page.data)
        }
        expect(seen).to.deep.equal(all)
        expect(page.total).to.equal(9)
      })

      it('end without a cursor when the last row fills the page', async () => {
        for (let count = 0; count < 2; count += 1) await add()
        expect((await list({ limit: 2 })).nextCursor).to.equal(null)
        expect((await list({ limit: 1 })).nextCursor).to.be.a('string')
      })

      it('refuse a limit out of bounds and a forged cursor', async () => {
        for (const limit of [0, -1, 201, 1.5, Number.NaN, Infinity]) {
          await expectRejection(list({ limit }), 'ValidationError', 'invalid_limit')
        }
        const foreign = Buffer.from('others:5').toString('base64url')
        for (const cursor of ['', 'x', foreign, `${foreign}' OR 1`, 'A'.repeat(10_000)]) {
          await expectRejection(list({ limit: 5, cursor }), 'ValidationError', 'invalid_cursor')
        }
      })
    })
  }
}
