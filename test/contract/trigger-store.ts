import { expect } from 'chai'
import type { RunEvent } from '../../core/domain/run.ts'
import type { NotedEvent, ReachedCount } from '../../core/ports/runs/trigger-store.ts'
import { somebody } from '../support/somebody.ts'
import { newAlert, timelineOf, type GetSubject } from './fixture.ts'

export function triggerStoreContract(subject: GetSubject): void {
  describe('TriggerStore', () => {
    const store = () => subject().stores.triggers
    const run = () => ({
      organizationUuid: subject().acme.uuid,
      playbookName: 'react',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
    let noted: number
    const none = { runEvents: new Set<RunEvent>(), questionDelays: new Set<number>() }
    function watch(entities = false): void {
      noted = 0
      store().watch({ caseEvents: new Set(['closed', 'opened']), ...none, entities }, () => noted++)
    }
    const open = (organizationUuid = subject().acme.uuid) =>
      subject().stores.cases.create(organizationUuid, { title: 'One' }, somebody(), `key ${noted}`)

    it('notes only wanted events, in order', async () => {
      const { stores, acme } = subject()
      expect(await store().pending(10, [])).to.deep.equal([])
      watch()
      const { id } = await open()
      await stores.cases.edit(acme.uuid, id, { status: 'in_progress' }, somebody(), undefined)
      await stores.cases.edit(acme.uuid, id, { status: 'closed' }, somebody(), undefined)
      const events = await store().pending(10, [])
      expect(
        events.map(({ subject: about }) => about.kind === 'case' && about.trigger['events']),
      ).to.deep.equal([['opened'], ['closed', 'status_changed']])
      expect([noted, await store().countPending()]).to.deep.equal([2, 2])
      expect(await store().pending(1, [])).to.deep.equal(events.slice(0, 1))
    })

    it('leaves out organizations', async () => {
      const { acme, globex } = subject()
      watch()
      await open()
      await open(globex.uuid)
      const left = await store().pending(10, [acme.uuid])
      expect(left.map(({ organizationUuid }) => organizationUuid)).to.deep.equal([globex.uuid])
    })

    it('settles an event once, with its runs and notes', async () => {
      const { stores } = subject()
      watch()
      const { id } = await open()
      const [event] = await store().pending(1, [])
      const outcome = { runs: [{ ...run(), caseId: id }], notes: ['Something was not started.'] }
      const both = await Promise.all([store().settle(event!, outcome), store().settle(event!, outcome)])
      expect(both.map((runs) => runs?.map(({ caseId, status }) => [caseId, status]))).to.deep.equal([
        [[id, 'queued']],
        undefined,
      ])
      expect((await timelineOf(stores, id)).map(({ text }) => text)).to.include('Something was not started.')
      expect(await store().countPending()).to.equal(0)
    })

    it('keeps the event if its runs cannot be queued', async () => {
      watch()
      await open()
      const [event] = await store().pending(1, [])
      const outcome = { runs: [{ ...run(), caseId: 'Acme-99' }], notes: [] }
      await store()
        .settle(event!, outcome)
        .then(
          () => expect.fail('it was settled'),
          (error: Error & { code: string }) => expect(error.code).to.equal('case_not_found'),
        )
      expect(await store().pending(1, [])).to.deep.equal([event])
    })

    it('counts an observable once for each alert, and forgets it after the window', async () => {
      const { stores, acme, clock } = subject()
      watch(true)
      const ip = { kind: 'ip', value: '198.51.100.7' } as const
      const counts = [{ playbookName: 'react', observables: [ip, ip], times: 2, withinMs: 1_000 }]
      async function seen(): Promise<readonly (readonly [number, number])[]> {
        await stores.alerts.create(newAlert(acme))
        const [event] = await store().pending(1, [])
        let found: readonly (readonly [number, number])[] = []
        await store().settleAlert(event as NotedEvent, counts, (reached) => {
          found = reached.map(({ count, alerts }) => [count, alerts.length])
          return { runs: [], notes: [] }
        })
        return found
      }
      expect(await seen()).to.deep.equal([])
      clock.nowMs += 1_000
      expect(await seen()).to.deep.equal([])
      clock.nowMs += 999
      expect(await seen()).to.deep.equal([[2, 2]])
      expect(await seen()).to.deep.equal([])
    })

    for (const order of ['01234', '43210', '31402', '24130', '12340'])
      it(`starts once for an observable of several alerts, if they are looked at in the order ${order}`, async () => {
        const { stores, acme, clock } = subject()
        watch(true)
        const ip = { kind: 'ip', value: '198.51.100.7' } as const
        const counts = [{ playbookName: 'react', observables: [ip], times: 4, withinMs: 1_000 }]
        const found: ReachedCount[] = []
        async function settleAll(count: number, at: readonly number[]): Promise<void> {
          for (let made = 0; made < count; made++) {
            clock.nowMs += 10
            await stores.alerts.create(newAlert(acme))
          }
          const events = await store().pending(count, [])
          for (const index of at)
            await store().settleAlert(events[index] as NotedEvent, counts, (reached) => {
              found.push(...reached)
              return { runs: [], notes: [] }
            })
        }
        const indexes = Array.from(order, Number)
        await settleAll(5, indexes)
        expect(found.map(({ alerts, ...one }) => ({ ...one, alerts: alerts.length }))).to.deep.equal([
          {
            playbookName: 'react',
            ...ip,
            count: 4,
            firstAt: found[0]?.firstAt,
            alerts: 4,
          },
        ])
        await settleAll(5, indexes)
        expect(found).to.have.length(1)
        clock.nowMs += 2_000
        await settleAll(5, indexes)
        expect(found, 'after the window').to.have.length(2)
      })
  })
}
