import { expect } from 'chai'
import { personOf, type Actor } from '../../core/domain/audit.ts'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import type { AskedPeople } from '../../core/playbook/waits/waits.ts'
import { SkillError } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { journalOf, openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingStores } from './support/crashing-journal.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

interface Source extends Partial<Pick<AskedPeople<unknown>, 'quorum' | 'veto'>> {
  readonly ask: unknown
  readonly escalate?: readonly { readonly afterMs: number; readonly ask: unknown }[]
}

const hour = 3_600_000
const playbookOf = (people: Source, onTimeout?: string) =>
  makePlaybook({
    steps: [
      {
        id: 'approve',
        checkpoint: {
          via: 'ask',
          with: { user: '${{ person }}' },
          answers: ['yes', 'no'],
          withinMs: hour,
          ...(onTimeout === undefined ? {} : { onTimeout }),
          people,
        },
      },
    ],
    outputs: '${{ steps.approve.output }}',
  })

describe('a checkpoint that asks several people', () => {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    run = await bench.startRun()
  })
  afterEach(() => bench.close())

  /** Asks everyone except people whose names begin with `gone`. */
  const chat: TestSkills = {
    ask: (input) => {
      const { user } = input as { readonly user: string }
      if (user.startsWith('gone')) throw new SkillError('user_not_found', `there is no ${user}`)
      return { asked: user, asked_name: `${user}@x.example` }
    },
  }
  const start = (people: Source, onTimeout?: string) => {
    const wakeUps = createWakeUps()
    const stop = new AbortController()
    const cancel = new AbortController()
    const going = bench.go(playbookOf(people, onTimeout), chat, {
      run,
      wakeUps,
      stop: stop.signal,
      cancel: cancel.signal,
    })
    going.catch(() => {})
    return { going, wakeUps, stop, cancel }
  }
  const questions = () => bench.stores.checkpoints.inGroup(run.uuid, 'approve')
  const states = async () => (await questions()).map(({ state }) => state)
  const answer = async (place: number, value: string, by: Actor) => {
    const id = (await questions())[place]!.id
    return (await bench.stores.checkpoints.answer(id, { value, text: null }, by)).outcome
  }
  const asked = () => bench.calls.map(({ input }) => (input as { readonly user: string }).user)

  it('goes on when enough people give the same answer, and closes the other questions', async () => {
    const { going, wakeUps } = start({ ask: ['ann', 'ben', 'cleo'], quorum: 2 })
    await settle()
    expect(await states()).to.deep.equal(['waiting', 'waiting', 'waiting'])
    expect(await answer(0, 'yes', personOf('ann'))).to.equal('accepted')
    expect(await answer(1, 'yes', personOf('ben'))).to.equal('accepted')
    expect(await answer(2, 'no', personOf('cleo'))).to.equal('decided')
    expect(await states()).to.deep.equal(['answered', 'answered', 'decided'])
    wakeUps.wake()
    const at = new Date(clock.now()).toISOString()
    const given = { answer: 'yes', by_kind: 'person', at, text: null }
    expect((await going).output).to.deep.equal({
      answer: 'yes',
      decided_by: 'quorum',
      answers: [
        { person: 'ann', by: 'ann', by_name: 'ann@x.example', ...given },
        { person: 'ben', by: 'ben', by_name: 'ben@x.example', ...given },
      ],
      missing: ['cleo'],
      at,
    })
    expect((await start({ ask: ['ann', 'ben', 'cleo'], quorum: 2 }).going).output).to.nested.include({
      'missing[0]': 'cleo',
    })
    expect(asked(), 'nobody is asked again on a replay').to.deep.equal(['ann', 'ben', 'cleo'])
  })

  it('counts an API key once, whoever was asked', async () => {
    const { going, wakeUps, cancel } = start({ ask: ['ann', 'ben'] })
    await settle()
    expect(await answer(0, 'yes', somebody('eve'))).to.equal('accepted')
    expect(await answer(1, 'yes', somebody('eve'))).to.equal('same_person')
    expect(await states()).to.deep.equal(['answered', 'waiting'])
    expect(await answer(1, 'yes', { ...somebody('flo'), id: 'another-key' })).to.equal('accepted')
    wakeUps.wake()
    expect((await going).output).to.include({ answer: 'yes', decided_by: 'quorum' })
    cancel.abort()
  })

  it('ends at a veto', async () => {
    const { going, wakeUps } = start({ ask: ['ann', 'ben', 'cleo'], quorum: 2, veto: ['no'] })
    await settle()
    await answer(1, 'no', personOf('ben'))
    wakeUps.wake()
    expect((await going).output).to.deep.include({
      answer: 'no',
      decided_by: 'veto',
      missing: ['ann', 'cleo'],
    })
  })

  it('fails as soon as the answers differ too much, or uses the answer for a timeout', async () => {
    const { going, wakeUps } = start({ ask: ['ann', 'ben', 'cleo'] })
    await settle()
    await answer(0, 'yes', personOf('ann'))
    await answer(1, 'no', personOf('ben'))
    wakeUps.wake()
    expect(await going).to.nested.include({ status: 'failed', 'error.code': 'checkpoint_split' })
    run = await bench.startRun()
    const silent = start({ ask: ['ann', 'ben'] }, 'unclear')
    await settle()
    await answer(0, 'yes', personOf('ann'))
    await answer(1, 'no', personOf('ben'))
    silent.wakeUps.wake()
    expect((await silent.going).output).to.include({ answer: 'unclear', decided_by: 'split' })
  })

  it('keeps the answers that came when the time is over', async () => {
    const { going, wakeUps } = start({ ask: ['ann', 'ben'] }, 'unclear')
    await settle()
    await answer(0, 'yes', personOf('ann'))
    wakeUps.wake()
    await clock.advance(hour)
    const { output } = await going
    expect(output).to.deep.include({ answer: 'unclear', decided_by: 'timeout', missing: ['ben'] })
    expect(output).to.nested.include({ 'answers[0].person': 'ann' })
    expect(await states()).to.deep.equal(['answered', 'timed_out'])
  })

  it('asks further people only if there is no decision', async () => {
    const people = { ask: 'ann', escalate: [{ afterMs: 900_000, ask: ['ben', 'ann'] }] }
    const { going, wakeUps } = start(people)
    await settle()
    expect(asked()).to.deep.equal(['ann'])
    await clock.advance(900_000)
    expect(asked()).to.deep.equal(['ann', 'ben'])
    await answer(1, 'yes', personOf('ben'))
    wakeUps.wake()
    expect((await going).output).to.deep.include({ answer: 'yes', missing: ['ann'] })
    expect(await states()).to.deep.equal(['decided', 'answered'])

    run = await bench.startRun()
    const early = start(people)
    await settle()
    await answer(0, 'yes', personOf('ann'))
    early.wakeUps.wake()
    expect((await early.going).output).to.deep.include({ answer: 'yes', missing: ['ben'] })
    expect(asked()).to.deep.equal(['ann', 'ben', 'ann'])
  })

  it('asks nobody whose turn came after the timeout, while no process ran', async () => {
    const people = { ask: ['ann'], escalate: [{ afterMs: 900_000, ask: 'ben' }] }
    const first = start(people, 'unclear')
    await settle()
    first.stop.abort()
    expect(await first.going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    await clock.advance(2 * hour)
    expect((await start(people, 'unclear').going).output).to.deep.include({ decided_by: 'timeout' })
    expect(asked()).to.deep.equal(['ann'])
  })

  it('goes on without a person who cannot be asked, as long as the others can decide', async () => {
    const { going, wakeUps } = start({ ask: ['ann', 'gone', 'cleo'], quorum: 2 })
    await settle()
    expect(await states()).to.deep.equal(['waiting', 'withdrawn', 'waiting'])
    await answer(0, 'yes', personOf('ann'))
    await answer(2, 'yes', personOf('cleo'))
    wakeUps.wake()
    expect((await going).output).to.deep.include({ answer: 'yes', missing: ['gone'] })

    run = await bench.startRun()
    const failed = await start({ ask: ['ann', 'gone'] }).going
    expect(failed).to.nested.include({ status: 'failed', 'error.code': 'user_not_found' })
    expect(await states()).to.deep.equal(['decided', 'withdrawn'])
  })

  it('withdraws all questions of a cancelled run', async () => {
    const { going, cancel } = start({ ask: ['ann', 'ben'] })
    await settle()
    cancel.abort()
    expect(await going).to.include({ status: 'cancelled' })
    expect(await states()).to.deep.equal(['withdrawn', 'withdrawn'])
  })

  it('asks a person once who is named twice, and refuses a quorum of more people than remain', async () => {
    const people = { ask: ['ann', ' ANN ', null, '', 'ben'], quorum: 3 }
    expect(await start(people).going).to.nested.include({ 'error.code': 'checkpoint_quorum_unreachable' })
    expect(bench.calls).to.deep.equal([])
    run = await bench.startRun()
    const { cancel } = start({ ask: ['ann', 'ANN', 'ben'] })
    await settle()
    expect(asked()).to.deep.equal(['ann', 'ben'])
    cancel.abort()
  })

  it('fails without people, and with more than it may ask', async () => {
    expect(await start({ ask: [null] }).going).to.nested.include({ 'error.code': 'checkpoint_asks_nobody' })
    run = await bench.startRun()
    const ask = Array.from({ length: 1_000 }, (_, index) => `user${index}`)
    expect(await start({ ask }).going).to.nested.include({ 'error.code': 'checkpoint_too_many_people' })
    expect(bench.calls).to.deep.equal([])
  })
})

describe('a checkpoint of several people whose process crashes', function () {
  this.timeout(60_000)
  let bench: Bench
  before(async () => {
    bench = await openBench(systemClock)
  })
  after(() => bench.close())

  for (const when of ['before', 'after'] as const)
    it(`decides the same after a crash just ${when} each of its writes, and asks nobody twice`, async () => {
      const { store, go } = createCase()
      const reference = await go()
      const counted = crashingStores(bench.stores, Infinity, 'before')
      await go(() => counted.stores)
      expect(counted.writes()).to.be.greaterThan(12)
      for (let at = 1; at <= counted.writes(); at++) {
        const end = await go((stores) => crashingStores(stores, at, when).stores)
        expect(end.output, `write ${at}`).to.deep.equal(reference.output)
        expect(end.entries, `write ${at}`).to.deep.equal(reference.entries)
      }
      expect(store.twice, 'verified calls that took effect twice').to.deep.equal([])
    })

  function createCase() {
    const store = { twice: [] as string[] }
    const playbook = playbookOf({ ask: ['ann', 'ben', 'cleo'], quorum: 2 })
    async function go(wrap: (stores: Bench['stores']) => object = () => ({})) {
      const run = await bench.startRun()
      const wakeUps = createWakeUps()
      const sent = new Map<string, string>()
      const reply = async (id: string, user: string) => {
        if (user === 'cleo') return
        await bench.stores.checkpoints.answer(id, { value: 'yes', text: null }, personOf(user))
        wakeUps.wake()
      }
      const skills: TestSkills = {
        ask: {
          interrupted: 'verify',
          async run(input, { idempotencyKey }) {
            const { user, checkpoint_id: id } = input as {
              readonly user: string
              readonly checkpoint_id: string
            }
            if (sent.has(idempotencyKey)) store.twice.push(idempotencyKey)
            sent.set(idempotencyKey, user)
            await reply(id, user)
            return { asked: user }
          },
          verify(_input, { idempotencyKey }) {
            const asked = sent.get(idempotencyKey)
            return asked === undefined ? undefined : { asked }
          },
        },
      }
      const first = bench.go(playbook, skills, { run, wakeUps, ...wrap(bench.stores) })
      const outcome = await first.catch(async (error: unknown) => {
        if (!(error instanceof Crash)) throw error
        return await bench.go(playbook, skills, { run, wakeUps })
      })
      const { answer, missing } = outcome.output as {
        readonly answer: string
        readonly missing: readonly string[]
      }
      const entries = (await journalOf(bench.stores, run.uuid))
        .filter(({ kind }) => kind !== 'ask')
        .map(({ path, state }) => `${path} ${state}`)
      return { output: { answer, missing }, entries }
    }
    return { store, go }
  }
})
