import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewRun, Run } from '../../core/domain/run.ts'
import { somebody } from '../support/somebody.ts'
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

/** Runs that continue another run. */
export function rerunsContract(subject: GetSubject): void {
  const retry = (
    run: Run,
    paths: readonly string[],
    alertUuid: string | null = null,
    more: Partial<NewRun> = {},
  ) =>
    subject().stores.runs.queue({
      ...more,
      organizationUuid: run.organizationUuid,
      playbookName: run.playbookName,
      playbookHash: 'b'.repeat(64),
      alertUuid,
      ...(alertUuid === null ? {} : { retry: true }),
      carriesOver: { runUuid: run.uuid, paths },
    })

  /** With a completed step, one that failed once before, and one with unknown outcome. */
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

  describe('RunStore, retries of runs', () => {
    it('copy the given ended entries with their failed attempts', async () => {
      const { journal } = subject().stores
      const run = await endedRun()
      const next = await retry(run, ['b', 'c', 'nowhere'])
      expect(next).to.include({ status: 'queued', retryOf: run.uuid, retriedBy: null, caseId: run.caseId })
      expect(await subject().stores.runs.find('all', run.uuid)).to.include({ retriedBy: next.uuid })
      const [, b] = await journal.entries(run.uuid)
      expect(await journal.entries(next.uuid)).to.deep.equal([{ ...b, carriedFrom: run.uuid }])
      expect(await journal.failedAttempts(next.uuid)).to.deep.equal(await journal.failedAttempts(run.uuid))
    })

    it('keep the case, also without an alert, and the run that did the work across retries', async () => {
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

    it('continue a run once, also for concurrent requests', async () => {
      const run = await endedRun()
      expect(await subject().stores.runs.isSuperseded(run.uuid)).to.equal(false)
      const tries = await Promise.allSettled([retry(run, ['a']), retry(run, ['a'])])
      expect(tries.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
      await expectRejection(retry(run, []), 'ConflictError', 'run_superseded')
      expect(await subject().stores.runs.isSuperseded(run.uuid)).to.equal(true)
      expect((await subject().stores.runs.list('all', {}, { limit: 5 })).total).to.equal(2)
    })

    it('require an ended run of the same organization', async () => {
      const { globex } = subject()
      const running = await startedRun(subject(), null)
      await expectRejection(retry(running, []), 'ConflictError', 'run_not_ended')
      const run = await endedRun()
      const foreign = { ...run, organizationUuid: globex.uuid }
      await expectRejection(retry(foreign, []), 'NotFoundError', 'run_not_found')
      await expectRejection(retry({ ...run, uuid: unknownUuid }, []), 'NotFoundError', 'run_not_found')
    })

    it('are refused if the alert was investigated later or is being investigated', async () => {
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

    it('list failed runs without a retry by playbook, error and time', async () => {
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
      expect(await uuids({ before: other.uuid.toUpperCase() })).to.deep.equal([run.uuid])
      expect(await uuids({ before: run.uuid })).to.deep.equal([])
      expect(await uuids({ before: 'gone' })).to.deep.equal([])
      await retry(other, [])
      expect(await uuids({})).to.deep.equal([run.uuid])
    })
  })

  describe('RunStore, retries of large runs', () => {
    const paths = Array.from({ length: 1_100 }, (_, n) => `each[${n}]/do`)

    async function largeRun(): Promise<Run> {
      const { stores } = subject()
      const { uuid } = await startedRun(subject(), null)
      const error = { code: 'http_503', message: 'later' }
      const tried = { path: paths[700]!, attempt: 1, error, startedAt: 1, endedAt: 2, retryAt: 3 }
      await stores.journal.attemptFailed(uuid, tried)
      const record = (path: string) =>
        stores.journal.record(
          uuid,
          { path, stepId: 'do', kind: 'x.do', input: { path }, attempt: 1, startedAt: 10 },
          done,
        )
      await Promise.all(paths.map(record))
      return await stores.runs.end(uuid, failed)
    }

    /** As soon as it is visible. */
    async function nextOf(run: Run): Promise<string> {
      for (;;) {
        const found = await subject().stores.runs.find('all', run.uuid)
        if (typeof found?.retriedBy === 'string') return found.retriedBy
        await setImmediate()
      }
    }

    async function expectWhole(before: Run, uuid: string): Promise<void> {
      const { journal } = subject().stores
      const carried = (await journal.entries(before.uuid)).map((entry) => ({
        ...entry,
        carriedFrom: entry.carriedFrom ?? before.uuid,
      }))
      expect(carried).to.have.length(paths.length)
      expect(await journal.entries(uuid)).to.deep.equal(carried)
      expect(await journal.failedAttempts(uuid)).to.deep.equal(await journal.failedAttempts(before.uuid))
    }

    it('show the copied journal completely or not at all', async () => {
      const { journal, journalReader } = subject().stores
      const run = await largeRun()
      const over = new AbortController()
      const queued = retry(run, paths).finally(() => over.abort())
      const uuid = await nextOf(run)
      const seen = new Set<number>()
      const limits = { first: 5_000, newest: 10, bytes: 1_000_000 }
      while (!over.signal.aborted) {
        const counts = await Promise.all([
          journal.entries(uuid).then(({ length }) => length),
          journal.excerpt(uuid, limits).then(({ total }) => total),
          journal.entry(uuid, paths[0]!).then((entry) => (entry === undefined ? 0 : paths.length)),
          journal.failedAttempts(uuid).then(({ length }) => length * paths.length),
          journalReader
            .readChunk(uuid, { after: undefined, lines: 5_000, bytes: 1e9 })
            .then((chunk) => chunk.lines.length),
          journalReader.page(uuid, { limit: 200, bytes: 1e9 }).then(({ total }) => total),
          journalReader.rowsAt(uuid, [0]).then(({ size }) => size * paths.length),
        ])
        for (const count of counts) seen.add(count)
        await setImmediate()
      }
      expect([...seen].filter((count) => count !== 0 && count !== paths.length)).to.deep.equal([])
      expect(await queued).to.include({ uuid, status: 'queued', retryOf: run.uuid })
      await expectWhole(run, uuid)
    })

    it('are taken and started with the whole journal, even if requested during the copy', async () => {
      const { runs } = subject().stores
      const run = await largeRun()
      const queued = retry(run, paths)
      const uuid = await nextOf(run)
      const started = await runs.start(uuid, { title: 'x' })
      expect(started).to.include({ uuid, status: 'running' })
      await expectWhole(run, uuid)
      expect(await queued).to.include({ uuid })
      expect(await runs.take(uuid), 'it has a turn').to.equal(undefined)
    })

    it('are due only after the copy', async () => {
      const { runs } = subject().stores
      const run = await largeRun()
      const queued = retry(run, paths)
      const uuid = await nextOf(run)
      expect(await runs.take(uuid)).to.deep.equal({
        uuid,
        organizationUuid: run.organizationUuid,
        wakeAt: Infinity,
      })
      await queued
      expect(await runs.due(run.organizationUuid, 9)).to.deep.equal([
        { uuid, organizationUuid: run.organizationUuid },
      ])
      expect(await runs.take(uuid)).to.have.nested.property('run.uuid', uuid)
    })

    it('can be cancelled during the copy, and retried with all carried-over steps', async () => {
      const { runs } = subject().stores
      const run = await largeRun()
      const queued = retry(run, paths)
      const uuid = await nextOf(run)
      const cancelled = await runs.cancel('all', uuid, somebody('eve'))
      expect(cancelled).to.include({ uuid, status: 'cancelled' })
      await queued
      await expectWhole(run, uuid)
      const again = await retry(cancelled, paths)
      expect(again).to.include({ retryOf: uuid })
      await expectWhole(cancelled, again.uuid)
    })

    it('are dropped with their journal if another run has the concurrency key', async () => {
      const { stores } = subject()
      const concurrency = { key: 'k', policy: 'drop' } as const
      const run = await largeRun()
      const other = await retry(await endedRun(), [], null, { concurrency })
      const dropped = await retry(run, paths, null, { concurrency })
      expect(dropped).to.include({ status: 'cancelled', retryOf: run.uuid })
      expect(dropped.error?.code).to.equal('run_dropped')
      await expectWhole(run, dropped.uuid)
      await stores.runs.start(other.uuid, { title: 'x' })
      await stores.runs.end(other.uuid, completed)
      const again = await retry(dropped, paths, null, { concurrency })
      expect(again).to.include({ status: 'queued' })
      await expectWhole(dropped, again.uuid)
    })

    it('block pruning and another retry of the earlier run during the copy', async () => {
      const { stores, clock } = subject()
      const run = await largeRun()
      clock.nowMs += 1_000
      const queued = retry(run, paths)
      const uuid = await nextOf(run)
      const rule = { before: clock.nowMs, setting: 'TOCSIN_KEEP_RUNS_DAYS=1' }
      const [pruned, second] = await Promise.allSettled([
        stores.retention.pruneRuns(rule, undefined),
        retry(run, paths),
      ])
      expect(pruned).to.have.nested.property('value.runs', 0)
      expect(second).to.have.nested.property('reason.code', 'run_superseded')
      await queued
      await expectWhole(run, uuid)
    })
  })
}
