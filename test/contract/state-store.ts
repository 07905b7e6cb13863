import { expect } from 'chai'
import type { StateChange, StateRule } from '../../core/state/state.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, queuedRun, type GetSubject } from './fixture.ts'
import { inPieces, ruleBy } from './retention-store.ts'

const day = 86_400_000
const set: StateRule = {
  kind: 'set',
  schema: undefined,
  default: undefined,
  expiresMs: day,
  max: 3,
  whenFull: 'drop_oldest',
  onMismatch: 'fail',
  sensitive: false,
}
const counter: StateRule = { ...set, kind: 'counter', expiresMs: undefined }
const value: StateRule = { ...counter, kind: 'value', schema: { type: 'string' } }

export function stateStoreContract(subject: GetSubject): void {
  describe('StateStore', () => {
    const state = () => subject().stores.state
    const acme = () => subject().acme.uuid
    let paths = 0

    async function use(
      name: string,
      rule: StateRule,
      change: StateChange,
      path = `s${++paths}`,
      run?: string,
    ) {
      const runUuid = run ?? (await queuedRun(subject(), null)).uuid
      const begin = { path, stepId: null, kind: 'state', input: null, attempt: 1, startedAt: 1 }
      const request = { playbook: 'triage', name, rule, change }
      const { output, error } = await subject().stores.journal.recordState(runUuid, begin, request)
      return error?.code ?? output
    }
    const add = (key: string) => use('seen', set, { operation: 'add', key })
    const keys = async () =>
      (await state().entries('all', 'triage', 'seen', { limit: 100 })).data.map(({ key }) => key)

    it('changes a state and records the outcome once per path', async () => {
      const run = (await queuedRun(subject(), null)).uuid
      const increment = () => use('polls', counter, { operation: 'increment', by: 2 }, 'a', run)
      expect(await increment()).to.deep.equal({ value: 2 })
      expect(await increment()).to.deep.equal({ value: 2 })
      expect(await state().list('all', 'triage')).to.deep.equal([
        {
          organizationUuid: acme(),
          organizationCode: 'Acme',
          name: 'polls',
          kind: 'counter',
          isSensitive: false,
          entries: 1,
          bytes: 1,
          changedAt: subject().clock.nowMs,
          value: 2,
        },
      ])
      const [entry] = await subject().stores.journal.entries(run)
      expect(entry).to.deep.include({ path: 'a', state: 'completed', output: { value: 2 } })
    })

    it('lets exactly one of many concurrent runs add a key', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => add('mail-7')))
      const news = outcomes.filter((outcome) => (outcome as { new: boolean }).new)
      expect(news).to.have.length(1)
      expect((await state().size(acme(), 'triage', 'seen'))?.entries).to.equal(1)
    })

    it('drops the oldest entries of a full set, and expired ones first', async () => {
      for (const key of ['a', 'b', 'c', 'd']) {
        await add(key)
        subject().clock.nowMs += 1_000
      }
      expect(await keys()).to.deep.equal(['d', 'c', 'b'])
      subject().clock.nowMs += day - 2_000
      await add('e')
      expect(await keys()).to.deep.equal(['e', 'd'])
      expect(await state().size(acme(), 'triage', 'seen')).to.deep.include({ entries: 2, bytes: 2 })
    })

    it('keeps the states of organizations and playbooks apart', async () => {
      await add('a')
      expect(await state().list([subject().globex.uuid], 'triage')).to.deep.equal([])
      expect(await state().list('all', 'other')).to.deep.equal([])
      expect(await state().size(subject().globex.uuid, 'triage', 'seen')).to.equal(undefined)
      const page = await state().entries([subject().globex.uuid], 'triage', 'seen', { limit: 10 })
      expect(page.data).to.deep.equal([])
    })

    it('keeps values of sensitive states encrypted and out of lists, and hashes their keys', async () => {
      const secret = { ...value, sensitive: true }
      expect(await use('token', secret, { operation: 'set', value: 'hunter2' })).to.deep.equal({
        ok: true,
        value: 'hunter2',
      })
      expect((await state().list('all', 'triage'))[0]).to.not.have.property('value')
      expect(await state().entry(acme(), 'triage', 'token', '')).to.deep.include({ value: 'hunter2' })
      await use('users', { ...set, sensitive: true }, { operation: 'add', key: 'ana@example.com' })
      const [entry] = (await state().entries('all', 'triage', 'users', { limit: 10 })).data
      expect(entry?.key).to.match(/^[0-9a-f]{64}$/)
      expect(entry?.isSensitive).to.equal(true)
    })

    it('resets a state or one entry, with an audit entry', async () => {
      await add('a')
      await add('b')
      const place = { organizationUuid: acme(), playbook: 'triage', name: 'seen' }
      await state().reset({ ...place, key: 'a' }, somebody('kim'))
      expect(await keys()).to.deep.equal(['b'])
      await state().reset(place, somebody('kim'))
      expect(await state().list('all', 'triage')).to.deep.equal([])
      await expectRejection(state().reset(place, somebody()), 'NotFoundError', 'state_not_found')
      await expectRejection(
        state().reset({ ...place, organizationUuid: subject().globex.uuid }, somebody()),
        'NotFoundError',
        'state_not_found',
      )
      const { data } = await subject().stores.audit.list(
        'all',
        { action: 'playbook.state_reset' },
        { limit: 9 },
      )
      expect(data.map(({ details }) => details)).to.deep.equal([
        { state: 'seen' },
        { state: 'seen', key: 'a' },
      ])
    })

    it('refuses what an earlier version stored as another kind', async () => {
      await use('polls', counter, { operation: 'increment', by: 1 })
      const other = { operation: 'set', value: 'x' } as const
      expect(await use('polls', value, other)).to.equal('state_mismatch')
      expect(await use('polls', { ...value, onMismatch: 'reset' }, other)).to.deep.equal({
        ok: true,
        value: 'x',
      })
      expect((await state().list('all', 'triage'))[0]).to.deep.include({
        kind: 'value',
        entries: 1,
        value: 'x',
      })
    })

    it('forgets expired entries, and with a retention period the states of removed playbooks', async () => {
      const { retention, playbooks } = subject().stores
      const limits = { idleMs: day, maxMs: day }
      const playbook = {
        name: 'triage',
        hash: 'a'.repeat(64),
        source: '',
        origin: 'file' as const,
        organizationUuid: null,
      }
      await playbooks.put(playbook, somebody())
      await add('a')
      await use('polls', counter, { operation: 'increment', by: 1 })
      subject().clock.nowMs += day
      await retention.clearExpired(limits)
      expect((await state().list('all', 'triage')).map(({ name, entries }) => [name, entries])).to.deep.equal(
        [
          ['polls', 1],
          ['seen', 0],
        ],
      )
      const prune = (by: number) => inPieces((from) => retention.pruneRuns(ruleBy(by), from))
      const changedAt = subject().clock.nowMs
      subject().clock.nowMs += day
      await prune(subject().clock.nowMs)
      expect(await state().list('all', 'triage')).to.have.length(2)
      await playbooks.publish({ versions: [], removed: [{ name: 'triage' }], files: [] }, somebody())
      subject().clock.nowMs += day
      await prune(changedAt)
      expect(await state().list('all', 'triage')).to.have.length(2)
      await prune(subject().clock.nowMs)
      expect(await state().list('all', 'triage')).to.deep.equal([])
    })
  })
}
