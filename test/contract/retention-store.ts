import { personOf } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import type { Run } from '../../core/domain/run.ts'
import type { PrunedPiece, PrunePlace, RetentionRule } from '../../core/ports/retention-store.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { somebody } from '../support/somebody.ts'
import {
  completed,
  expectRejection,
  failed,
  newAlert,
  startedRun,
  timelineOf,
  type GetSubject,
} from './fixture.ts'

const day = 86_400_000

export const ruleBy = (before: number): RetentionRule => ({ before, setting: 'TOCSIN_KEEP_X_DAYS=1' })

/** All batches, one after the other. */
export async function inPieces(piece: (from: PrunePlace | undefined) => Promise<PrunedPiece>) {
  const sum = { runs: 0, alerts: 0, files: 0 }
  let from: PrunePlace | undefined
  do {
    const { runs, alerts, files, next } = await piece(from)
    sum.runs += runs
    sum.alerts += alerts
    sum.files += files
    from = next
  } while (from !== undefined)
  return sum
}

export function retentionStoreContract(subject: GetSubject): void {
  /** Each test has its own stores. */
  let own: Stores
  beforeEach(() => {
    own = subject().stores
  })
  const pruneRuns = (endedBy: number) => inPieces((from) => own.retention.pruneRuns(ruleBy(endedBy), from))
  const pruneAlerts = (changedBy: number) =>
    inPieces((from) => own.retention.pruneAlerts(ruleBy(changedBy), from))
  const pass = (ms: number) => (subject().clock.nowMs += ms)
  const now = () => subject().clock.nowMs
  const find = async (run: Run) => own.runs.find('all', run.uuid)
  const close = (caseId: string | null) =>
    own.cases.edit(subject().acme.uuid, caseId ?? '', { status: 'closed' }, personOf('anna'), undefined)

  async function stepOf({ uuid }: Run, path = 'a', ends = true): Promise<void> {
    await own.journal.begin(uuid, {
      path,
      stepId: path,
      kind: 'x.do',
      input: { path },
      attempt: 1,
      startedAt: 10,
    })
    if (ends)
      await own.journal.end(uuid, path, {
        state: 'completed',
        output: { n: 1 },
        error: null,
        attempt: 1,
        endedAt: 20,
      })
  }

  async function endedRun(
    alert: Alert | null,
    end: typeof completed | typeof failed = completed,
  ): Promise<Run> {
    const run = await startedRun(subject(), alert)
    await stepOf(run)
    return own.runs.end(run.uuid, end)
  }

  /** Creates an alert with an ended run in a closed case. */
  async function investigated(end?: typeof completed | typeof failed): Promise<{ alert: Alert; run: Run }> {
    const alert = await own.alerts.create(newAlert(subject().acme))
    const run = await endedRun(alert, end)
    await close(run.caseId)
    return { alert, run }
  }

  /** Makes another row the newest, which is never deleted. */
  async function newest(): Promise<void> {
    const alert = await own.alerts.create(newAlert(subject().acme, { content: 'the newest' }))
    await startedRun(subject(), alert)
    await own.alerts.list('all', { words: 'newest' }, { limit: 1 })
  }

  describe('RetentionStore, runs', () => {
    it('deletes steps, inputs and output of runs that ended before the cut-off, and marks them pruned', async () => {
      const { run } = await investigated(failed)
      pass(day)
      expect(await pruneRuns(now() - day - 1)).to.deep.equal({ runs: 0, alerts: 0, files: 0 })
      expect(await own.journal.entries(run.uuid)).to.have.length(1)
      expect(await pruneRuns(now() - day)).to.deep.equal({ runs: 1, alerts: 0, files: 0 })
      expect(await find(run)).to.deep.equal({ ...run, output: null, prunedAt: now() })
      expect(await own.journal.entries(run.uuid)).to.deep.equal([])
      expect(await pruneRuns(now())).to.deep.equal({ runs: 0, alerts: 0, files: 0 })
    })

    it('keeps a run that is active, or whose case is open or was closed after the cut-off', async () => {
      const open = await endedRun(await own.alerts.create(newAlert(subject().acme)))
      await startedRun(subject(), await own.alerts.create(newAlert(subject().acme)))
      pass(day)
      expect((await pruneRuns(now())).runs).to.equal(0)
      await close(open.caseId)
      expect((await pruneRuns(now() - 1)).runs).to.equal(0)
      expect((await pruneRuns(now())).runs).to.equal(1)
    })

    it('keeps a run with an undecided unknown outcome', async () => {
      const run = await startedRun(subject(), null)
      await stepOf(run, 'a', false)
      await own.journal.park(run.uuid, 'a')
      await own.runs.end(run.uuid, failed)
      await newest()
      pass(day)
      expect((await pruneRuns(now())).runs).to.equal(0)
      await own.journal.resolve(run.uuid, 'a', { decision: 'skip', output: null, by: somebody() })
      expect((await pruneRuns(now())).runs).to.equal(1)
    })

    it('forbids a retry of a pruned run', async () => {
      const { alert, run } = await investigated(failed)
      expect((await own.runs.list('all', { retriable: true }, { limit: 5 })).total).to.equal(1)
      pass(day)
      await pruneRuns(now())
      const { organizationUuid, playbookName, playbookHash } = run
      const next = { organizationUuid, playbookName, playbookHash, alertUuid: alert.uuid, retry: true }
      await expectRejection(
        own.runs.queue({ ...next, carriesOver: { runUuid: run.uuid, paths: ['a'] } }),
        'ConflictError',
        'run_pruned',
      )
      expect((await own.runs.list('all', { retriable: true }, { limit: 5 })).total).to.equal(0)
      expect((await own.runs.queue(next)).status, 'from the beginning').to.equal('queued')
    })

    it('keeps runs that an active retry continues, then prunes the whole chain', async () => {
      const first = await endedRun(null, failed)
      const again = async (run: Run) => {
        const { organizationUuid, playbookName, playbookHash } = run
        const next = { organizationUuid, playbookName, playbookHash, alertUuid: null }
        return own.runs.queue({ ...next, carriesOver: { runUuid: run.uuid, paths: ['a'] } })
      }
      const second = await again(first)
      await own.runs.start(second.uuid, { title: 'x' })
      await own.runs.end(second.uuid, failed)
      const third = await again(second)
      await own.runs.start(third.uuid, { title: 'x' })
      await newest()
      pass(day)
      expect((await pruneRuns(now())).runs).to.equal(0)
      await own.runs.end(third.uuid, completed)
      expect((await pruneRuns(now())).runs).to.equal(3)
      expect(await Promise.all([first, second, third].map(find)), 'without an alert or a case').to.deep.equal(
        [undefined, undefined, undefined],
      )
    })

    it('keeps the row of the newest run, and of runs with a case', async () => {
      const run = await endedRun(null)
      const held = await startedRun(subject(), null)
      const caseId = await own.runs.openCase(held.uuid, { title: 'x' })
      await own.runs.end(held.uuid, completed)
      await close(caseId)
      const last = await endedRun(null)
      pass(day)
      expect((await pruneRuns(now())).runs).to.equal(3)
      const left = [await find(run), await find(held), await find(last)].map((each) => each?.prunedAt)
      expect(left).to.deep.equal([undefined, now(), now()])
      expect(await timelineOf(own, caseId)).to.have.length(3)
    })

    it('prunes a large run in pieces without ever showing half of it', async () => {
      const run = await startedRun(subject(), null)
      for (let n = 0; n < 1_100; n++) await stepOf(run, `s${n}`)
      await own.runs.end(run.uuid, completed)
      await newest()
      pass(day)
      let pieces = 0
      const sum = await inPieces(async (from) => {
        const piece = await own.retention.pruneRuns(ruleBy(now()), from)
        expect(await own.journal.entries(run.uuid)).to.deep.equal([])
        pieces++
        return piece
      })
      expect(sum.runs).to.equal(1)
      expect(pieces).to.be.greaterThan(2)
    })

    it('returns nothing of a large run that is pruned while its journal is read', async () => {
      const run = await startedRun(subject(), null)
      const paths = Array.from({ length: 2_300 }, (_, n) => `s${n}`)
      await Promise.all(paths.map((path) => stepOf(run, path)))
      await own.runs.end(run.uuid, completed)
      await newest()
      pass(day)
      const pruned = pruneRuns(now())
      const seen = await Promise.all(Array.from({ length: 4 }, () => own.journal.entries(run.uuid)))
      await pruned
      for (const { length } of seen) expect(length).to.be.oneOf([0, paths.length])
    })

    it('deletes questions with their answers', async () => {
      const run = await startedRun(subject(), null)
      const question = { via: 'operator', input: {}, answers: ['yes'], form: null }
      const given = { path: 'q', stepId: 'q', question, timeoutAt: now() + 9 }
      const { id } = await own.checkpoints.open(run.uuid, given)
      await own.checkpoints.answer(id, { value: 'yes', text: null }, somebody())
      await own.checkpoints.answer(id, { value: 'yes', text: null }, somebody())
      await own.runs.end(run.uuid, completed)
      pass(day)
      await pruneRuns(now())
      expect(await own.checkpoints.find('all', id)).to.equal(undefined)
    })
  })

  describe('RetentionStore, alerts', () => {
    it('deletes alerts last changed before the cut-off with their runs, keeps the case, and never reuses the id', async () => {
      const { alert, run } = await investigated()
      await newest()
      pass(day)
      expect((await pruneAlerts(now() - day - 1)).alerts).to.equal(0)
      expect(await pruneAlerts(now() - day)).to.deep.equal({ runs: 1, alerts: 1, files: 0 })
      expect([await own.alerts.find('all', alert.id), await find(run)]).to.deep.equal([undefined, undefined])
      expect(await own.alerts.wasDeleted('all', alert.id.toLowerCase())).to.equal(true)
      expect(
        await own.alerts.wasDeleted([subject().globex.uuid], alert.id),
        'for another organization',
      ).to.equal(false)
      expect(await own.alerts.wasDeleted('all', 'Acme-SIEM-3'), 'never given').to.equal(false)
      expect((await own.alerts.list('all', { words: 'severity' }, { limit: 1 })).total).to.equal(0)
      expect((await own.cases.find('all', run.caseId ?? ''))?.status).to.equal('closed')
      expect((await timelineOf(own, run.caseId ?? '')).length).to.be.greaterThan(1)
      expect((await own.alerts.create(newAlert(subject().acme))).id).to.equal('Acme-SIEM-3')
    })

    it('keeps alerts that are or will be investigated, or have an open case', async () => {
      const { run } = await investigated()
      await own.alerts.create(newAlert(subject().acme))
      await startedRun(subject(), await own.alerts.create(newAlert(subject().acme)))
      await newest()
      pass(day)
      await own.cases.edit(
        subject().acme.uuid,
        run.caseId ?? '',
        { status: 'open' },
        personOf('anna'),
        undefined,
      )
      expect((await pruneAlerts(now())).alerts).to.equal(0)
    })

    it('deletes an alert without a type, which is never investigated', async () => {
      const alert = await own.alerts.create(newAlert(subject().acme, { type: null }))
      await newest()
      pass(day)
      expect((await pruneAlerts(now())).alerts).to.equal(1)
      expect(await own.alerts.wasDeleted('all', alert.id)).to.equal(true)
    })

    it('keeps the newest alert, so that its row id is not reused', async () => {
      const untyped = () => own.alerts.create(newAlert(subject().acme, { type: null }))
      const [first, second] = [await untyped(), await untyped()]
      await own.alerts.list('all', { words: 'x' }, { limit: 1 })
      pass(day)
      expect((await pruneAlerts(now())).alerts).to.equal(1)
      expect(await own.alerts.find('all', first.id)).to.equal(undefined)
      expect(await own.alerts.find('all', second.id)).to.not.equal(undefined)
      const third = await untyped()
      await own.alerts.list('all', { words: 'x' }, { limit: 1 })
      expect((await pruneAlerts(now() - 1)).alerts, 'as soon as it is not the newest').to.equal(1)
      expect((await own.alerts.list('all', {}, { limit: 5 })).data.map(({ id }) => id)).to.deep.equal([
        third.id,
      ])
    })

    it('keeps an alert while a request returns it and while repeats join it', async () => {
      const once = { key: 'k', keepMs: 2 * day }
      const { alert } = await own.alerts.createOnce(newAlert(subject().acme, { type: null }), once)
      const first = await own.alerts.create(newAlert(subject().acme))
      const { acme } = subject()
      const given = {
        organizationUuid: acme.uuid,
        playbookName: 'p',
        playbookHash: 'h',
        alertUuid: first.uuid,
      }
      const group = { fingerprint: Buffer.alloc(32), reason: 'x', windowMs: 2 * day, caseTitle: () => 'x' }
      const queued = await own.runs.queueOrGroup(given, group)
      if (!('run' in queued)) return expect.fail()
      await own.runs.start(queued.run.uuid, { title: 'x' })
      await close((await own.runs.end(queued.run.uuid, completed)).caseId)
      await newest()
      pass(day)
      expect((await pruneAlerts(now())).alerts).to.equal(0)
      pass(day)
      expect((await pruneAlerts(now())).alerts).to.equal(2)
      expect(await own.alerts.wasDeleted('all', alert.id)).to.equal(true)
    })

    it('deletes repeats before the alert that they joined', async () => {
      const make = () => own.alerts.create(newAlert(subject().acme))
      const [first, repeat] = [await make(), await make()]
      const group = { fingerprint: Buffer.alloc(32), reason: 'x', windowMs: 60_000, caseTitle: () => 'x' }
      const given = { organizationUuid: subject().acme.uuid, playbookName: 'p', playbookHash: 'h' }
      const queued = await own.runs.queueOrGroup({ ...given, alertUuid: first.uuid }, group)
      await own.runs.queueOrGroup({ ...given, alertUuid: repeat.uuid }, group)
      if (!('run' in queued)) return expect.fail()
      await own.runs.start(queued.run.uuid, { title: 'x' })
      await close((await own.runs.end(queued.run.uuid, failed)).caseId)
      await newest()
      pass(day)
      expect((await pruneAlerts(now())).alerts).to.equal(1)
      expect(await own.alerts.find('all', first.uuid)).to.not.equal(undefined)
      expect((await pruneAlerts(now())).alerts).to.equal(1)
    })
  })

  describe('RetentionStore, records', () => {
    const told = async () => {
      const { data } = await own.audit.list('all', { action: 'data.pruned' }, { limit: 50 })
      return data
        .toReversed()
        .map(({ organization_code: code, actor, details }) => [code, actor.kind, details])
    }

    it('records for each organization what a piece deletes, with the rule', async () => {
      await investigated()
      await investigated(failed)
      const { globex } = subject()
      await own.alerts.create(newAlert(globex, { type: null }))
      await newest()
      pass(day)
      await pruneRuns(now())
      const rule = ruleBy(now())
      expect(await told()).to.deep.equal([['Acme', 'server', { runs: 2, alerts: 0, files: 0, ...rule }]])
      await pruneAlerts(now())
      expect((await told()).slice(1)).to.deep.equal([
        ['Acme', 'server', { runs: 0, alerts: 2, files: 0, ...rule }],
        ['Globex', 'server', { runs: 0, alerts: 1, files: 0, ...rule }],
      ])
      await pruneAlerts(now())
      expect(await told(), 'nothing was deleted').to.have.length(3)
    })

    it('counts deletions on the case without changing its revision or time', async () => {
      const { run } = await investigated()
      await newest()
      pass(day)
      const found = async () => own.cases.find('all', run.caseId ?? '')
      const before = await found()
      await pruneRuns(now())
      expect(await found(), 'its run is still listed').to.deep.equal(before)
      await pruneAlerts(now())
      expect(await found()).to.deep.equal({ ...before, alertsDeleted: 1, runsDeleted: 1 })
    })
  })

  describe('RetentionStore, expired data', () => {
    it('deletes expired sessions without a new sign-in', async () => {
      const key = {
        id: 'k1',
        name: 'k',
        role: 'admin',
        organizationUuids: null,
        secretHash: Buffer.alloc(32),
      } as const
      await own.keys.create({ ...key, expiresAt: null }, somebody())
      const limits = { idleMs: 10, maxMs: 100 }
      const tokenHash = Buffer.alloc(32, 1)
      const begin = {
        tokenHash,
        holder: { keyId: 'k1' },
        method: 'api_key' as const,
        client: '',
        replaces: undefined,
        limits,
      }
      await own.sessions.begin(begin, somebody())
      pass(9)
      expect(await own.retention.clearExpired(limits)).to.equal(false)
      expect(await own.sessions.find(tokenHash)).to.not.equal(undefined)
      pass(1)
      await own.retention.clearExpired(limits)
      expect(await own.sessions.find(tokenHash)).to.equal(undefined)
    })
  })
}
