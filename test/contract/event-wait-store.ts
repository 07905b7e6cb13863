import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import type { Run } from '../../core/domain/run.ts'
import { changesLost, maxKeptChanges } from '../../core/events/event-filter.ts'
import type { CaseStore } from '../../core/ports/case-store.ts'
import type { AwaitedAlerts, AwaitedChanges } from '../../core/ports/runs/event-wait-store.ts'
import { completed, newAlert, startedRun, type GetSubject } from './fixture.ts'

const none = { examined: 0, failed: 0, lastFailure: null, misses: 0 }

export function eventWaitStoreContract(subject: GetSubject): void {
  describe('EventWaitStore', () => {
    let own: Alert
    let run: Run
    let woken: string[]
    const waits = () => subject().stores.eventWaits
    const alert = (type: string | null, provider = 'SIEM', organization = subject().acme) =>
      subject().stores.alerts.create(newAlert(organization, { type, provider }))
    beforeEach(async () => {
      const { stores } = subject()
      await stores.providers.create({ code: 'EDR', name: 'The EDR' }, somebodyElse)
      own = await alert('phishing')
      run = await startedRun(subject(), own)
      woken = []
      waits().watch(({ uuid }) => void woken.push(uuid))
    })
    const open = (changes: Partial<AwaitedAlerts> = {}, sinceRun = false, path = 'wait') =>
      waits().open(run.uuid, {
        path,
        filter: { kind: 'alert', types: ['isolated'], provider: null, ...changes },
        sinceRun,
      })
    const found = async (path = 'wait', limit = 10) =>
      (await waits().next(run.uuid, path, limit)).events.map(({ content }) =>
        'alert' in content ? content.alert.id : '',
      )
    const isDue = async () => {
      const { stores, acme } = subject()
      return (await stores.runs.due(acme.uuid, 10)).some(({ uuid }) => uuid === run.uuid)
    }
    const park = () => subject().stores.runs.park(run.uuid, subject().clock.nowMs + 60_000)

    it('gives the alerts of its types that are stored from then on, oldest first', async () => {
      await alert('isolated')
      expect(await open()).to.deep.equal(none)
      const [first, , third] = [await alert('isolated'), await alert('phishing'), await alert('isolated')]
      expect(await found()).to.deep.equal([first.id, third.id])
      expect(await open(), 'a second call changes nothing').to.deep.equal(none)
      expect(await found('wait', 1)).to.deep.equal([first.id])
    })

    it('gives only alerts of the organization and the provider', async () => {
      const { globex } = subject()
      await open({ provider: 'edr' })
      await alert('isolated', 'SIEM')
      await alert('isolated', 'EDR', globex)
      const fits = await alert('isolated', 'EDR')
      expect(await found()).to.deep.equal([fits.id])
    })

    it('gives alerts of any type, also without one, but not the own alert of the run', async () => {
      await open({ types: null }, true)
      const later = [await alert('isolated'), await alert(null), await alert('phishing')]
      expect(await found()).to.deep.equal(later.map(({ id }) => id))
    })

    it('gives earlier alerts since the alert of the run, on demand', async () => {
      const before = await alert('isolated')
      await open({}, true)
      expect(await found()).to.deep.equal([before.id])
    })

    it('does not give what it has passed, and keeps the counts', async () => {
      await open()
      const [, second] = [await alert('isolated'), await alert('isolated')]
      const { upTo, hasMore } = await waits().next(run.uuid, 'wait', 1)
      expect(hasMore).to.equal(true)
      const counts = { examined: 3, failed: 1, lastFailure: 'no field', misses: 2 }
      await waits().pass(run.uuid, 'wait', upTo, counts)
      expect(await found()).to.deep.equal([second.id])
      expect(await open()).to.deep.equal(counts)
    })

    it('wakes the run in the write of the next alert that fits, once', async () => {
      await open()
      await park()
      expect(await waits().arm(run.uuid, 'wait')).to.equal(true)
      await alert('phishing')
      expect([await isDue(), woken]).to.deep.equal([false, []])
      const fits = await alert('isolated')
      expect([await isDue(), woken]).to.deep.equal([true, [run.uuid]])
      await alert('isolated')
      expect(woken).to.deep.equal([run.uuid])
      expect((await found())[0]).to.equal(fits.id)
    })

    it('does not arm while an alert that fits has not been passed', async () => {
      await open()
      await alert('isolated')
      expect(await waits().arm(run.uuid, 'wait')).to.equal(false)
      const { upTo } = await waits().next(run.uuid, 'wait', 10)
      await waits().pass(run.uuid, 'wait', upTo, none)
      expect(await waits().arm(run.uuid, 'wait')).to.equal(true)
    })

    describe('for changes of a case', () => {
      const watchCase = (caseId: string | null, events: AwaitedChanges['events'] = null, path = 'wait') =>
        waits().open(run.uuid, { path, filter: { kind: 'case', caseId, events }, sinceRun: false })
      const change = async (changes: Parameters<CaseStore['update']>[2], id = run.caseId!) => {
        const { stores, acme } = subject()
        await stores.cases.update(acme.uuid, id, changes, somebodyElse, `${id} ${JSON.stringify(changes)}`)
      }
      const changes = async (path = 'wait') =>
        (await waits().next(run.uuid, path, 10)).events.map(({ content }) =>
          'change' in content ? (content.change['events'] as readonly string[]).join(' ') : '',
        )

      it('gives the changes of that case, and wakes the run for each', async () => {
        const other = await startedRun(subject(), await alert('phishing'))
        await watchCase(run.caseId!.toUpperCase())
        await park()
        await change({ severity: 'high' }, other.caseId!)
        expect([await changes(), woken]).to.deep.equal([[], []])
        await change({ severity: 'high' })
        await change({ verdict: 'malicious', status: 'closed' })
        expect(await changes()).to.deep.equal(['severity_changed', 'closed status_changed verdict_changed'])
        expect([await isDue(), woken]).to.deep.equal([true, [run.uuid, run.uuid]])
        const { events, upTo } = await waits().next(run.uuid, 'wait', 1)
        expect(events[0]?.content).to.nested.include({
          'change.case.id': run.caseId,
          'change.before.severity': 'medium',
          'change.actor.name': 'ops',
        })
        await waits().pass(run.uuid, 'wait', upTo, none)
        expect(await waits().arm(run.uuid, 'wait')).to.equal(false)
        expect(await changes()).to.deep.equal(['closed status_changed verdict_changed'])
        await waits().pass(run.uuid, 'wait', upTo + 1, none)
        expect(await waits().arm(run.uuid, 'wait')).to.equal(true)
        await change({ severity: 'low' })
        expect(await changes()).to.deep.equal(['severity_changed'])
      })

      it('follows its case through a merge, which closes no case, and through a split', async () => {
        const { stores, acme } = subject()
        const second = await alert('phishing')
        const other = await startedRun(subject(), second)
        const seen = async (id: string) => ({
          id,
          revision: (await stores.cases.find('all', id))?.revision,
        })
        await watchCase(run.caseId, ['closed'])
        const sources = [await seen(run.caseId!)]
        await stores.caseMoves.merge(acme.uuid, await seen(other.caseId!), sources, somebodyElse)
        await watchCase(run.caseId, ['closed'], 'later')
        await change({ status: 'closed' }, other.caseId!)
        const ids = async (path: string) =>
          (await waits().next(run.uuid, path, 10)).events.map(({ content }) =>
            'change' in content ? (content.change['case'] as { readonly id: string }).id : '',
          )
        expect(await ids('wait')).to.deep.equal([other.caseId])
        expect(await ids('later'), 'a wait that began after the merge').to.deep.equal([other.caseId])
        const split = { alerts: [own.id] }
        const { id } = await stores.caseMoves.split(acme.uuid, await seen(other.caseId!), split, somebodyElse)
        await change({ status: 'closed' }, id)
        expect(await ids('wait')).to.deep.equal([other.caseId, id])
      })

      it('gives only the events of the filter, and those of any case on demand', async () => {
        await watchCase(null, ['closed'])
        await change({ severity: 'high' })
        const other = await startedRun(subject(), await alert('phishing'))
        await change({ status: 'closed' }, other.caseId!)
        expect(await changes()).to.deep.equal(['closed status_changed'])
        expect(await waits().arm(run.uuid, 'wait')).to.equal(false)
      })

      it('keeps a bounded number of changes, and says that there were more', async () => {
        await watchCase(null)
        for (let index = 0; index <= maxKeptChanges; index++)
          await change({ severity: index % 2 === 0 ? 'high' : 'low', summary: String(index) })
        expect((await watchCase(null)).lastFailure).to.equal(changesLost)
        expect((await waits().next(run.uuid, 'wait', 5_000)).events).to.have.length(maxKeptChanges)
      })
    })

    it('ends with its run', async () => {
      await open({ types: null })
      await waits().arm(run.uuid, 'wait')
      await subject().stores.runs.end(run.uuid, completed)
      await alert('isolated')
      expect(woken).to.deep.equal([])
    })
  })
}

const somebodyElse = { kind: 'api_key', id: '0123456789ab', name: 'ops', requestId: null } as const
