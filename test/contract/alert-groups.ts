import { personOf } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Run } from '../../core/domain/run.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { completed, expectRejection, failed, newAlert, timelineOf, type GetSubject } from './fixture.ts'
import { somebody } from '../support/somebody.ts'

const windowMs = 60_000

export function alertGroupsContract(subject: GetSubject): void {
  describe('RunStore, alerts that may repeat', () => {
    async function post(what = 'a', organization: Organization = subject().acme) {
      const { stores } = subject()
      const alert = await stores.alerts.create(newAlert(organization))
      const run = {
        organizationUuid: organization.uuid,
        playbookName: 'triage',
        playbookHash: 'a'.repeat(64),
        alertUuid: alert.uuid,
      }
      const fingerprint = Buffer.from(what.padEnd(32))
      const group = {
        fingerprint,
        reason: 'user is the same',
        windowMs,
        caseTitle: (id: string) => `about ${id}`,
      }
      return { alert, queued: await stores.runs.queueOrGroup(run, group) }
    }

    async function first(what?: string, organization?: Organization): Promise<{ alert: Alert; run: Run }> {
      const { alert, queued } = await post(what, organization)
      if (!('run' in queued)) return expect.fail(`${alert.id} was grouped with ${queued.groupedWith}`)
      return { alert, run: queued.run }
    }

    async function repeat(what?: string): Promise<Alert> {
      const { alert, queued } = await post(what)
      if ('run' in queued) return expect.fail(`${alert.id} was no repeat`)
      return alert
    }

    const now = async ({ uuid }: Alert) => (await subject().stores.alerts.find('all', uuid))!
    const start = async ({ uuid }: Run) => (await subject().stores.runs.start(uuid, { title: 'its own' }))!
    const end = (run: Run, outcome: typeof completed | typeof failed) =>
      subject().stores.runs.end(run.uuid, outcome)

    it('queues a run for the first alert; a repeat joins its case without a run', async () => {
      const { stores } = subject()
      const { alert, run } = await first()
      await start(run)
      const again = await repeat()
      const { caseId } = await now(alert)
      expect(await now(again)).to.include({
        status: 5,
        caseId,
        investigator: 'triage',
        groupedWith: alert.id,
        groupedBecause: 'user is the same',
        completedAt: null,
      })
      expect(await now(alert)).to.include({ groupedWith: null, groupedBecause: null })
      expect((await stores.runs.list('all', {}, { limit: 5 })).total).to.equal(1)
      const counts = async (scope: 'all' | readonly string[], from: number) =>
        (await stores.runs.resultsOf(scope, { name: 'triage', weekFrom: from, monthFrom: 0, runs: 1 }))
          .repeats
      expect(await counts('all', 0)).to.deep.equal({ week: 1, month: 1 })
      expect(await counts('all', subject().clock.nowMs + 1)).to.deep.equal({ week: 0, month: 1 })
      expect(await counts([subject().globex.uuid], 0)).to.deep.equal({ week: 0, month: 0 })
      expect((await stores.cases.list('all', {}, { limit: 5 })).total).to.equal(1)
      expect((await stores.alerts.list('all', { caseId: caseId ?? '' }, { limit: 5 })).total).to.equal(2)
      const texts = (await timelineOf(stores, caseId ?? '')).map(({ text }) => text)
      expect(texts.at(-1)).to.equal(
        `Alert ${again.id} was grouped with ${alert.id} because user is the same.`,
      )
    })

    it('gives repeats the outcome of the run', async () => {
      for (const [what, outcome, status] of [
        ['a', completed, 15],
        ['b', failed, 20],
      ] as const) {
        const { run } = await first(what)
        const started = await start(run)
        const again = await repeat(what)
        subject().clock.nowMs += 5
        await end(started, outcome)
        expect(await now(again)).to.include({ status, completedAt: subject().clock.nowMs })
      }
    })

    it('ends more than a thousand repeats', async () => {
      const { stores } = subject()
      const { run } = await first()
      const started = await start(run)
      await Promise.all(Array.from({ length: 2_100 }, () => repeat()))
      await end(started, completed)
      expect((await stores.alerts.list('all', { status: 15 }, { limit: 1 })).total).to.equal(2_101)
    })

    it('completes a repeat at once if the first alert is completed', async () => {
      const { run } = await first()
      await end(await start(run), completed)
      expect(await now(await repeat())).to.include({ status: 15, completedAt: subject().clock.nowMs })
    })

    it('opens the case for a repeat if the run has not started; the run uses it', async () => {
      const { alert, run } = await first()
      const again = await repeat()
      const { caseId } = await now(again)
      expect((await now(alert)).caseId).to.equal(caseId)
      expect((await start(run)).caseId).to.equal(caseId)
      const { stores } = subject()
      const timeline = await timelineOf(stores, caseId ?? '')
      expect(timeline.map(({ text }) => text)).to.include(`Alert ${alert.id} is investigated by triage.`)
      expect((await stores.cases.find('all', caseId ?? ''))?.title).to.equal(`about ${alert.id}`)
    })

    it('investigates a repeat of a failed alert in the same case, which later repeats join', async () => {
      const { alert, run } = await first()
      await end(await start(run), failed)
      const { alert: second, run: another } = await first()
      const started = await start(another)
      expect(started.caseId).to.equal((await now(alert)).caseId)
      expect(await now(second)).to.include({ status: 10, groupedWith: alert.id })
      const third = await repeat()
      expect((await now(third)).groupedWith).to.equal(second.id)
      await end(started, completed)
      expect(await now(third)).to.include({ status: 15 })
    })

    it('completes failed repeats when a retry of the first alert completes', async () => {
      const { stores } = subject()
      const { alert, run } = await first()
      const started = await start(run)
      const again = await repeat()
      await end(started, failed)
      const given = {
        organizationUuid: run.organizationUuid,
        playbookName: 'triage',
        playbookHash: 'a'.repeat(64),
      }
      const retried = await stores.runs.queue({ ...given, alertUuid: alert.uuid, retry: true })
      expect((await now(again)).status).to.equal(20)
      await end(await start(retried), completed)
      expect(await now(again)).to.include({ status: 15, retryCount: 0 })
    })

    it('ignores a repeat that was investigated separately', async () => {
      const { stores } = subject()
      const { run } = await first()
      const started = await start(run)
      const again = await repeat()
      await end(started, failed)
      const given = {
        organizationUuid: run.organizationUuid,
        playbookName: 'own',
        playbookHash: 'a'.repeat(64),
      }
      const own = await stores.runs.queue({ ...given, alertUuid: again.uuid, retry: true })
      await start(own)
      const retried = await stores.runs.queue({
        ...given,
        alertUuid: (await stores.alerts.find('all', 'Acme-SIEM-1'))!.uuid,
        retry: true,
      })
      await end(await start(retried), completed)
      expect(await now(again)).to.include({ status: 10, investigator: 'own' })
    })

    it('ends repeats when a queued run is cancelled', async () => {
      const { run } = await first()
      const again = await repeat()
      await subject().stores.runs.cancel('all', run.uuid, somebody())
      expect((await now(again)).status).to.equal(20)
    })

    it('begins a new group after the window, counted from the first alert', async () => {
      await first()
      subject().clock.nowMs += windowMs - 1
      await repeat()
      subject().clock.nowMs += 1
      await first()
      await repeat()
    })

    it('begins a new group after the case was closed', async () => {
      const { stores, acme } = subject()
      const { alert, run } = await first()
      await end(await start(run), completed)
      const { caseId } = await now(alert)
      await stores.cases.edit(acme.uuid, caseId ?? '', { status: 'closed' }, personOf('kim'), undefined)
      const { run: another } = await first()
      expect((await start(another)).caseId).to.not.equal(caseId)
    })

    it('begins a new group when the clock was set back', async () => {
      await first()
      subject().clock.nowMs -= 10 * windowMs
      await first()
      subject().clock.nowMs += windowMs
      await first()
    })

    it('separates fingerprints and organizations', async () => {
      await first('a')
      await first('b')
      await first('a', subject().globex)
    })

    it('names the first ten repeats in the timeline, and then every power of ten', async () => {
      const { stores } = subject()
      const { run } = await first()
      const { caseId } = await start(run)
      for (let count = 0; count < 101; count++) await repeat()
      const entries = (await timelineOf(stores, caseId ?? '')).filter(({ text }) =>
        text.includes('was grouped'),
      )
      expect(entries).to.have.length(11)
      expect(entries.at(-1)?.text).to.match(/ 100 repeats so far\.$/)
    })

    it('ends repeats that a process has left because it stopped between the end of the run and theirs', async () => {
      const { stores, another } = subject()
      const { run } = await first()
      await start(run)
      const posted = await Promise.all(Array.from({ length: 1_100 }, () => post()))
      expect(posted.some(({ queued }) => 'run' in queued)).to.equal(false)
      // The first thousand end in the same write as the run, the others in a later one.
      const stopping = await another()
      const stopped = new UnavailableError('store_closed', 'the process stops', { retryAfterMs: 1 })
      stopping.runs.settleFollowers = () => Promise.reject(stopped)
      await expectRejection(stopping.runs.end(run.uuid, completed), 'UnavailableError', 'store_closed')
      await stopping.close()
      const count = async (status: 5 | 15) =>
        (await stores.alerts.list('all', { status }, { limit: 1 })).total
      expect([await count(5), await count(15)], 'left behind').to.deep.equal([100, 1_001])
      await stores.runs.settleFollowers()
      expect([await count(5), await count(15)]).to.deep.equal([0, 1_101])
    })

    it('queues one run for concurrent alerts', async () => {
      const posted = await Promise.all(Array.from({ length: 20 }, () => post()))
      expect(posted.filter(({ queued }) => 'run' in queued)).to.have.length(1)
    })
  })
}
