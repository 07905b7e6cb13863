import { expect } from 'chai'
import { theExpiry, type DestructiveOutcome, type Expiry } from '../../core/destructive/containment.ts'
import type { PrunePlace } from '../../core/ports/retention-store.ts'
import type { JournalBegin, JournalEnd } from '../../core/ports/runs/journal-store.ts'
import { somebody } from '../support/somebody.ts'
import { completed, expectRejection, newAlert, startedRun, type GetSubject } from './fixture.ts'

const isolate = 'edr.isolate_machine'
const release = 'edr.release_machine'

export function containmentStoreContract(subject: GetSubject): void {
  describe('ContainmentStore', () => {
    const list = (filter: object = {}, scope: 'all' | readonly string[] = 'all') =>
      subject().stores.containments.list(scope, { limit: 50 }, filter)
    const states = async () => (await list()).data.map(({ state }) => state)

    const contains = (input?: object, expiry?: Expiry): DestructiveOutcome => ({
      connection: 'Endpoints',
      contains: { skill: release, input: input as never },
      expiry,
    })

    async function aRun() {
      const { stores, acme } = subject()
      return await startedRun(subject(), await stores.alerts.create(newAlert(acme)))
    }

    async function begin(runUuid: string, kind: string, input: object, path: string, sensitive?: object) {
      const entry: JournalBegin = {
        path,
        stepId: path,
        kind,
        input,
        attempt: 1,
        startedAt: subject().clock.nowMs,
        destructive: { class: 'containment', input },
        ...(sensitive && { sensitive }),
      }
      await subject().stores.journal.begin(runUuid, entry)
    }

    async function call(
      runUuid: string,
      kind: string,
      input: object,
      how: Partial<JournalEnd> = {},
      path = kind,
    ) {
      await begin(runUuid, kind, input, path)
      const { nowMs } = subject().clock
      const end = {
        state: 'completed',
        output: { status: 'Pending' },
        error: null,
        attempt: 1,
        endedAt: nowMs,
      } as const
      await subject().stores.journal.end(runUuid, path, {
        ...end,
        call: contains({ id: 'm1', comment: 'x' }),
        ...how,
      })
    }

    it('records what a containing call did, with its case, its undo and the decisions before it', async () => {
      const run = await aRun()
      const { stores, clock } = subject()
      const asked = await stores.checkpoints.open(run.uuid, {
        path: 'decision',
        stepId: null,
        question: { via: 'chat.ask', input: {}, answers: ['yes', 'no'], form: null },
        timeoutAt: clock.nowMs + 1_000,
        onTimeout: { fails: true },
      })
      await stores.checkpoints.answer(asked.id, { value: 'yes', text: null }, somebody())
      await call(run.uuid, isolate, { id: 'm1', comment: 'miner' })
      const { data, total } = await list()
      expect(total).to.equal(1)
      expect(data[0]).to.deep.include({
        organizationUuid: subject().acme.uuid,
        caseId: 'Acme-1',
        caseTitle: 'Phishing',
        state: 'active',
        connection: 'Endpoints',
        undoneBy: release,
        hasUndo: true,
        undoRunUuid: null,
        owner: { kind: 'run', id: run.uuid, name: 'phishing-triage' },
        expiresAt: null,
        unless: null,
        note: null,
        createdAt: subject().clock.nowMs,
      })
      expect(data[0]!.action).to.deep.include({
        skill: isolate,
        run_uuid: run.uuid,
        outcome: 'accepted',
        status: 'Pending',
        input: { id: 'm1', comment: 'miner' },
      })
      expect(data[0]!.action.decisions.map(({ path, answer }) => [path, answer])).to.deep.equal([
        ['decision', 'yes'],
      ])
      expect(await subject().stores.containments.find('all', data[0]!.id)).to.deep.equal(data[0])
      expect(await subject().stores.containments.find([subject().globex.uuid], data[0]!.id)).to.equal(
        undefined,
      )
    })

    it('records none for a call that surely changed nothing, nor for one that does not contain', async () => {
      const run = await aRun()
      await call(run.uuid, isolate, { id: 'm1' }, { changedNothing: true }, 'a')
      const error = { code: 'http_403', message: 'forbidden' }
      await call(run.uuid, isolate, { id: 'm1' }, { state: 'failed', error, changedNothing: true }, 'b')
      await call(run.uuid, 'edr.scan', { id: 'm1' }, { call: { connection: null } }, 'c')
      expect(await states()).to.deep.equal([])
    })

    it('records a call with unknown outcome, and what a person decides about it', async () => {
      const run = await aRun()
      const error = { code: 'step_timeout', message: 'too slow' }
      await call(run.uuid, isolate, { id: 'm1' }, { state: 'failed', error }, 'a')
      await begin(run.uuid, isolate, { id: 'm2' }, 'b')
      await subject().stores.journal.park(run.uuid, 'b', undefined, contains())
      const outcomes = async () => (await list()).data.map(({ action, hasUndo }) => [action.outcome, hasUndo])
      expect(await outcomes()).to.deep.equal([
        ['unknown', false],
        ['unknown', true],
      ])
      const decision = { decision: 'ran', output: { status: 'Done' }, by: somebody() } as const
      await subject().stores.journal.resolve(run.uuid, 'b', decision)
      expect((await outcomes())[0]).to.deep.equal(['accepted', false])
    })

    it('makes one containment for a step that runs again', async () => {
      const run = await aRun()
      await begin(run.uuid, isolate, { id: 'm1' }, 'a')
      await subject().stores.journal.park(run.uuid, 'a', undefined, contains())
      const again = { decision: 'run_again', output: null, by: somebody() } as const
      await subject().stores.journal.resolve(run.uuid, 'a', again)
      await call(run.uuid, isolate, { id: 'm1' }, {}, 'a')
      expect((await list()).data.map(({ hasUndo, action }) => [hasUndo, action.outcome])).to.deep.equal([
        [true, 'accepted'],
      ])
    })

    it('ends with the call that undoes its target, over the same connection', async () => {
      const run = await aRun()
      await call(run.uuid, isolate, { id: 'm1' })
      const undo = (id: string, path: string, connection: string | null = 'endpoints', how: object = {}) =>
        call(run.uuid, release, { id, comment: 'clean' }, { call: { connection }, ...how }, path)
      await undo('m2', 'other-target')
      await undo('m1', 'other-system', 'Other')
      await undo('m1', 'refused', 'endpoints', { state: 'failed', changedNothing: true })
      expect(await states()).to.deep.equal(['active'])
      await undo('m1', 'unclear', 'endpoints', { state: 'failed' })
      expect(await states()).to.deep.equal(['unknown'])
      subject().clock.nowMs += 1_000
      await undo('m1', 'done', 'endpoints', { changedNothing: true })
      const [ended] = (await list()).data
      expect(ended).to.deep.include({
        state: 'undone',
        undoRunUuid: run.uuid,
        changedAt: subject().clock.nowMs,
      })
    })

    it('leaves the containments of other organizations active', async () => {
      await call((await aRun()).uuid, isolate, { id: 'm1' })
      const { stores, globex } = subject()
      const other = await stores.runs.queue({
        organizationUuid: globex.uuid,
        playbookName: 'release',
        playbookHash: 'a'.repeat(64),
        alertUuid: null,
      })
      await call(other.uuid, release, { id: 'm1' }, { call: { connection: 'Endpoints' } })
      expect(await states()).to.deep.equal(['active'])
    })

    describe('undone by a run', () => {
      const undoing = (undoes: string) =>
        subject().stores.runs.queue({
          organizationUuid: subject().acme.uuid,
          playbookName: 'undo-edr-release-machine',
          playbookHash: 'b'.repeat(64),
          alertUuid: null,
          undoes,
          by: somebody('kim'),
        })

      async function contained() {
        await call((await aRun()).uuid, isolate, { id: 'm1' })
        return (await list()).data[0]!.id
      }
      async function undoRun(id: string) {
        const { uuid } = await undoing(id)
        await subject().stores.runs.start(uuid, { title: 'Undo' })
        return uuid
      }
      const end = (uuid: string) => subject().stores.runs.end(uuid, completed)

      it('keeps the input of the undo, also that of a sensitive step', async () => {
        const { containments, journal } = subject().stores
        const id = await contained()
        const input = { id: 'm1', comment: 'x' }
        expect(await containments.undoInput(id)).to.deep.equal(input)
        const run = await aRun()
        await begin(run.uuid, isolate, { id: 's1' }, 'secret', { input: true })
        const done = { state: 'completed', output: null, error: null, attempt: 1, endedAt: 1 } as const
        await journal.end(run.uuid, 'secret', { ...done, call: contains(input) })
        const [secret] = (await list()).data
        expect(await containments.undoInput(secret!.id)).to.deep.equal(input)
        expect(await containments.undoInput('none')).to.equal(undefined)
      })

      it('is undoing from the write that queues the run, and undone once', async () => {
        const id = await contained()
        const uuid = await undoRun(id)
        expect((await list()).data[0]).to.deep.include({ state: 'undoing', undoRunUuid: uuid })
        await expectRejection(undoing(id), 'ConflictError', 'containment_being_undone')
        await call(uuid, release, { id: 'm1', comment: 'x' }, { call: { connection: 'Endpoints' } })
        await end(uuid)
        expect((await list()).data[0]).to.deep.include({ state: 'undone', undoRunUuid: uuid })
        await expectRejection(undoing(id), 'ConflictError', 'containment_undone')
      })

      it('lets exactly one of many requests at the same time undo it', async () => {
        const id = await contained()
        const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => undoing(id)))
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
        expect(
          (
            await subject().stores.runs.list(
              'all',
              { playbookName: 'undo-edr-release-machine' },
              { limit: 50 },
            )
          ).total,
        ).to.equal(1)
      })

      it('fails if the run ends without undoing it, and can then be undone again', async () => {
        const id = await contained()
        await end(await undoRun(id))
        expect(await states()).to.deep.equal(['failed'])
        expect((await undoing(id)).status).to.equal('queued')
        expect(await states()).to.deep.equal(['undoing'])
      })

      it('is unknown while the outcome of the call is, until a person decides', async () => {
        const uuid = await undoRun(await contained())
        const input = { id: 'm1', comment: 'x' }
        await begin(uuid, release, input, 'undo')
        await subject().stores.journal.park(uuid, 'undo', undefined, { connection: 'Endpoints' })
        expect(await states()).to.deep.equal(['unknown'])
        const decision = { decision: 'ran_output_unknown', output: null, by: somebody() } as const
        await subject().stores.journal.resolve(uuid, 'undo', decision)
        expect(await states()).to.deep.equal(['undone'])
      })

      it('belongs to its organization, and the audit log names it', async () => {
        const id = await contained()
        const foreign = {
          organizationUuid: subject().globex.uuid,
          playbookName: 'x',
          playbookHash: 'b'.repeat(64),
          alertUuid: null,
        }
        await expectRejection(
          subject().stores.runs.queue({ ...foreign, undoes: id }),
          'NotFoundError',
          'containment_not_found',
        )
        await undoing(id)
        const { data } = await subject().stores.audit.list('all', {}, { limit: 10 })
        const started = data.find(({ action }) => action === 'run.started')
        expect(started).to.deep.include({ actor: { kind: 'api_key', id: started!.actor.id, name: 'kim' } })
        expect(started!.details).to.include({ undoes: id })
      })
    })

    describe('with an expiry', () => {
      const hour = 3_600_000
      const unless = "case.verdict == 'malicious'"
      const store = () => subject().stores.containments
      const newest = async () => (await list()).data[0]!
      const notes = async () =>
        (await subject().stores.cases.timeline('all', 'Acme-1', { limit: 50 })).data
          .filter(({ kind, actor }) => kind === (actor.name === 'kim' ? 'decision' : 'note'))
          .map(({ text, actor }) => [actor.name, text])
      const undo = (undoes: string, expiredAt?: number) =>
        subject().stores.runs.queue({
          organizationUuid: subject().acme.uuid,
          playbookName: 'undo-edr-release-machine',
          playbookHash: 'b'.repeat(64),
          alertUuid: null,
          undoes,
          expiredAt,
          by: theExpiry,
        })

      /** It expires in an hour. */
      async function expiring(id = 'm1') {
        const { uuid } = await aRun()
        await call(uuid, isolate, { id }, { call: contains({ id }, { afterMs: hour, unless }) })
        return await newest()
      }
      const pass = (ms: number) => void (subject().clock.nowMs += ms)

      it('is due from its expiry on, counted from the outcome of the call', async () => {
        const one = await expiring()
        const { nowMs } = subject().clock
        expect([one.expiresAt, one.unless]).to.deep.equal([nowMs + hour, unless])
        expect(await store().nextExpiry()).to.equal(nowMs + hour)
        expect(await store().due(nowMs + hour - 1, 10)).to.deep.equal([])
        expect(await store().due(nowMs + hour, 10)).to.deep.equal([one])
      })

      it('is due in the order of the expiries, a page at a time', async () => {
        const first = await expiring('m1')
        pass(1)
        const second = await expiring('m2')
        pass(2 * hour)
        const { nowMs } = subject().clock
        expect((await store().due(nowMs, 1)).map(({ id }) => id)).to.deep.equal([first.id])
        await undo(first.id, first.expiresAt!)
        expect((await store().due(nowMs, 1)).map(({ id }) => id)).to.deep.equal([second.id])
        expect(await store().nextExpiry()).to.equal(second.expiresAt)
      })

      it('announces what may bring the next expiry forward', async () => {
        let changes = 0
        store().watchExpiry(() => changes++)
        const one = await expiring()
        expect(changes).to.equal(1)
        await store().extend(one.id, { until: one.expiresAt! + hour }, somebody())
        expect(changes).to.equal(2)
        await call((await aRun()).uuid, isolate, { id: 'm2' })
        expect(changes).to.equal(2)
      })

      it('is undone by one run, however often the expiry fires, and the case says so', async () => {
        const one = await expiring()
        pass(hour)
        const outcomes = await Promise.allSettled(
          Array.from({ length: 5 }, () => undo(one.id, one.expiresAt!)),
        )
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
        const { state, undoRunUuid } = await newest()
        expect(state).to.equal('undoing')
        expect(await notes()).to.deep.equal([
          [
            'containment expiry',
            `The containment by edr.isolate_machine (id: m1) has expired: the run ${undoRunUuid} undoes it.`,
          ],
        ])
        expect(await store().nextExpiry()).to.equal(undefined)
      })

      it('does not begin for an expiry that somebody changed', async () => {
        const one = await expiring()
        await store().extend(one.id, { until: null }, somebody())
        await expectRejection(undo(one.id, one.expiresAt!), 'ConflictError', 'containment_changed')
        expect((await newest()).state).to.equal('active')
      })

      it('is overdue if its undo ended without undoing it after the expiry, and failed before', async () => {
        const one = await expiring()
        const error = { code: 'connection_missing', message: 'there is no connection' }
        const fail = async (uuid: string) => {
          await subject().stores.runs.start(uuid, { title: 'Undo' })
          await subject().stores.runs.end(uuid, { status: 'failed', output: null, error })
        }
        await fail((await undo(one.id)).uuid)
        const note = 'the run that was to undo it failed: there is no connection'
        expect(await newest()).to.deep.include({ state: 'failed', note })
        expect(await store().nextExpiry()).to.equal(one.expiresAt)
        pass(hour)
        await fail((await undo(one.id, one.expiresAt!)).uuid)
        expect(await newest()).to.deep.include({ state: 'overdue', note })
        expect(await store().nextExpiry()).to.equal(undefined)
        await undo(one.id)
        expect(await newest()).to.deep.include({ state: 'undoing', note: null })
      })

      it('is left to people while a call may have undone it', async () => {
        const { uuid } = await aRun()
        const one = await expiring()
        await call(uuid, release, { id: 'm1' }, { state: 'failed', call: { connection: null } }, 'unclear')
        pass(hour)
        expect((await newest()).state).to.equal('unknown')
        expect(await store().due(subject().clock.nowMs, 10)).to.deep.equal([])
        await expectRejection(undo(one.id, one.expiresAt!), 'ConflictError', 'containment_changed')
        await expectRejection(
          store().extend(one.id, { until: null }, somebody()),
          'ConflictError',
          'containment_unknown',
        )
      })

      it('stays beyond it without another, or is overdue, with the reason', async () => {
        const kept = await expiring()
        pass(hour)
        const outcome = { kind: 'kept', note: `${unless} is true` } as const
        expect(await store().settleExpiry(kept.id, kept.expiresAt! + 1, outcome)).to.equal(false)
        expect(await store().settleExpiry(kept.id, kept.expiresAt!, outcome)).to.equal(true)
        expect(await newest()).to.deep.include({ state: 'active', expiresAt: null, note: outcome.note })
        expect(await store().settleExpiry(kept.id, kept.expiresAt!, outcome)).to.equal(false)

        const { id, expiresAt } = await expiring('m2')
        pass(hour)
        await store().settleExpiry(id, expiresAt!, { kind: 'overdue', note: 'edr is not installed' })
        expect(await newest()).to.deep.include({ state: 'overdue', expiresAt, note: 'edr is not installed' })
        expect((await notes())[0]).to.deep.equal([
          'containment expiry',
          `The containment by edr.isolate_machine (id: m1) stays in effect until people undo it: ${unless} is true.`,
        ])
      })

      it('is extended by a person, also when it is overdue, which is audited', async () => {
        const { id, expiresAt } = await expiring()
        pass(hour)
        await store().settleExpiry(id, expiresAt!, { kind: 'overdue', note: 'edr is not installed' })
        const extended = await store().extend(id, { until: expiresAt! + hour }, somebody('kim'))
        expect(extended).to.deep.include({ state: 'active', expiresAt: expiresAt! + hour, note: null })
        expect(await store().nextExpiry()).to.equal(expiresAt! + hour)
        expect((await notes())[0]).to.deep.equal([
          'kim',
          `The containment by edr.isolate_machine (id: m1) stays in effect until ${new Date(expiresAt! + hour).toISOString()}.`,
        ])
        const { data } = await subject().stores.audit.list('all', {}, { limit: 1 })
        expect(data[0]).to.deep.include({
          action: 'containment.extended',
          subject: { kind: 'containment', id, name: isolate },
        })
        expect(data[0]!.details).to.include({ was: expiresAt, expires_at: expiresAt! + hour })
        await expectRejection(
          store().extend('00000000-0000-4000-8000-000000000000', { until: null }, somebody()),
          'NotFoundError',
          'containment_not_found',
        )
        const { uuid } = await undo(id)
        await expectRejection(
          store().extend(id, { until: null }, somebody()),
          'ConflictError',
          'containment_being_undone',
        )
        await call(uuid, release, { id: 'm1' }, { call: { connection: null } })
        await expectRejection(
          store().extend(id, { until: null }, somebody()),
          'ConflictError',
          'containment_undone',
        )
      })

      it('belongs to the person who started the run', async () => {
        const { stores, acme } = subject()
        const { uuid } = await stores.runs.queue({
          organizationUuid: acme.uuid,
          playbookName: 'contain',
          playbookHash: 'c'.repeat(64),
          alertUuid: null,
          by: somebody('kim'),
        })
        await call(uuid, isolate, { id: 'm9' })
        expect((await newest()).owner).to.deep.include({ kind: 'api_key', name: 'kim' })
      })

      it('is active again if the step runs again after it was undone', async () => {
        const run = await aRun()
        await begin(run.uuid, isolate, { id: 'm1' }, 'a')
        const given = contains({ id: 'm1' }, { afterMs: hour })
        await subject().stores.journal.park(run.uuid, 'a', undefined, given)
        await call((await aRun()).uuid, release, { id: 'm1' }, { call: { connection: null } }, 'undo')
        expect((await newest()).state).to.equal('undone')
        const again = { decision: 'run_again', output: null, by: somebody() } as const
        await subject().stores.journal.resolve(run.uuid, 'a', again)
        pass(5)
        await call(run.uuid, isolate, { id: 'm1' }, { call: given }, 'a')
        expect(await newest()).to.deep.include({ state: 'active', expiresAt: subject().clock.nowMs + hour })
      })
    })

    it('follows its alert out of a case, also after its run was pruned', async () => {
      const { stores, acme, clock } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const run = await startedRun(subject(), alert)
      await call(run.uuid, isolate, { id: 'm1' })
      await stores.runs.end(run.uuid, completed)
      await startedRun(subject(), await stores.alerts.create(newAlert(acme)))
      const seen = async (id: string) => ({ id, revision: (await stores.cases.find('all', id))!.revision })
      await stores.caseMoves.merge(acme.uuid, await seen('Acme-2'), [await seen('Acme-1')], somebody())
      await stores.cases.edit(acme.uuid, 'Acme-2', { status: 'closed' }, somebody(), undefined)
      clock.nowMs += 1_000
      const rule = { before: clock.nowMs + 1, setting: 'a test' }
      let place: PrunePlace | undefined
      do place = (await stores.retention.pruneRuns(rule, place)).next
      while (place !== undefined)
      expect((await stores.runs.find('all', run.uuid))?.prunedAt).to.be.a('number')
      const from = await seen('Acme-2')
      const target = await stores.caseMoves.split(acme.uuid, from, { alerts: [alert.id] }, somebody())
      expect((await list()).data[0]).to.deep.include({ caseId: target.id })
    })

    it('lists by state, case and organization', async () => {
      const run = await aRun()
      await call(run.uuid, isolate, { id: 'm1' })
      const { acme, globex } = subject()
      expect((await list({ states: ['active'] })).total).to.equal(1)
      expect((await list({ states: ['undone'] })).total).to.equal(0)
      expect((await list({ caseId: 'acme-1' }, [acme.uuid])).total).to.equal(1)
      expect((await list({ caseId: 'Acme-2' })).total).to.equal(0)
      expect((await list({}, [globex.uuid])).total).to.equal(0)
    })

    it('follows the runs of a case into another one, and outlives its run', async () => {
      const { stores, acme, clock } = subject()
      const run = await aRun()
      await call(run.uuid, isolate, { id: 'm1' })
      await stores.runs.end(run.uuid, completed)
      const target = await stores.cases.create(acme.uuid, { title: 'Campaign' }, somebody(), 'campaign')
      const { revision } = (await stores.cases.find('all', 'Acme-1'))!
      await stores.caseMoves.merge(acme.uuid, target, [{ id: 'Acme-1', revision }], somebody())
      clock.nowMs += 1_000_000
      expect((await list()).data[0]).to.deep.include({ caseId: target.id, caseTitle: 'Campaign' })
    })
  })
}
