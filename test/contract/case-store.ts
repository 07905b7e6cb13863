import { theRun, type Actor } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import { expectRejection, newAlert, startedRun, timelineOf, type GetSubject } from './fixture.ts'

const run1 = theRun('run-1', 'triage')
const run2 = theRun('run-2', 'triage')
const kim: Actor = { kind: 'api_key', id: 'a1b2c3', name: 'Kim', requestId: 'request-1' }
const changes = { severity: 'high', verdict: 'malicious', assignee: 'kim' } as const

export function caseStoreContract(subject: GetSubject): void {
  describe('CaseStore', () => {
    it('numbers cases per organization, from 1', async () => {
      const { stores, acme, globex, clock } = subject()
      const first = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'a')
      const second = await stores.cases.create(acme.uuid, { title: 'Two', ...changes }, run1, 'b')
      const other = await stores.cases.create(globex.uuid, { title: 'Three' }, run2, 'a')
      expect([first.id, second.id, other.id]).to.deep.equal(['Acme-1', 'Acme-2', 'Globex-1'])
      expect(first).to.deep.equal({
        id: 'Acme-1',
        organizationUuid: acme.uuid,
        title: 'One',
        summary: '',
        status: 'open',
        severity: 'medium',
        verdict: 'unknown',
        assignee: null,
        assigneeId: null,
        assigneeState: null,
        closingReason: null,
        resolution: '',
        revision: 1,
        mergedInto: null,
        splitFrom: null,
        alertsDeleted: 0,
        runsDeleted: 0,
        createdAt: clock.nowMs,
        modifiedAt: clock.nowMs,
        closedAt: null,
        respondedAt: null,
        respondDueAt: null,
        resolveDueAt: null,
      })
      expect(second).to.include({ title: 'Two', ...changes })
    })

    it('keeps why and when a case was closed, and drops it when the case is reopened', async () => {
      const { stores, acme, clock } = subject()
      const { id } = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'a')
      const closing = { status: 'closed', closingReason: 'duplicate', resolution: 'See 2.' } as const
      clock.nowMs += 5
      expect(await stores.cases.edit(acme.uuid, id, closing, kim, undefined)).to.include({
        ...closing,
        closedAt: clock.nowMs,
        respondedAt: clock.nowMs,
      })
      const closed = await stores.cases.list('all', { closingReason: 'duplicate' }, { limit: 5 })
      expect(closed.data.map((each) => each.id)).to.deep.equal([id])
      expect((await stores.cases.list('all', { isActive: true }, { limit: 5 })).total).to.equal(0)
      const reopened = await stores.cases.update(acme.uuid, id, { status: 'open' }, run1, 'b')
      expect(reopened).to.include({ closingReason: null, resolution: '', closedAt: null })
      await expectRejection(
        stores.cases.edit(acme.uuid, id, { closingReason: 'other' }, kim, undefined),
        'ValidationError',
        'case_not_closed',
      )
      const left = await stores.cases.update(
        acme.uuid,
        id,
        { closingReason: 'other', severity: 'low' },
        run1,
        'c',
      )
      expect(left).to.include({ closingReason: null, severity: 'low' })
    })

    it('computes due times from the targets of the organization, and finds overdue cases', async () => {
      const { stores, acme, clock } = subject()
      const targets = { high: { respondMs: 10, resolveMs: 100 } }
      const organization = await stores.organizations.target(acme.uuid, targets, undefined, kim)
      expect(organization.caseTargets).to.deep.equal(targets)
      const { id } = await stores.cases.create(acme.uuid, { title: 'One', severity: 'high' }, run1, 'a')
      await stores.cases.create(acme.uuid, { title: 'Two' }, run1, 'b')
      const from = clock.nowMs
      const ids = async (filter: object, sort: 'due_at' | 'queue') =>
        (await stores.cases.list('all', filter, { limit: 5, sort })).data.map((each) => each.title)
      expect(await ids({ overdueAt: from + 9 }, 'due_at')).to.deep.equal([])
      expect(await ids({ overdueAt: from + 10 }, 'due_at')).to.deep.equal(['One'])
      await stores.cases.comment(acme.uuid, id, 'seen', kim, 'c')
      expect(await ids({ overdueAt: from + 99 }, 'due_at')).to.deep.equal([])
      expect(await ids({ overdueAt: from + 100 }, 'due_at')).to.deep.equal(['One'])
      clock.nowMs = from + 101
      await stores.cases.edit(acme.uuid, id, { status: 'closed' }, kim, undefined)
      expect(await ids({ overdueAt: from + 200 }, 'due_at')).to.deep.equal([])
      expect(await ids({ missedAt: from + 200 }, 'due_at')).to.deep.equal(['One'])
      expect(await ids({}, 'queue')).to.deep.equal(['One', 'Two'])
    })

    it('tells which cases a request has changed', async () => {
      const { stores, acme } = subject()
      const [changed, noted, other] = await Promise.all(
        ['a', 'b', 'c'].map((key) => stores.cases.create(acme.uuid, { title: key }, run1, key)),
      )
      const by = { ...kim, requestId: 'request-1' }
      await stores.cases.edit(acme.uuid, changed!.id, { verdict: 'benign' }, by, 1)
      await stores.cases.comment(acme.uuid, noted!.id, 'seen', by, 'note')
      await stores.cases.edit(
        acme.uuid,
        other!.id,
        { verdict: 'benign' },
        { ...by, requestId: 'request-2' },
        1,
      )
      const ids = [changed!, noted!, other!].map(({ id }) => id)
      expect([...(await stores.cases.changedBy('request-1', ids))]).to.deep.equal([changed!.id])
      expect([...(await stores.cases.changedBy('request-1', [other!.id]))]).to.deep.equal([])
    })

    it('finds by id in any letter case, within the scope only', async () => {
      const { stores, acme, globex } = subject()
      const made = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'a')
      expect(await stores.cases.find([acme.uuid], 'ACME-1')).to.deep.equal(made)
      expect(await stores.cases.find([globex.uuid], 'Acme-1')).to.equal(undefined)
      expect(await stores.cases.find('all', 'Acme-01')).to.equal(undefined)
      expect(await timelineOf(stores, 'Acme-1', [globex.uuid])).to.deep.equal([])
      expect((await stores.cases.list([globex.uuid], {}, { limit: 5 })).total).to.equal(0)
    })

    describe('actions', () => {
      const use = {
        path: 'respond/isolate',
        stepId: 'isolate',
        kind: 'edr.isolate',
        input: { id: 'M-1', reason: 'a miner' },
        attempt: 1,
        startedAt: 5,
        destructive: { class: 'containment', input: {} },
      } as const
      const ended = {
        state: 'completed',
        output: { status: 'Pending' },
        error: null,
        attempt: 1,
        endedAt: 9,
      } as const
      const error = { code: 'http_503', message: 'busy' }
      const failed = { ...ended, state: 'failed', output: null, error } as const
      const started = async () => {
        const { stores, acme } = subject()
        return await startedRun(subject(), await stores.alerts.create(newAlert(acme)))
      }
      const actionsOf = async (caseId: string | null) =>
        await subject().stores.cases.actions('all', caseId ?? '', 10)

      it('are listed with their outcome and the responder', async () => {
        const { stores, acme, globex, clock } = subject()
        const run = await started()
        const question = {
          via: 'chat.ask',
          input: { labels: { yes: 'Do it' } },
          answers: ['yes', 'no'],
          form: null,
        }
        const open = {
          stepId: null,
          question,
          timeoutAt: clock.nowMs + 1_000,
          onTimeout: { fails: true },
        } as const
        const asked = await stores.checkpoints.open(run.uuid, { ...open, path: 'decision' })
        await stores.checkpoints.answer(asked.id, { value: 'yes', text: null }, kim)
        const other = await stores.checkpoints.open(run.uuid, { ...open, path: 'x/@approval' })
        await stores.checkpoints.answer(other.id, { value: 'yes', text: null }, kim)
        await stores.journal.begin(run.uuid, use)
        await stores.journal.end(run.uuid, use.path, { ...ended, endedAt: clock.nowMs })
        const { data, total } = await actionsOf(run.caseId)
        const by = { kind: 'api_key', id: 'a1b2c3', name: 'Kim' }
        expect(total).to.equal(1)
        expect(data).to.deep.equal([
          {
            skill: 'edr.isolate',
            run_uuid: run.uuid,
            playbook: run.playbookName,
            path: use.path,
            step_id: 'isolate',
            input: use.input,
            outcome: 'accepted',
            status: 'Pending',
            error: null,
            decisions: [{ kind: 'answer', by, answer: 'Do it', path: 'decision', at: clock.nowMs }],
            started_at: 5,
            at: clock.nowMs,
          },
        ])
        const entry = (await timelineOf(stores, run.caseId ?? '')).at(-1)
        expect(entry).to.deep.include({ kind: 'action', action: data[0] })
        expect(entry?.text).to.include('edr.isolate accepted (status Pending), with id: M-1, reason: a miner')
        expect(await stores.cases.actions([globex.uuid], run.caseId ?? '', 10)).to.deep.include({ total: 0 })
        expect(await stores.cases.actions([acme.uuid], run.caseId ?? '', 10)).to.deep.include({ total: 1 })
      })

      it('have an unknown outcome unless they certainly changed nothing', async () => {
        const { stores } = subject()
        const run = await started()
        const ends = {
          a: ended,
          b: { ...ended, changedNothing: true },
          c: failed,
          d: { ...failed, changedNothing: true },
        }
        for (const [path, end] of Object.entries(ends)) {
          await stores.journal.begin(run.uuid, { ...use, path })
          await stores.journal.end(run.uuid, path, end)
        }
        await stores.journal.begin(run.uuid, { ...use, path: 'e' })
        await stores.journal.park(run.uuid, 'e')
        await stores.journal.begin(run.uuid, { ...use, path: 'f', destructive: undefined })
        await stores.journal.end(run.uuid, 'f', ended)
        const { data } = await actionsOf(run.caseId)
        expect(data.map(({ path, outcome }) => `${path} ${outcome}`)).to.deep.equal([
          'a accepted',
          'b unchanged',
          'c unknown',
          'd failed',
          'e unknown',
        ])
        expect(data[2]?.error).to.deep.equal(error)
      })

      it('follow the decision about an unknown outcome', async () => {
        const { stores } = subject()
        const run = await started()
        for (const path of ['a', 'b', 'c']) {
          await stores.journal.begin(run.uuid, { ...use, path })
          await stores.journal.park(run.uuid, path)
        }
        await stores.journal.resolve(run.uuid, 'a', { decision: 'ran', output: {}, by: kim })
        await stores.journal.resolve(run.uuid, 'b', { decision: 'skip', output: null, by: kim })
        await stores.journal.resolve(run.uuid, 'c', { decision: 'run_again', output: null, by: kim })
        const { data, total } = await actionsOf(run.caseId)
        const seen = data.map(({ path, outcome, decisions }) => [path, outcome, decisions[0]?.answer])
        expect(total).to.equal(3)
        expect(seen.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).to.deep.equal([
          ['a', 'accepted', 'ran'],
          ['b', 'unknown', 'skip'],
          ['c', 'unknown', undefined],
        ])
      })

      it('before the case opens are added to it with sensitive values hidden', async () => {
        const { stores } = subject()
        const run = await startedRun(subject(), null)
        await stores.journal.begin(run.uuid, { ...use, sensitive: { input: { fields: { reason: true } } } })
        await stores.journal.end(run.uuid, use.path, { ...ended, changedNothing: true })
        await stores.journal.begin(run.uuid, { ...use, path: 'later' })
        const id = await stores.runs.openCase(run.uuid, { title: 'late' })
        const { data } = await actionsOf(id)
        expect(data.map(({ path, outcome }) => [path, outcome])).to.deep.equal([[use.path, 'unchanged']])
        expect(JSON.stringify([data, await timelineOf(stores, id)])).to.not.include('a miner')
        expect(data[0]?.input).to.deep.equal({ id: 'M-1', reason: '[redacted]' })
      })
    })

    it('returns a timeline in pages, newest first, with cursors that are bound to the case', async () => {
      const { stores, acme, globex } = subject()
      const ids: string[] = []
      for (const title of ['one', 'two'])
        ids.push((await stores.cases.create(acme.uuid, { title }, run1, title)).id)
      const [id = '', other = ''] = ids
      for (let count = 1; count <= 4; count++)
        await stores.cases.comment(acme.uuid, id, `note ${count}`, kim, `${count}`)
      const first = await stores.cases.timeline('all', id, { limit: 3 })
      expect(first.data.map(({ text }) => text)).to.deep.equal(['note 4', 'note 3', 'note 2'])
      expect(first.total).to.equal(5)
      const cursor = first.nextCursor ?? ''
      const second = await stores.cases.timeline('all', id, { limit: 3, cursor })
      expect(second.data.map(({ kind }) => kind)).to.deep.equal(['note', 'opened'])
      expect(second.nextCursor).to.equal(null)
      await expectRejection(
        stores.cases.timeline('all', other, { limit: 3, cursor }),
        'ValidationError',
        'invalid_cursor',
      )
      expect((await stores.cases.timeline([globex.uuid], id, { limit: 3 })).total).to.equal(0)
    })

    it('keeps a timeline of events, oldest first', async () => {
      const { stores, acme, clock } = subject()
      const { id } = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'a')
      clock.nowMs += 10
      const updated = await stores.cases.update(acme.uuid, id, changes, kim, 'b')
      expect(updated).to.include({ ...changes, title: 'One', status: 'open', modifiedAt: clock.nowMs })
      clock.nowMs += 10
      await stores.cases.comment(acme.uuid, id, '<b>note</b>', kim, 'c')
      const timeline = await timelineOf(stores, id.toLowerCase())
      expect(timeline.map(({ kind, actor }) => [kind, actor])).to.deep.equal([
        ['opened', { kind: 'run', id: 'run-1', name: 'triage' }],
        ['changed', { kind: 'api_key', id: 'a1b2c3', name: 'Kim' }],
        ['note', { kind: 'api_key', id: 'a1b2c3', name: 'Kim' }],
      ])
      expect(timeline[1]).to.deep.include({ changes, at: clock.nowMs - 10 })
      expect(timeline[2]).to.deep.include({ text: '<b>note</b>', changes: null, request_id: 'request-1' })
      expect((await stores.cases.find('all', id))?.modifiedAt).to.equal(clock.nowMs)
    })

    it('writes once per key, even for concurrent repeats', async () => {
      const { stores, acme } = subject()
      const create = () => stores.cases.create(acme.uuid, { title: 'One' }, run1, 'key 1')
      const ids = (await Promise.all([create(), create(), create()])).map(({ id }) => id)
      expect(ids).to.deep.equal(['Acme-1', 'Acme-1', 'Acme-1'])
      await stores.cases.update(acme.uuid, 'Acme-1', { severity: 'high' }, run1, 'key 2')
      await stores.cases.update(acme.uuid, 'Acme-1', { severity: 'low' }, kim, 'key 3')
      await stores.cases.update(acme.uuid, 'Acme-1', { severity: 'high' }, run1, 'key 2')
      const note = () => stores.cases.comment(acme.uuid, 'Acme-1', 'note', run1, 'key 4')
      await Promise.all([note(), note()])
      expect((await stores.cases.find('all', 'Acme-1'))?.severity).to.equal('low')
      expect(await timelineOf(stores, 'Acme-1')).to.have.length(4)
      expect((await create()).id).to.equal('Acme-1')
      expect((await stores.cases.create(acme.uuid, { title: 'Two' }, run1, 'key 5')).id).to.equal('Acme-2')
    })

    it('finds a case in its current state by the key that opened it', async () => {
      const { stores, acme, globex } = subject()
      const { id } = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'key')
      await stores.cases.create(acme.uuid, { title: 'Two' }, run1, 'other')
      await stores.cases.update(acme.uuid, id, { severity: 'high' }, run1, 'later')
      expect(await stores.cases.findByKey(acme.uuid, 'key')).to.include({
        id,
        title: 'One',
        severity: 'high',
      })
      expect(await stores.cases.findByKey(acme.uuid, 'later'), 'a key of another write').to.equal(undefined)
      expect(await stores.cases.findByKey(acme.uuid, 'none')).to.equal(undefined)
      expect(await stores.cases.findByKey(globex.uuid, 'key'), 'of another organization').to.equal(undefined)
    })

    it('refuses a key that belongs to another kind of write', async () => {
      const { stores, acme } = subject()
      const { id } = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'key')
      const reuse = stores.cases.comment(acme.uuid, id, 'note', run1, 'key')
      await expectRejection(reuse, 'ConflictError', 'idempotency_key_reused')
    })

    it('does not let one organization write to the case of another', async () => {
      const { stores, acme, globex } = subject()
      const { id } = await stores.cases.create(acme.uuid, { title: 'One' }, run1, 'a')
      const update = stores.cases.update(globex.uuid, id, { title: 'Mine' }, run2, 'b')
      await expectRejection(update, 'NotFoundError', 'case_not_found')
      const comment = stores.cases.comment(globex.uuid, id, 'hello', run2, 'c')
      await expectRejection(comment, 'NotFoundError', 'case_not_found')
      expect(await timelineOf(stores, id)).to.have.length(1)
    })
  })
}
