import { somePerson, somebody } from '../support/somebody.ts'
import { expect } from 'chai'
import type { Connection } from '../../core/domain/connection.ts'
import type { Run } from '../../core/domain/run.ts'
import type { InboundCall, JudgedAnswer } from '../../core/ports/runs/inbound-store.ts'
import { expectRejection, startedRun, unknownUuid, type GetSubject } from './fixture.ts'

const question = { via: 'chat.ask', input: {}, answers: ['yes', 'no'], form: null }

export function inboundStoreContract(subject: GetSubject): void {
  describe('InboundStore', () => {
    let run: Run
    let connection: Connection
    beforeEach(async () => {
      const { stores, acme } = subject()
      run = await startedRun(subject(), null)
      const given = { name: 'Chat', plugin: 'chat', settings: {}, secrets: {} }
      connection = await stores.connections.create(acme.uuid, given, somebody())
    })

    const open = async (path = 'confirm') =>
      (
        await subject().stores.checkpoints.open(run.uuid, {
          path,
          stepId: path,
          question,
          timeoutAt: subject().clock.nowMs + 1_000,
        })
      ).id
    const answer = (checkpointId: string, changes: Partial<JudgedAnswer> = {}): JudgedAnswer => ({
      checkpointId,
      value: 'yes',
      by: somePerson('U1'),
      text: null,
      refused: null,
      ...changes,
    })
    const take = (call: Partial<InboundCall>) =>
      subject().stores.inbound.take({
        organizationUuid: subject().acme.uuid,
        connectionUuid: connection.uuid,
        requestId: 'r-1',
        once: undefined,
        answers: [],
        broken: undefined,
        warning: undefined,
        ...call,
      })
    const outcomesOf = async (call: Partial<InboundCall>) => (await take(call))?.map(({ outcome }) => outcome)
    const recorded = async (id: string) =>
      (await subject().stores.checkpoints.answers(id)).map(({ by, value, outcome }) => [
        by.id,
        value,
        outcome,
      ])

    it('accepts the first valid answer and resumes the run', async () => {
      const id = await open()
      const answers = [
        answer(id, { by: somePerson('U2'), refused: 'not_asked' }),
        answer(id, { value: 'perhaps', refused: 'not_an_answer' }),
        answer(id, { value: null, text: 'hm', refused: 'ambiguous' }),
        answer(id),
        answer(id, { value: 'no' }),
      ]
      const taken = await take({ answers })
      const outcomes = ['not_asked', 'not_an_answer', 'ambiguous', 'accepted', 'second']
      expect(taken?.map(({ outcome }) => outcome)).to.deep.equal(outcomes)
      expect(taken?.at(-1)?.checkpoint).to.deep.include({
        state: 'answered',
        answer: { value: 'yes', by: somePerson('U1'), text: null, at: subject().clock.nowMs },
      })
      expect((await recorded(id)).map(([, , outcome]) => outcome)).to.deep.equal(outcomes)
      expect((await subject().stores.runs.find('all', run.uuid))?.status).to.equal('running')
    })

    it('lets one of two concurrent calls, or of a call and the timeout, win', async () => {
      const id = await open('a')
      const both = await Promise.all([
        outcomesOf({ answers: [answer(id)] }),
        outcomesOf({ answers: [answer(id)] }),
      ])
      expect(both).to.deep.equal([['accepted'], ['second']])
      const other = await open('b')
      const { checkpoints } = subject().stores
      const [closed, late] = await Promise.all([
        checkpoints.close(run.uuid, 'b', 'timed_out'),
        outcomesOf({ answers: [answer(other)] }),
      ])
      expect([closed.state, late]).to.deep.equal(['timed_out', ['late']])
      subject().clock.nowMs += 1_000
      const unnoticed = await open('c')
      subject().clock.nowMs += 1_000
      expect(await outcomesOf({ answers: [answer(unnoticed)] })).to.deep.equal(['late'])
    })

    it('accepts a call with all its events once within the retention time', async () => {
      const id = await open()
      const call = { once: { key: 'Ev1', keepMs: 100 }, answers: [answer(id, { refused: 'not_asked' })] }
      const [first, repeat] = await Promise.all([take(call), take({ ...call, broken: 'revoked' })])
      expect(first).to.have.length(1)
      expect(repeat).to.equal(undefined)
      subject().clock.nowMs += 99
      expect(await take(call)).to.equal(undefined)
      expect(await recorded(id)).to.have.length(1)
      expect((await subject().stores.connections.list('all'))[0]?.broken).to.equal(null)
      subject().clock.nowMs += 1
      expect(await take(call), 'remembered no more').to.have.length(1)
      expect(await take({ ...call, once: { key: 'Ev2', keepMs: 100 } }), 'another call').to.have.length(1)
    })

    it('remembers calls separately for each connection', async () => {
      const { stores, globex } = subject()
      const given = { name: 'Chat', plugin: 'chat', settings: {}, secrets: {} }
      const other = await stores.connections.create(globex.uuid, given, somebody())
      const once = { key: 'Ev1', keepMs: 100 }
      expect(await take({ once })).to.deep.equal([])
      const elsewhere = { organizationUuid: globex.uuid, connectionUuid: other.uuid }
      expect(await take({ once, ...elsewhere })).to.deep.equal([])
      expect(await take({ once, ...elsewhere })).to.equal(undefined)
    })

    it('rolls back a whole call if a part is refused', async () => {
      const once = { key: 'Ev1', keepMs: 100 }
      const stray = take({ once, broken: 'revoked', answers: [answer('nobody')] })
      await expectRejection(stray, 'NotFoundError', 'checkpoint_not_found')
      expect((await subject().stores.connections.list('all'))[0]?.broken).to.equal(null)
      expect(await take({ once })).to.deep.equal([])
    })

    it('marks the connection as broken or with a warning until it is edited or works', async () => {
      const { stores, acme, clock } = subject()
      const { connections } = stores
      const now = async () => (await connections.open(acme.uuid, 'chat'))?.connection
      const at = clock.nowMs
      await take({ broken: 'the token was revoked' })
      await take({ warning: 'too many messages' })
      expect(await now()).to.deep.equal({
        ...connection,
        broken: { reason: 'the token was revoked', at },
        warning: { reason: 'too many messages', at },
      })
      const enabled = await connections.update(
        acme.uuid,
        connection.uuid,
        { enabled: true },
        undefined,
        somebody(),
      )
      expect(enabled.broken?.reason).to.equal('the token was revoked')
      const edited = await connections.update(
        acme.uuid,
        connection.uuid,
        { settings: {} },
        undefined,
        somebody(),
      )
      expect(edited).to.include({ broken: null, warning: null })

      await take({ broken: 'again', warning: 'again' })
      const earlier = await connections.works(
        acme.uuid,
        connection.uuid,
        { asOf: at - 1, warning: null },
        somebody(),
      )
      expect(earlier.broken?.reason, 'it broke after it was found to work').to.equal('again')
      const works = await connections.works(
        acme.uuid,
        connection.uuid,
        { asOf: at, warning: 'ends soon' },
        somebody(),
      )
      expect(works).to.deep.include({ broken: null, warning: { reason: 'ends soon', at } })
      expect(await now()).to.deep.equal(works)
    })

    it('accepts nothing for a deleted connection or one of another organization', async () => {
      const { stores, acme, globex } = subject()
      await expectRejection(take({ organizationUuid: globex.uuid }), 'NotFoundError', 'connection_not_found')
      await expectRejection(take({ connectionUuid: unknownUuid }), 'NotFoundError', 'connection_not_found')
      await take({ once: { key: 'Ev1', keepMs: 100 } })
      await stores.connections.remove(acme.uuid, connection.uuid, undefined, somebody())
      await expectRejection(take({}), 'NotFoundError', 'connection_not_found')
    })
  })
}
