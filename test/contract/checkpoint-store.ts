import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { expectRejection, failed, startedRun, type GetSubject } from './fixture.ts'
import { someAuthor, somebody } from '../support/somebody.ts'

const question = { via: 'operator', input: { message: 'Was it you?' }, answers: ['yes', 'no'], form: null }

export function checkpointStoreContract(subject: GetSubject): void {
  describe('CheckpointStore', () => {
    let run: Run
    beforeEach(async () => {
      run = await startedRun(subject(), null)
    })
    const store = () => subject().stores.checkpoints
    const open = (path = 'confirm', withinMs = 1_000) =>
      store().open(run.uuid, { path, stepId: path, question, timeoutAt: subject().clock.nowMs + withinMs })
    const answer = (id: string, value: unknown, by = 'anna') =>
      store().answer(id, { value, text: null }, somebody(by))
    const statusOf = async () => (await subject().stores.runs.find('all', run.uuid))?.status

    it('opens one question at a path, and makes the run wait', async () => {
      const { acme, clock } = subject()
      const checkpoint = await open()
      expect(checkpoint).to.deep.equal({
        id: checkpoint.id,
        runUuid: run.uuid,
        organizationUuid: acme.uuid,
        playbookName: run.playbookName,
        alertId: null,
        caseId: run.caseId,
        path: 'confirm',
        stepId: 'confirm',
        question,
        connection: null,
        reference: null,
        state: 'waiting',
        createdAt: clock.nowMs,
        timeoutAt: clock.nowMs + 1_000,
        onTimeout: null,
        group: null,
        answer: null,
      })
      expect(checkpoint.id.length, 'nobody guesses it').to.be.at.least(32)
      expect(await open('confirm', 9_999)).to.deep.equal(checkpoint)
      expect(await store().find('all', checkpoint.id)).to.deep.equal(checkpoint)
      expect(await store().atPath(run.uuid, 'confirm')).to.deep.equal(checkpoint)
      expect(await statusOf()).to.equal('waiting')
    })

    it('keeps the outcome of a step without an answer', async () => {
      for (const onTimeout of [{ fails: true }, { fails: false, answer: null }] as const) {
        const path = `silent ${onTimeout.fails}`
        const asked = { path, stepId: null, question, timeoutAt: subject().clock.nowMs + 1, onTimeout }
        const { id } = await store().open(run.uuid, asked)
        expect((await store().find('all', id))?.onTimeout).to.deep.equal(onTimeout)
      }
    })

    it('takes the first answer; later ones are recorded without effect', async () => {
      const { id } = await open()
      const [first, second] = await Promise.all([answer(id, 'yes'), answer(id, 'no', 'bert')])
      expect(first.outcome).to.equal('accepted')
      expect(second).to.deep.include({ outcome: 'second', checkpoint: first.checkpoint })
      expect(first.checkpoint).to.deep.include({
        state: 'answered',
        answer: { value: 'yes', by: someAuthor('anna'), text: null, at: subject().clock.nowMs },
      })
      expect((await store().answers(id)).map(({ by, outcome }) => [by.name, outcome])).to.deep.equal([
        ['anna', 'accepted'],
        ['bert', 'second'],
      ])
      expect(await statusOf()).to.equal('running')
    })

    it('takes no answer after the timeout, even if it was not yet processed', async () => {
      const { id } = await open()
      subject().clock.nowMs += 1_000
      expect((await answer(id, 'yes')).outcome).to.equal('late')
      expect((await store().close(run.uuid, 'confirm', 'timed_out')).state).to.equal('timed_out')
      expect((await answer(id, 'yes')).outcome).to.equal('late')
      expect((await store().find('all', id))?.answer).to.equal(null)
      expect(await store().answers(id)).to.have.length(2)
    })

    it('lets the first of answer and timeout win', async () => {
      const { id } = await open('a')
      const [, closed] = await Promise.all([answer(id, 'yes'), store().close(run.uuid, 'a', 'timed_out')])
      expect(closed).to.nested.include({ state: 'answered', 'answer.value': 'yes' })
      const other = await open('b')
      const [timedOut, late] = await Promise.all([
        store().close(run.uuid, 'b', 'timed_out'),
        answer(other.id, 'yes'),
      ])
      expect([timedOut.state, late.outcome]).to.deep.equal(['timed_out', 'late'])
    })

    it('keeps the run waiting until the last question is over', async () => {
      const { id } = await open('a')
      await open('b')
      await answer(id, 'yes')
      expect(await statusOf()).to.equal('waiting')
      await store().close(run.uuid, 'b', 'withdrawn')
      expect(await statusOf()).to.equal('running')
    })

    it('keeps the output of the skill that asked', async () => {
      const { id } = await open()
      await store().asked(run.uuid, 'confirm', { message: '17.5' })
      expect((await store().find('all', id))?.reference).to.deep.equal({ message: '17.5' })
    })

    it('finds questions to a person over a connection, newest first, in any state', async () => {
      const { acme, globex } = subject()
      const ask = async (path: string, connection: string, reference: unknown) => {
        const { id } = await open(path)
        await store().storeConnection(run.uuid, path, connection)
        await store().asked(run.uuid, path, reference)
        return id
      }
      const first = await ask('a', 'chat', { asked: 'U1', ts: '1.0' })
      await ask('b', 'chat', { asked: 'U2' })
      await ask('c', 'other chat', { asked: 'U1' })
      await ask('d', 'chat', { asked: 7 })
      await ask('e', 'chat', null)
      await open('f')
      await ask('g', 'chat', { asked: 'U1', ts: '2.0' })
      await answer(first, 'yes')
      const person = { organizationUuid: acme.uuid, connection: 'chat', asked: 'U1' }
      const found = await store().toPerson(person, 10)
      expect(found.map(({ path, state }) => `${path} ${state}`)).to.deep.equal(['g waiting', 'a answered'])
      expect(found[0]).to.deep.include({ connection: 'chat', reference: { asked: 'U1', ts: '2.0' } })
      expect((await store().toPerson(person, 1)).map(({ path }) => path)).to.deep.equal(['g'])
      expect(await store().toPerson({ ...person, organizationUuid: globex.uuid }, 10)).to.deep.equal([])
      expect(await store().toPerson({ ...person, asked: '7' }, 10)).to.deep.equal([])
    })

    it('withdraws open questions at the end of their run and then accepts no answer', async () => {
      const { id } = await open()
      await subject().stores.runs.end(run.uuid, failed)
      expect((await store().find('all', id))?.state).to.equal('withdrawn')
      expect((await store().list('all', { limit: 10 }, { state: 'waiting' })).total).to.equal(0)
      expect((await answer(id, 'yes')).outcome).to.equal('late')
    })

    it('lists open questions of a scope, newest first', async () => {
      const { acme, globex } = subject()
      const { id } = await open('a')
      await open('b')
      await open('c')
      await answer(id, 'yes')
      const pathsOf = async (scope: readonly string[] | 'all') =>
        (await store().list(scope, { limit: 10 }, { state: 'waiting' })).data.map(({ path }) => path)
      expect(await pathsOf('all')).to.deep.equal(['c', 'b'])
      expect(await pathsOf([acme.uuid])).to.deep.equal(['c', 'b'])
      expect(await pathsOf([globex.uuid])).to.deep.equal([])
      expect(await store().find([globex.uuid], id)).to.equal(undefined)
    })

    describe('with a group of questions', () => {
      const rule = { path: 'all', people: 3, needed: 2, agree: true, veto: ['no'] }
      const ask = (place: number) =>
        store().open(run.uuid, {
          path: `all/${place}`,
          stepId: 'all',
          question,
          group: { ...rule, place },
          timeoutAt: subject().clock.nowMs + 1_000,
        })
      const by = (id: string, value: string, key: string) =>
        store().answer(id, { value, text: null }, { ...somebody(key), id: key })
      const states = async () => (await store().inGroup(run.uuid, 'all')).map(({ state }) => state)

      it('closes the others in the write of the answer that decides', async () => {
        const [first, second, third] = [await ask(0), await ask(1), await ask(2)]
        expect(first.group).to.deep.equal({ ...rule, place: 0 })
        const outcomes = await Promise.all([
          by(first.id, 'yes', 'ann'),
          by(second.id, 'yes', 'ben'),
          by(third.id, 'yes', 'cleo'),
        ])
        expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['accepted', 'accepted', 'decided'])
        expect(await states()).to.deep.equal(['answered', 'answered', 'decided'])
        expect(await statusOf()).to.equal('running')
      })

      it('opens no question after the decision', async () => {
        const { id } = await ask(0)
        await by(id, 'no', 'ann')
        expect((await ask(1)).state).to.equal('decided')
        expect(await statusOf()).to.equal('running')
      })

      it('counts each person once, also at the same time', async () => {
        const [first, second] = [await ask(0), await ask(1)]
        const outcomes = await Promise.all([by(first.id, 'yes', 'ann'), by(second.id, 'yes', 'ann')])
        expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['accepted', 'same_person'])
        expect(await states()).to.deep.equal(['answered', 'waiting'])
        expect((await store().answers(second.id)).map(({ outcome }) => outcome)).to.deep.equal([
          'same_person',
        ])
      })

      it('keeps apart groups of other steps and runs', async () => {
        const { id } = await ask(0)
        const other = await startedRun(subject(), null)
        const { state } = await store().open(other.uuid, {
          path: 'all/0',
          stepId: 'all',
          question,
          group: { ...rule, place: 0 },
          timeoutAt: subject().clock.nowMs + 1_000,
        })
        expect(state).to.equal('waiting')
        await by(id, 'no', 'ann')
        expect((await store().inGroup(other.uuid, 'all')).map((each) => each.state)).to.deep.equal([
          'waiting',
        ])
        expect(await store().inGroup(run.uuid, 'other')).to.deep.equal([])
      })
    })

    it('needs the approvals of different people, and keeps what each of them refused', async () => {
      const approval = {
        rule: { place: 1, name: null },
        needed: 2,
        by: { roles: [], keys: [], accounts: [] },
        escalation: null,
        expiresMs: 1_000,
        inputHash: 'f',
        connection: null,
      }
      const { id } = await store().open(run.uuid, {
        path: 'isolate/@approval',
        stepId: 'isolate',
        question: { ...question, answers: ['approve', 'refuse'], approval },
        timeoutAt: subject().clock.nowMs + 1_000,
      })
      const approve = (key: string, sameAs: readonly string[], refusedItems?: readonly number[]) =>
        store().answer(
          id,
          { value: 'approve', text: null, sameAs, refusedItems },
          { ...somebody(key), id: key },
        )
      const outcomes = await Promise.all([
        approve('ann', ['ann', 'root'], [2]),
        approve('bot', ['bot', 'ann', 'root']),
        approve('ben', ['ben'], [0, 2]),
        approve('cleo', ['cleo']),
      ])
      expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal([
        'counted',
        'same_person',
        'accepted',
        'second',
      ])
      const { state, counted, answer: last } = (await store().find('all', id))!
      expect(state).to.equal('answered')
      expect(counted?.map(({ by, refusedItems }) => [by.id, refusedItems])).to.deep.equal([['ann', [2]]])
      expect(last).to.deep.include({ sameAs: ['ben'], refusedItems: [0, 2] })
    })

    it('returns undefined for an unknown checkpoint', async () => {
      await expectRejection(answer('nobody', 'yes'), 'NotFoundError', 'checkpoint_not_found')
      expect(await store().find('all', 'nobody')).to.equal(undefined)
    })
  })
}
