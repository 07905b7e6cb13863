import { expect } from 'chai'
import { createMemoryCheckpoints } from '../../core/playbook-test/run/memory-checkpoints.ts'
import { createMemoryJournal } from '../../core/playbook-test/run/memory-journal.ts'
import type { JournalBegin, JournalEnd } from '../../core/ports/runs/journal-store.ts'
import { someAuthor, somebody } from '../support/somebody.ts'

const begin: JournalBegin = { path: 'a', stepId: 'a', kind: 'x.do', input: {}, attempt: 1, startedAt: 1 }
const end: JournalEnd = { state: 'completed', output: 1, error: null, attempt: 1, endedAt: 2 }
const failedAttempt = {
  path: 'a',
  attempt: 1,
  error: { code: 'x', message: 'x' },
  startedAt: 1,
  endedAt: 2,
  retryAt: 3,
}

describe('the in-memory journal', () => {
  it('keeps the first intent, increases only its attempt, and accepts one result', async () => {
    const ended: string[] = []
    const { store, entries } = createMemoryJournal({ onEnd: ({ path }) => ended.push(path) })
    await store.begin('run', begin)
    await store.begin('run', { ...begin, input: 'other', attempt: 3, startedAt: 9 })
    await store.begin('run', { ...begin, attempt: 2 })
    expect(entries()[0]).to.deep.include({ ...begin, attempt: 3, state: 'started', endedAt: null })
    await store.end('run', 'a', end)
    await store.begin('run', { ...begin, attempt: 5 })
    expect(entries()).to.deep.equal([{ ...begin, ...end }])
    const again = await store.record('run', begin, end).catch((error: { code: string }) => error.code)
    expect([again, ended]).to.deep.equal(['step_has_ended', ['a']])
  })

  it('keeps a failed attempt once and drops intents up to it', async () => {
    const { store, entries, failedAttempts, forgetIntent } = createMemoryJournal()
    await store.begin('run', begin)
    await store.attemptFailed('run', failedAttempt)
    await store.attemptFailed('run', failedAttempt)
    expect(failedAttempts('a')).to.have.length(1)
    await store.begin('run', { ...begin, attempt: 2 })
    forgetIntent('a')
    expect(entries()[0]?.attempt).to.equal(1)
    await store.begin('run', { ...begin, path: 'b' })
    forgetIntent('b')
    expect(entries().map(({ path }) => path)).to.deep.equal(['a'])
  })
})

describe('in-memory checkpoints', () => {
  const question = { via: 'operator', input: {}, answers: ['yes', 'no'], form: null }
  const opened = { path: 'ask', stepId: 'ask', question, timeoutAt: 100 }
  let now = 0
  const make = () => createMemoryCheckpoints({ now: () => now }, 'organization')
  const yes = { value: 'yes', by: 'kim', text: null }

  it('accept only the first answer in time', async () => {
    now = 10
    const { store } = make()
    const { id } = await store.open('run', opened)
    expect((await store.open('run', opened)).id).to.equal(id)
    now = 99
    expect((await store.answer(id, yes, somebody())).outcome).to.equal('accepted')
    expect((await store.answer(id, { ...yes, value: 'no' }, somebody())).outcome).to.equal('second')
    expect((await store.close('run', 'ask', 'timed_out')).state).to.equal('answered')
    expect((await store.atPath('run', 'ask'))?.answer).to.deep.equal({ ...yes, by: someAuthor(), at: 99 })
    expect((await store.answers(id)).map(({ outcome }) => outcome)).to.deep.equal(['accepted', 'second'])
  })

  it('accept no answer at or after the timeout', async () => {
    now = 10
    const { store, all } = make()
    const { id } = await store.open('run', opened)
    expect((await store.list('all', { limit: 10 }, { state: 'waiting' })).total).to.equal(1)
    now = 100
    expect((await store.answer(id, yes, somebody())).outcome).to.equal('late')
    expect((await store.close('run', 'ask', 'timed_out')).state).to.equal('timed_out')
    expect((await store.answer(id, yes, somebody())).outcome).to.equal('late')
    expect(all()[0]?.answer).to.equal(null)
    expect((await store.list('all', { limit: 10 }, { state: 'waiting' })).total).to.equal(0)
  })
})
