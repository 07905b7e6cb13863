import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import {
  completed,
  expectRejection,
  failed,
  newAlert,
  queuedRun,
  startedRun,
  unknownUuid,
  type GetSubject,
} from './fixture.ts'

const done = { state: 'completed', output: { n: 1 }, error: null, attempt: 2, endedAt: 20 } as const

/** Runs that go on from another. */
export function rerunsContract(subject: GetSubject): void {
  const retry = (run: Run, paths: readonly string[], alertUuid: string | null = null) =>
    subject().stores.runs.queue({
      organizationUuid: run.organizationUuid,
      playbookName: run.playbookName,
      playbookHash: 'b'.repeat(64),
      alertUuid,
      ...(alertUuid === null ? {} : { retry: true }),
      carriesOver: { runUuid: run.uuid, paths },
    })

  /** With a step that ended, one that failed once before, and one whose end nobody knows. */
  async function endedRun(): Promise<Run> {
    const { stores } = subject()
    const { uuid } = await startedRun(subject(), null)
    await stores.runs.openCase(uuid, { title: 'Phishing' })
    for (const path of ['a', 'b', 'c']) {
      const begun = { path, stepId: path, kind: 'x.do', input: { path }, attempt: 1, startedAt: 10 }
      await stores.journal.begin(uuid, begun)
    }
    const error = { code: 'http_503', message: 'later' }
    await stores.journal.attemptFailed(uuid, {
      path: 'b',
      attempt: 1,
      error,
      startedAt: 10,
      endedAt: 11,
      retryAt: 12,
    })
    for (const path of ['a', 'b']) await stores.journal.end(uuid, path, done)
    return await stores.runs.end(uuid, failed)
  }

  describe('RunStore, for runs that go on from another', () => {
    it('copies the entries that are named and have ended, with their failed attempts', async () => {
      const { journal } = subject().stores
      const run = await endedRun()
      const next = await retry(run, ['b', 'c', 'nowhere'])
      expect(next).to.include({ status: 'queued', retryOf: run.uuid, retriedBy: null, caseId: run.caseId })
      expect(await subject().stores.runs.find('all', run.uuid)).to.include({ retriedBy: next.uuid })
      const [, b] = await journal.entries(run.uuid)
      expect(await journal.entries(next.uuid)).to.deep.equal([{ ...b, carriedFrom: run.uuid }])
      expect(await journal.failedAttempts(next.uuid)).to.deep.equal(await journal.failedAttempts(run.uuid))
    })

    it('keeps the case, also without an alert, and says from retry to retry who did the work', async () => {
      const { stores } = subject()
      const run = await endedRun()
      expect(run.caseId).to.equal('Acme-1')
      const next = await retry(run, ['a'])
      expect((await stores.runs.start(next.uuid, { title: 'another' }))?.caseId).to.equal(run.caseId)
      expect(await stores.runs.openCase(next.uuid, { title: 'another' })).to.equal(run.caseId)
      const last = await retry(await stores.runs.end(next.uuid, failed), ['a'])
      expect((await stores.journal.entry(last.uuid, 'a'))?.carriedFrom).to.equal(run.uuid)
      expect((await stores.cases.list('all', {}, { limit: 5 })).total).to.equal(1)
    })

    it('goes on from a run once, also when two try at once', async () => {
      const run = await endedRun()
      expect(await subject().stores.runs.isSuperseded(run.uuid)).to.equal(false)
      const tries = await Promise.allSettled([retry(run, ['a']), retry(run, ['a'])])
      expect(tries.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
      await expectRejection(retry(run, []), 'ConflictError', 'run_superseded')
      expect(await subject().stores.runs.isSuperseded(run.uuid)).to.equal(true)
      expect((await subject().stores.runs.list('all', {}, { limit: 5 })).total).to.equal(2)
    })

    it('goes on from what has ended, in the same organization', async () => {
      const { globex } = subject()
      const running = await startedRun(subject(), null)
      await expectRejection(retry(running, []), 'ConflictError', 'run_not_ended')
      const run = await endedRun()
      const foreign = { ...run, organizationUuid: globex.uuid }
      await expectRejection(retry(foreign, []), 'NotFoundError', 'run_not_found')
      await expectRejection(retry({ ...run, uuid: unknownUuid }, []), 'NotFoundError', 'run_not_found')
    })

    it('does not go on from a run whose alert was investigated later, or is', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const first = await startedRun(subject(), alert)
      const run = await stores.runs.end(first.uuid, failed)
      const again = await startedRun(subject(), alert, true)
      await expectRejection(retry(run, [], alert.uuid), 'ConflictError', 'run_superseded')
      const last = await stores.runs.end(again.uuid, failed)
      await expectRejection(retry(run, [], alert.uuid), 'ConflictError', 'run_superseded')
      expect(await retry(last, [], alert.uuid)).to.include({ alertId: alert.id })
      expect(await stores.alerts.find('all', alert.id)).to.include({ retryCount: 2 })
    })

    it('lists the failed runs that nothing has gone on from, by playbook, error and time', async () => {
      const { stores, clock } = subject()
      const run = await endedRun()
      clock.nowMs += 10
      const other = await endedRun()
      await stores.runs.end((await startedRun(subject(), null)).uuid, completed)
      await queuedRun(subject(), null)
      const uuids = async (filter: object) =>
        (await stores.runs.list('all', { ...filter, retriable: true }, { limit: 5 })).data.map(
          ({ uuid }) => uuid,
        )
      expect(await uuids({})).to.deep.equal([other.uuid, run.uuid])
      expect(await uuids({ playbookName: run.playbookName, errorCode: 'timeout' })).to.have.length(2)
      expect(await uuids({ playbookName: 'other' })).to.deep.equal([])
      expect(await uuids({ errorCode: 'other' })).to.deep.equal([])
      expect(await uuids({ createdAfter: other.createdAt })).to.deep.equal([other.uuid])
      expect(await uuids({ createdBefore: other.createdAt })).to.deep.equal([run.uuid])
      await retry(other, [])
      expect(await uuids({})).to.deep.equal([run.uuid])
    })
  })
}
