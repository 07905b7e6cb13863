import { expect } from 'chai'
import { alertFields, alertStatus, type Alert } from '../../core/domain/alert.ts'
import type { FirstRun } from '../../core/ports/alert-store.ts'
import { newAlert, timelineOf, type GetSubject } from './fixture.ts'

export function firstRunsContract(subject: GetSubject): void {
  const begin = { title: 'Phishing' }
  const stored = async ({ uuid }: Alert) => (await subject().stores.alerts.find('all', uuid))!
  const theRun = (organizationUuid: string) => ({
    organizationUuid,
    playbookName: 'triage',
    playbookHash: 'a'.repeat(64),
  })

  describe('RunStore, of runs that start when they are queued', () => {
    it('gives a run like one that is queued and started, in one write', async () => {
      const { stores, acme, clock } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      clock.nowMs += 5
      const given = { ...theRun(acme.uuid), alertUuid: alert.uuid, choice: 'Chosen: triage.' }
      const run = await stores.runs.queue(given, begin)
      expect(run).to.include({ status: 'running', startedAt: clock.nowMs, caseId: 'Acme-1' })
      expect(await stores.runs.find('all', run.uuid)).to.deep.equal(run)
      expect(await stored(alert)).to.include({
        status: alertStatus.inProgress,
        caseId: 'Acme-1',
        investigator: 'triage',
        modifiedAt: clock.nowMs,
      })
      const own = { kind: 'run', id: run.uuid, name: 'triage' }
      const timeline = await timelineOf(stores, 'Acme-1')
      expect(timeline.map(({ kind, actor }) => [kind, actor])).to.deep.equal([
        ['opened', own],
        ['alert', own],
        ['alert', own],
      ])
      expect(timeline[2]?.text).to.equal('Chosen: triage.')
      expect(await stores.runs.take(run.uuid), 'it has its turn').to.equal(undefined)
    })

    it('queues a run behind an active one of its concurrency key', async () => {
      const { stores, acme } = subject()
      const queue = async () => {
        const { uuid } = await stores.alerts.create(newAlert(acme))
        const concurrency = { key: 'host', policy: 'queue' } as const
        return await stores.runs.queue({ ...theRun(acme.uuid), alertUuid: uuid, concurrency }, begin)
      }
      expect(await queue()).to.include({ status: 'running', exclusive: true })
      expect(await queue()).to.include({ status: 'queued', exclusive: true, caseId: null })
    })
  })

  describe('AlertStore, of alerts that are stored with their first run', () => {
    const group = (what: string) => ({
      fingerprint: Buffer.from(what.padEnd(32)),
      reason: 'user is the same',
      windowMs: 60_000,
      caseTitle: (id: string) => `about ${id}`,
    })
    const receive = (what: string, changes: Partial<FirstRun> = {}, key?: string) => {
      const { stores, acme } = subject()
      const first = { run: theRun(acme.uuid), begin: undefined, ...changes }
      const once = key === undefined ? undefined : { key, keepMs: 60_000 }
      return stores.alerts.receive(newAlert(acme), { once, firstRun: () => first, group: group(what) })
    }

    it('gives the alert as it came, and queues or starts its run', async () => {
      const { stores } = subject()
      const { alert, run } = await receive('a')
      expect(alert.status).to.equal(alertStatus.created)
      expect(run).to.include({ status: 'queued', alertId: alert.id })
      expect(await stored(alert)).to.include({ status: alertStatus.submitted, investigator: 'triage' })
      const started = await receive('b', { begin })
      expect(started.run).to.include({ status: 'running', caseId: 'Acme-1' })
      expect(await stored(started.alert)).to.include({ status: alertStatus.inProgress, caseId: 'Acme-1' })
      expect(await stores.alerts.awaitingInvestigation(10)).to.deep.equal([])
    })

    it('gives all that an investigation changes in the answer to a new alert', async () => {
      const { stores, clock } = subject()
      const { alert, run } = await receive('a', { begin })
      clock.nowMs += 5
      await stores.runs.end(run!.uuid, { status: 'completed', output: null, error: null })
      const progress = await stores.alerts.progress(alert.uuid)
      expect(progress).to.deep.equal({
        status: alertStatus.completed,
        retryCount: 0,
        modifiedAt: clock.nowMs,
      })
      const [now, then] = [await stored(alert), { ...alert, ...progress }]
      for (const field of Object.keys(alertFields) as (keyof typeof alertFields)[])
        expect(then[field], field).to.equal(now[field])
      expect(await stores.alerts.progress('00000000-0000-7000-8000-000000000000')).to.equal(undefined)
    })

    it('tells which of many alerts have been investigated', async () => {
      const { stores } = subject()
      const [ended, failed, running] = [
        await receive('a', { begin }),
        await receive('b', { begin }),
        await receive('c', { begin }),
      ]
      await stores.runs.end(ended.run!.uuid, { status: 'completed', output: null, error: null })
      await stores.runs.end(failed.run!.uuid, {
        status: 'failed',
        output: null,
        error: { code: 'timeout', message: 'x' },
      })
      const { id } = ended.alert
      const others = [running.alert.id, 'Acme-SIEM-999', 'no id', `${id}' OR 1=1`]
      const given = [id.toLowerCase(), failed.alert.id, ...others]
      expect(await stores.alerts.ended(given)).to.have.members([id.toLowerCase(), failed.alert.id])
      expect(await stores.alerts.ended([])).to.deep.equal([])
    })

    it('queues no run for a repeat, which stays Created until it is grouped', async () => {
      const { stores, acme } = subject()
      const first = await receive('a', { begin })
      const { alert, run } = await receive('a', { begin })
      expect(run).to.equal(undefined)
      expect((await stored(alert)).status).to.equal(alertStatus.created)
      const given = { ...theRun(acme.uuid), alertUuid: alert.uuid }
      const queued = await stores.runs.queueOrGroup(given, group('a'))
      expect(queued).to.deep.include({ groupedWith: first.alert.id })
    })

    it('queues one run for a request that is repeated', async () => {
      const { alert, run } = await receive('a', {}, 'once')
      const again = await receive('a', {}, 'once')
      expect([again.replayed, again.run]).to.deep.equal([true, undefined])
      expect(again.alert).to.include({ id: alert.id, status: alertStatus.submitted })
      expect(
        (await subject().stores.runs.list('all', {}, { limit: 5 })).data.map(({ uuid }) => uuid),
      ).to.deep.equal([run?.uuid])
    })

    it('stores neither alert nor run if the run cannot be queued', async () => {
      const { stores, acme } = subject()
      const broken = new Error('no run')
      const firstRun = (): FirstRun => {
        throw broken
      }
      const [refused, other] = await Promise.allSettled([
        stores.alerts.receive(newAlert(acme), { firstRun }),
        receive('a', { begin }),
      ])
      expect(refused).to.deep.equal({ status: 'rejected', reason: broken })
      expect(other).to.nested.include({ 'value.run.caseId': 'Acme-1', 'value.alert.id': 'Acme-SIEM-1' })
      expect((await stores.alerts.list('all', {}, { limit: 5 })).total).to.equal(1)
    })
  })
}
