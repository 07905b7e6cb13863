import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { openBench, type Bench, type TestSkill } from '../engine/support/bench.ts'
import { somebody } from '../support/somebody.ts'
import { rehearsal, version } from './support.ts'

describe('a retry of a step with unknown outcome and a verifying skill', () => {
  let bench: Bench
  /** Effects: machines, by the key of the call. */
  let done: Map<string, string>
  /** Outcomes of the calls in order; later calls succeed. */
  let ends: ('lost' | 'refused')[]
  /** It cannot be verified right after a lost answer. */
  let isDown: boolean

  beforeEach(async () => {
    bench = await openBench(systemClock)
    done = new Map()
    ends = []
    isDown = false
  })
  afterEach(() => bench.close())

  const machineOf = (input: unknown) => (input as { readonly machine: string }).machine
  const isolate: TestSkill = {
    interrupted: 'verify',
    run(input, { idempotencyKey }) {
      const end = ends.shift()
      if (end === 'refused')
        throw new SkillError('bad_input', 'no such machine', { details: { sent: false } })
      done.set(idempotencyKey, machineOf(input))
      isDown = end === 'lost'
      if (isDown) throw new SkillError('http_500', 'who knows')
      return { isolated: machineOf(input) }
    },
    verify: (_input, { idempotencyKey }) => {
      if (isDown) {
        isDown = false
        throw new SkillError('http_500', 'still down')
      }
      const machine = done.get(idempotencyKey)
      return machine === undefined ? undefined : { isolated: machine, seen: true }
    },
  }
  const skills = { 'x.isolate': isolate, 'x.write': (input: unknown) => input }

  const step = (machine: string) => ({ id: 'a', uses: 'x.isolate', with: { machine } })
  const playbook = version({ steps: [step('m1')], outputs: { a: '${{ steps.a.output }}' } }, 'a')
  const edited = version({ steps: [step('m2')], outputs: { a: '${{ steps.a.output }}' } }, 'b')
  const purposes = () => bench.calls.map(({ purpose }) => purpose)

  it('verifies the earlier call first and repeats nothing that was done', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    ends = ['lost']
    const { run } = await first(playbook, skills)
    expect(run.status).to.equal('failed')
    const { repeats } = await retries.preview('all', run.uuid, 'same')
    expect(repeats.map(({ tookEffect }) => tookEffect)).to.deep.equal(['may_have'])
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'same', somebody()), skills)
    expect(outcome.output).to.deep.equal({ a: { isolated: 'm1', seen: true } })
    expect(bench.calls.map(({ purpose, key }) => [purpose, key])).to.deep.equal([['verify', `${run.uuid}/a`]])
    expect([...done.values()]).to.deep.equal(['m1'])
  })

  it('runs the step if the other system says it was not done', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    ends = ['lost']
    const { run } = await first(playbook, skills)
    done.clear()
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'same', somebody()), skills)
    expect(outcome.output).to.deep.equal({ a: { isolated: 'm1' } })
    expect(purposes()).to.deep.equal(['verify', 'run'])
  })

  it('does nothing while the other system is unavailable', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    ends = ['lost']
    const { run } = await first(playbook, skills)
    bench.calls.length = 0
    const silent = () => {
      throw new RetryableError('http_404', 'nobody here')
    }
    const retry = await retries.retry('all', run.uuid, 'same', somebody())
    const { outcome } = await goOn(retry, { ...skills, 'x.isolate': { ...isolate, verify: silent } })
    expect(outcome.error?.code).to.equal('http_404')
    expect(purposes()).to.not.include('run')
  })

  it('does not verify a call that never reached the other system', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    ends = ['refused']
    const { run } = await first(playbook, skills)
    bench.calls.length = 0
    await goOn(await retries.retry('all', run.uuid, 'same', somebody()), skills)
    expect(purposes()).to.deep.equal(['run'])
  })

  it('treats a changed input as another effect', async () => {
    const { first, goOn, retries, newest } = rehearsal(bench, [playbook, edited])
    ends = ['lost']
    const { run } = await first(playbook, skills)
    newest.set('tested', edited)
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect(outcome.output).to.deep.equal({ a: { isolated: 'm2' } })
    expect(purposes()).to.deep.equal(['run'])
  })

  it('verifies all earlier runs, oldest first', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    ends = ['lost', 'lost']
    let { run } = await first(playbook, skills)
    const keys = [`${run.uuid}/a`]
    const forgotten = new Map(done)
    done.clear()
    run = (await goOn(await retries.retry('all', run.uuid, 'same', somebody()), skills)).run
    expect(run.status).to.equal('failed')
    keys.push(`${run.uuid}/a`)
    done.clear()
    bench.calls.length = 0
    await goOn(await retries.retry('all', run.uuid, 'same', somebody()), skills)
    expect(bench.calls.map(({ key }) => key).slice(0, 2)).to.deep.equal(keys)
    expect(forgotten.size).to.equal(1)
  })

  it('verifies a step whose outcome was unknown when its run was cancelled', async () => {
    const doubtful = version({ steps: [{ ...step('m1'), onInterrupted: 'ask' }] }, 'a')
    const { goOn, retries } = rehearsal(bench, [doubtful])
    const run = await interrupted(doubtful)
    bench.calls.length = 0
    await goOn(await retries.retry('all', run.uuid, 'same', somebody()), skills)
    expect(purposes()).to.deep.equal(['verify'])
    expect([...done.values()]).to.deep.equal(['m1'])
  })

  /** A run whose process crashed after the effect, and which was then cancelled. */
  async function interrupted({ name, hash }: typeof playbook): Promise<Run> {
    const { stores, organizationUuid } = bench
    const names = { playbookName: name, playbookHash: hash }
    const { uuid } = await stores.runs.queue({ organizationUuid, ...names, alertUuid: null })
    await stores.runs.start(uuid, { title: 'tested' })
    const startedAt = systemClock.now()
    const begin = { path: 'a', stepId: 'a', kind: 'x.isolate', attempt: 1, startedAt }
    await stores.journal.begin(uuid, { ...begin, input: { machine: 'm1' } })
    done.set(`${uuid}/a`, 'm1')
    await stores.journal.park(uuid, 'a')
    const error = { code: 'run_cancelled', message: 'the run was cancelled' }
    const ended = { output: null, error, attempt: 1, endedAt: startedAt }
    await stores.journal.end(uuid, 'a', { state: 'failed', ...ended })
    return await stores.runs.end(uuid, { status: 'cancelled', output: null, error })
  }
})

describe('a retry of a checkpoint that asked several people', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await openBench(systemClock)
  })
  afterEach(() => bench.close())

  const ask = (answer: (user: string) => string | undefined): TestSkill['run'] => {
    return async (input) => {
      const { user, checkpoint_id: id } = input as { readonly user: string; readonly checkpoint_id: string }
      const value = answer(user)
      if (value !== undefined)
        await bench.stores.checkpoints.answer(id, { value, text: null }, { ...somebody(user), id: user })
      return { asked: user }
    }
  }
  const asked = {
    id: 'a',
    checkpoint: {
      via: 'x.ask',
      with: { user: '${{ person }}' },
      answers: ['yes', 'no'],
      withinMs: 3_600_000,
      people: { ask: ['ann', 'ben'] },
    },
  }
  const playbook = version({ steps: [asked, { id: 'b', uses: 'x.write' }] }, 'a')
  const users = () => bench.calls.flatMap(({ input }) => (input as { readonly user?: string }).user ?? [])

  it('asks everyone again if they did not decide', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    const { run } = await first(playbook, {
      'x.ask': ask((user) => (user === 'ann' ? 'yes' : 'no')),
      'x.write': () => ({}),
    })
    expect(run.error?.code).to.equal('checkpoint_split')
    const again = await retries.retry('all', run.uuid, 'same', somebody())
    const { outcome } = await goOn(again, { 'x.ask': ask(() => 'yes'), 'x.write': () => ({}) })
    expect(outcome.status).to.equal('completed')
    expect(users()).to.deep.equal(['ann', 'ben', 'ann', 'ben'])
  })

  it('asks nobody again if they did, and a later step failed', async () => {
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    const { run } = await first(playbook, {
      'x.ask': ask(() => 'yes'),
      'x.write': () => {
        throw new SkillError('http_400', 'broken')
      },
    })
    expect(run.status).to.equal('failed')
    const again = await retries.retry('all', run.uuid, 'same', somebody())
    const { outcome } = await goOn(again, { 'x.ask': ask(() => 'yes'), 'x.write': () => ({}) })
    expect(outcome.status).to.equal('completed')
    expect(users()).to.deep.equal(['ann', 'ben'])
  })
})
