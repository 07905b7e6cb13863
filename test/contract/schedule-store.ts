import { expect } from 'chai'
import type { StoredSchedule } from '../../core/ports/runs/schedule-store.ts'
import type { GetSubject } from './fixture.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'
import { somebody } from '../support/somebody.ts'

export function scheduleStoreContract(subject: GetSubject): void {
  describe('ScheduleStore', () => {
    const store = () => subject().stores.schedules
    const schedule = (changes: Partial<StoredSchedule> = {}): StoredSchedule => ({
      playbookName: 'patrol',
      organizationUuid: subject().acme.uuid,
      cron: '0 8 * * *',
      timezone: 'UTC',
      nextAt: 100,
      ...changes,
    })
    const run = () => ({
      organizationUuid: subject().acme.uuid,
      playbookName: 'patrol',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
    const fire = (from: StoredSchedule, nextAt: number, overlap = false) =>
      store().fire(from, nextAt, run(), { overlap })

    it('keeps exactly the given schedules, and overdue ones stay overdue until they fire', async () => {
      const { globex } = subject()
      await store().keep([schedule(), schedule({ organizationUuid: globex.uuid })])
      expect(await store().keep([schedule({ nextAt: 999 })])).to.deep.equal([schedule({ nextAt: 100 })])
      const hourly = schedule({ cron: '0 * * * *', nextAt: 50 })
      expect(await store().keep([hourly])).to.deep.equal([hourly])
      const local = schedule({ cron: '0 * * * *', timezone: 'Europe/Berlin', nextAt: 60 })
      expect(await store().keep([local])).to.deep.equal([local])
      expect(await store().keep([])).to.deep.equal([])
    })

    it('recalculates a next time that was set while the clock was hours ahead', async () => {
      const hour = 3_600_000
      await store().keep([schedule({ nextAt: 10 * hour })])
      expect(await store().keep([schedule({ nextAt: 8 * hour })])).to.deep.equal([
        schedule({ nextAt: 10 * hour }),
      ])
      expect(await store().keep([schedule({ nextAt: 6 * hour })])).to.deep.equal([
        schedule({ nextAt: 6 * hour }),
      ])
    })

    it('fires once per due time', async () => {
      await store().keep([schedule()])
      const [first, second] = await Promise.all([fire(schedule(), 200, true), fire(schedule(), 200, true)])
      expect(first).to.include({ status: 'queued', playbookName: 'patrol' })
      expect(second).to.deep.equal({ nextAt: 200 })
      expect(await store().keep([schedule()])).to.deep.equal([schedule({ nextAt: 200 })])
    })

    it('skips a time while the previous run is still running, unless they may overlap', async () => {
      const { stores } = subject()
      await store().keep([schedule()])
      const first = await fire(schedule(), 200)
      expect(await fire(schedule({ nextAt: 200 }), 300)).to.equal('running')
      expect(await fire(schedule({ nextAt: 300 }), 400, true)).to.include({ status: 'queued' })
      expect(await fire(schedule({ nextAt: 400 }), 500)).to.equal('running')
      for (const { uuid } of await unfinishedRuns(stores))
        await stores.runs.cancel('all', uuid, somebody('anna'))
      expect(first).to.not.equal(undefined)
      expect(await fire(schedule({ nextAt: 500 }), 600)).to.include({ status: 'queued' })
    })
  })
}
