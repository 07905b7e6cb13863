import { expect } from 'chai'
import { alertStatus } from '../../core/domain/alert.ts'
import {
  completed,
  expectRejection,
  timelineOf,
  failed,
  newAlert,
  queuedRun,
  startedRun,
  unknownUuid,
  uuidPattern,
  type GetSubject,
} from './fixture.ts'
import { someAuthor, somebody } from '../support/somebody.ts'

export function runStoreContract(subject: GetSubject): void {
  const stored = async (id: string) =>
    (await subject().stores.alerts.find('all', id)) ?? expect.fail('no alert')

  describe('RunStore', () => {
    it('queues a run, and submits its alert with the playbook as investigator', async () => {
      const { stores, acme, clock } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      clock.nowMs += 5
      const run = await queuedRun(subject(), alert)
      expect(run).to.deep.equal({
        uuid: run.uuid,
        organizationUuid: acme.uuid,
        playbookName: 'phishing-triage',
        playbookHash: 'a'.repeat(64),
        alertId: alert.id,
        caseId: null,
        status: 'queued',
        inputs: {},
        exclusive: false,
        cancellation: null,
        createdAt: clock.nowMs,
        startedAt: null,
        endedAt: null,
        output: null,
        error: null,
        retryOf: null,
        retriedBy: null,
        prunedAt: null,
      })
      expect(run.uuid).to.match(uuidPattern)
      const { status, investigator, retryCount, modifiedAt } = await stored(alert.id)
      expect({ status, investigator, retryCount, modifiedAt }).to.deep.equal({
        status: alertStatus.submitted,
        investigator: 'phishing-triage',
        retryCount: 0,
        modifiedAt: clock.nowMs,
      })
    })

    it('starts a run with a new case; alert, run and case are linked', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const run = await startedRun(subject(), alert)
      expect(run).to.include({ status: 'running', caseId: 'Acme-1', alertId: alert.id })
      expect(await stored(alert.id)).to.include({ status: alertStatus.inProgress, caseId: 'Acme-1' })
      expect(await stores.cases.find('all', 'Acme-1')).to.include({ title: 'Phishing', status: 'open' })
      const timeline = await timelineOf(stores, 'Acme-1')
      const own = { kind: 'run', id: run.uuid, name: run.playbookName }
      expect(timeline.map(({ kind, actor }) => [kind, actor])).to.deep.equal([
        ['opened', own],
        ['alert', own],
      ])
      expect(timeline[1]?.text).to.include(alert.id)
    })

    for (const [end, status] of [
      [completed, alertStatus.completed],
      [failed, alertStatus.failed],
      [{ status: 'cancelled', output: null, error: null }, alertStatus.failed],
    ] as const) {
      it(`ends a run as ${end.status}, and its alert with the time`, async () => {
        const { stores, acme, clock } = subject()
        const alert = await stores.alerts.create(newAlert(acme))
        const { uuid } = await startedRun(subject(), alert)
        clock.nowMs += 7
        const run = await stores.runs.end(uuid, end)
        expect(run).to.deep.include({ ...end, endedAt: clock.nowMs })
        expect(await stores.runs.find('all', uuid)).to.deep.equal(run)
        expect(await stored(alert.id)).to.include({
          status,
          completedAt: clock.nowMs,
          modifiedAt: clock.nowMs,
        })
        const [last] = (await timelineOf(stores, 'Acme-1')).slice(-1)
        expect(last).to.include({ kind: 'run_ended', at: clock.nowMs })
      })
    }

    it('starts and ends a run once, also for concurrent calls', async () => {
      const { stores } = subject()
      const { uuid } = await queuedRun(subject(), null)
      const start = () => stores.runs.start(uuid, { title: 'x' })
      const starts = await Promise.allSettled([start(), start()])
      expect(starts.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
      await expectRejection(start(), 'ConflictError', 'run_not_queued')
      const ends = await Promise.allSettled([stores.runs.end(uuid, completed), stores.runs.end(uuid, failed)])
      expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
      await expectRejection(stores.runs.end(uuid, failed), 'ConflictError', 'run_not_running')
      expect((await stores.runs.find('all', uuid))?.status).to.equal('completed')
    })

    it('opens the case of a run without an alert once, on request', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      expect(run.caseId).to.equal(null)
      const open = () => stores.runs.openCase(run.uuid, { title: 'Found something' })
      expect(await Promise.all([open(), open()])).to.deep.equal(['Acme-1', 'Acme-1'])
      expect((await stores.runs.find('all', run.uuid))?.caseId).to.equal('Acme-1')
      expect((await stores.runs.end(run.uuid, completed)).caseId).to.equal('Acme-1')
      expect(await open(), 'it is there').to.equal('Acme-1')
      const kinds = (await timelineOf(stores, 'Acme-1')).map(({ kind }) => kind)
      expect(kinds).to.deep.equal(['opened', 'run_ended'])
    })

    it('opens no case for a run that is over or has not begun', async () => {
      const { stores } = subject()
      const { uuid } = await queuedRun(subject(), null)
      const open = () => stores.runs.openCase(uuid, { title: 'Too early' })
      await expectRejection(open(), 'ConflictError', 'run_not_running')
      await stores.runs.start(uuid, { title: 'x' })
      await stores.runs.end(uuid, completed)
      await expectRejection(open(), 'ConflictError', 'run_not_running')
      expect((await stores.cases.list('all', {}, { limit: 5 })).total).to.equal(0)
    })

    it('does not complete a run that has not started', async () => {
      const { stores } = subject()
      const { uuid } = await queuedRun(subject(), null)
      await expectRejection(stores.runs.end(uuid, completed), 'ConflictError', 'run_not_running')
      await expectRejection(stores.runs.end(uuid, failed), 'ConflictError', 'run_not_running')
    })

    it('cancels a queued run, which leaves its alert Failed without a case', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const { uuid } = await queuedRun(subject(), alert)
      await stores.runs.end(uuid, { status: 'cancelled', output: null, error: null })
      expect(await stored(alert.id)).to.include({ status: alertStatus.failed, caseId: null })
      await expectRejection(stores.runs.start(uuid, { title: 'x' }), 'ConflictError', 'run_not_queued')
    })

    it('investigates an alert again with a higher retry count and the same case', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const first = await startedRun(subject(), alert)
      await stores.runs.end(first.uuid, failed)
      const second = await startedRun(subject(), alert, true)
      await stores.runs.end(second.uuid, completed)
      expect(await stored(alert.id)).to.include({
        status: alertStatus.completed,
        retryCount: 1,
        caseId: 'Acme-1',
      })
      await queuedRun(subject(), alert, true)
      expect(await stored(alert.id)).to.include({
        status: alertStatus.submitted,
        retryCount: 2,
        completedAt: null,
      })
      expect((await stores.cases.list('all', {}, { limit: 5 })).total).to.equal(1)
      const kinds = (await timelineOf(stores, 'Acme-1')).map(({ kind }) => kind)
      expect(kinds).to.deep.equal(['opened', 'alert', 'run_ended', 'alert', 'run_ended'])
    })

    it('reopens an ended alert only for a retry, and starts a first run only for a new alert', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      await expectRejection(queuedRun(subject(), alert, true), 'ConflictError', 'alert_move_forbidden')
      const { uuid } = await startedRun(subject(), alert, false)
      for (const retry of [true, false, undefined]) {
        await expectRejection(queuedRun(subject(), alert, retry), 'ConflictError', 'alert_move_forbidden')
      }
      await stores.runs.end(uuid, completed)
      // As if two processes took over the alert, and one was slow.
      await expectRejection(queuedRun(subject(), alert), 'ConflictError', 'alert_move_forbidden')
      expect(await stored(alert.id)).to.include({ status: alertStatus.completed, retryCount: 0 })
      expect((await stores.runs.list('all', {}, { limit: 5 })).total).to.equal(1)
      expect(await queuedRun(subject(), alert, true)).to.include({ status: 'queued' })
    })

    it('does not queue a second run while one is running', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const { uuid } = await queuedRun(subject(), alert)
      await expectRejection(queuedRun(subject(), alert), 'ConflictError', 'alert_move_forbidden')
      await stores.runs.start(uuid, { title: 'x' })
      await expectRejection(queuedRun(subject(), alert), 'ConflictError', 'alert_move_forbidden')
      expect((await stores.runs.list('all', {}, { limit: 5 })).total).to.equal(1)
      expect(await stored(alert.id)).to.include({ retryCount: 0 })
    })

    it('distinguishes unknown alerts, runs and organizations from known ones', async () => {
      const { stores, acme, globex } = subject()
      const foreign = await stores.alerts.create(newAlert(globex))
      await expectRejection(queuedRun(subject(), foreign), 'NotFoundError', 'alert_not_found')
      const run = { organizationUuid: unknownUuid, playbookName: 'x', playbookHash: 'y', alertUuid: null }
      await expectRejection(stores.runs.queue(run), 'NotFoundError', 'organization_not_found')
      await expectRejection(stores.runs.start(unknownUuid, { title: 'x' }), 'NotFoundError', 'run_not_found')
      await expectRejection(stores.runs.end(unknownUuid, failed), 'NotFoundError', 'run_not_found')
      const { uuid } = await queuedRun(subject(), null)
      expect(await stores.runs.find([globex.uuid], uuid)).to.equal(undefined)
      expect((await stores.runs.list([globex.uuid], {}, { limit: 5 })).total).to.equal(0)
      expect((await stores.runs.find([acme.uuid], uuid))?.uuid).to.equal(uuid)
    })

    it('lists the runs of one alert, newest first', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const first = await startedRun(subject(), alert)
      await stores.runs.end(first.uuid, failed)
      const second = await queuedRun(subject(), alert, true)
      await queuedRun(subject(), null)
      const page = await stores.runs.list('all', { alertId: alert.id.toLowerCase() }, { limit: 5 })
      expect(page.data.map(({ uuid }) => uuid)).to.deep.equal([second.uuid, first.uuid])
      expect((await stores.runs.list('all', { alertId: 'Acme-SIEM-99' }, { limit: 5 })).total).to.equal(0)
    })

    it('lists runs of events without the fields of the event', async () => {
      const { stores, acme } = subject()
      const trigger = {
        kind: 'webhook',
        at: '2026-01-01T00:00:00.000Z',
        chain: ['a'],
        body: { b: 1 },
      } as const
      const given = { organizationUuid: acme.uuid, playbookName: 'hook', playbookHash: 'a'.repeat(64) }
      for (const isSensitive of [true, false]) {
        const { uuid } = await stores.runs.queue({ ...given, alertUuid: null, trigger, isSensitive })
        const [listed] = (await stores.runs.list('all', {}, { limit: 1 })).data
        expect(listed?.trigger).to.deep.equal({ kind: 'webhook', at: trigger.at, chain: ['a'] })
        expect((await stores.runs.find('all', uuid))?.trigger).to.deep.equal(trigger)
      }
    })

    it('lists the runs of a case, without their output', async () => {
      const subjects = subject()
      const { stores, acme, globex } = subjects
      const run = await startedRun(subjects, await stores.alerts.create(newAlert(acme)))
      await startedRun(subjects, await stores.alerts.create(newAlert(acme)))
      await stores.runs.end(run.uuid, completed)
      const caseId = run.caseId?.toUpperCase()
      const page = await stores.runs.list('all', { caseId }, { limit: 5 })
      expect(page.data.map(({ uuid }) => uuid)).to.deep.equal([run.uuid])
      expect(page.data[0]).to.include({ status: 'completed' }).and.not.have.property('output')
      for (const other of ['Acme-99', 'nonsense']) {
        expect((await stores.runs.list('all', { caseId: other }, { limit: 5 })).total).to.equal(0)
      }
      expect((await stores.runs.list([globex.uuid], { caseId }, { limit: 5 })).total).to.equal(0)
    })

    describe('runs with one concurrency key', () => {
      const queue = (key: string, policy: 'queue' | 'drop' = 'queue', organization = subject().acme) =>
        subject().stores.runs.queue({
          organizationUuid: organization.uuid,
          playbookName: 'contain',
          playbookHash: 'a'.repeat(64),
          alertUuid: null,
          concurrency: { key, policy },
        })
      const start = ({ uuid }: { readonly uuid: string }) =>
        subject().stores.runs.start(uuid, { title: 'Contained' })

      it('start one after the other in the order of queueing', async () => {
        const { runs } = subject().stores
        const [first, second, third, other] = [
          await queue('a'),
          await queue('a'),
          await queue('a'),
          await queue('b'),
        ]
        await start(first)
        await start(other)
        expect(await start(second)).to.equal(undefined)
        expect(await start(third)).to.equal(undefined)
        await runs.end(first.uuid, completed)
        expect((await runs.nextInLine(first.uuid))?.uuid).to.equal(second.uuid)
        expect(await start(third)).to.equal(undefined)
        expect(await start(second)).to.include({ status: 'running' })
        expect((await runs.nextInLine(other.uuid))?.uuid).to.equal(undefined)
      })

      it('are dropped with their alerts if the playbook says so', async () => {
        const { stores, globex } = subject()
        const first = await queue('a', 'drop')
        expect(await queue('a', 'drop')).to.nested.include({
          status: 'cancelled',
          'error.code': 'run_dropped',
        })
        expect(await queue('a', 'drop', globex), 'another organization').to.include({ status: 'queued' })
        await stores.runs.cancel('all', first.uuid, somebody('anna'))
        expect(await queue('a', 'drop')).to.include({ status: 'queued' })
      })
    })

    it('keeps inputs unchanged', async () => {
      const { stores, acme } = subject()
      const inputs = { user: 'eve', days: [1, 2], deep: { x: null } }
      const { uuid } = await stores.runs.queue({
        organizationUuid: acme.uuid,
        playbookName: 'p',
        playbookHash: 'a'.repeat(64),
        alertUuid: null,
        inputs,
      })
      expect((await stores.runs.find('all', uuid))?.inputs).to.deep.equal(inputs)
    })

    it('cancels a queued run at once, and records the requester for a running one', async () => {
      const { stores, acme, globex, clock } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const queued = await queuedRun(subject(), alert)
      await expectRejection(
        stores.runs.cancel([globex.uuid], queued.uuid, somebody('x')),
        'NotFoundError',
        'run_not_found',
      )
      expect(await stores.runs.cancel('all', queued.uuid, somebody('anna'))).to.nested.include({
        status: 'cancelled',
        'error.code': 'run_cancelled',
      })
      expect(await stored(alert.id)).to.include({ status: alertStatus.failed })
      await expectRejection(
        stores.runs.cancel('all', queued.uuid, somebody('x')),
        'ConflictError',
        'run_has_ended',
      )
      const running = await startedRun(subject(), null)
      const asked = await stores.runs.cancel([acme.uuid], running.uuid, somebody('anna'))
      expect(asked).to.deep.include({
        status: 'running',
        cancellation: { by: someAuthor('anna'), at: clock.nowMs },
      })
      expect(
        (await stores.runs.cancel('all', running.uuid, somebody('bert'))).cancellation?.by.name,
      ).to.equal('anna')
    })
  })
}
