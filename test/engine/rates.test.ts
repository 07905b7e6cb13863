import { expect } from 'chai'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { journalOf, openBench, type Bench } from './support/bench.ts'
import { Crash, crashingJournal } from './support/crashing-journal.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const minute = 60_000

const written = (steps: string) => {
  const { playbook, problems } = parsePlaybook(
    `apiVersion: tocsin/v1\nname: tested\non: { alert: { type: x } }\nsteps:\n${steps}`,
    {},
  )
  expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
  return playbook!
}
const one = (rate: string, more = '') => written(`  - { id: call, uses: x.call, rate: ${rate}${more} }`)
const each = (items: string, rate: string, more = '') =>
  written(
    `  - { id: call, foreach: "\${{ ${items} }}", uses: x.call, with: { item: "\${{ item }}" }, rate: ${rate}${more} }`,
  )

describe('the rate limit of a step', () => {
  let bench: Bench
  let clock: ManualClock
  let began: number
  /** Minutes of the calls after the start. */
  let calls: number[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    began = clock.now()
    calls = []
  })
  afterEach(() => bench.close())

  const minutes = () => clock.monotonic() / minute
  const skills = {
    'x.call': () => {
      calls.push(minutes())
      return null
    },
  }
  const go = (playbook: ReturnType<typeof written>, options: Parameters<Bench['go']>[2] = {}) =>
    bench.go(playbook, skills, options)

  it('lets each item of a foreach wait for its turn, whatever the concurrency', async () => {
    const going = go(each('[1, 2, 3, 4, 5]', '2/min', ', concurrency: 5'))
    await clock.advance(5 * minute)
    expect((await going).status).to.equal('completed')
    expect(calls).to.deep.equal([0, 0, 1, 1, 2])
  })

  it('is shared by all runs of the playbook, in the order in which they asked', async () => {
    const playbook = one('1/min')
    const going: Promise<RunOutcome>[] = []
    for (let run = 0; run < 4; run++) {
      going.push(go(playbook))
      await settle()
    }
    await clock.advance(minute)
    going.push(go(playbook))
    await clock.advance(10 * minute)
    await Promise.all(going)
    expect(calls).to.deep.equal([0, 1, 2, 3, 4])
  })

  it('counts starts of each key, step, playbook and organization separately', async () => {
    const keyed = one('{ limit: 1/h, key: "${{ alert.type }}" }')
    const other = { ...keyed, name: 'other' }
    for (const user of ['eve', 'adam', 'x'.repeat(100_000)]) {
      await go(keyed, { names: { alert: { type: user } } })
      await go(other, { names: { alert: { type: user } } })
    }
    const going = go(keyed, { names: { alert: { type: 'eve' } } })
    await clock.advance(60 * minute)
    await going
    expect(calls).to.deep.equal([0, 0, 0, 0, 0, 0, 60])
  })

  it('is shared by all playbooks that call the one with the step', async () => {
    const called = { ...one('1/h'), name: 'called' }
    const playbooks = { newest: () => 'hash', load: async () => called }
    const caller = { ...written('  - { id: sub, call: called }'), name: 'caller' }
    await go(called)
    const going = go(caller, { playbooks })
    await clock.advance(60 * minute)
    await going
    expect(calls).to.deep.equal([0, 60])
  })

  it('counts each round of a repeat', async () => {
    const polled = bench.go(
      written(
        '  - { id: poll, uses: x.poll, rate: 1/10min, repeat: { until: output.done, every: 1m, max: 3 } }',
      ),
      {
        'x.poll': (_input, _attempt, call) => {
          calls.push(minutes())
          return { done: call === 3 }
        },
      },
    )
    await clock.advance(60 * minute)
    await polled
    expect(calls).to.deep.equal([0, 10, 20])
  })

  it('fails a step beyond the limit with `policy: fail`, and its on_error handles it', async () => {
    const playbook = written(`
  - { id: call, uses: x.call, rate: { limit: 1/h, policy: fail }, on_error: continue }
  - return: "\${{ steps.call.?error.code.orValue('none') }}"
`)
    expect((await go(playbook)).output).to.equal('none')
    const run = await bench.startRun()
    expect((await go(playbook, { run })).output).to.equal('rate_exceeded')
    const entries = await journalOf(bench.stores, run.uuid)
    expect(entries.map(({ path, state }) => `${path} ${state}`)).to.include.members([
      'call failed',
      'call/@rate failed',
    ])
    expect(calls).to.deep.equal([0])
  })

  it('does not let the timeout of the step run, but those around it', async () => {
    await go(one('1/h'))
    const group = written(`
  - timeout: 10m
    on_error: continue
    steps: [{ id: call, uses: x.call, rate: 1/h }]
  - { id: inner, timeout: 10m, rate: 1/h, steps: [{ wait: 9m }] }
  - return: "\${{ steps.inner.status }}"
`)
    const going = go(group)
    await clock.advance(10 * minute)
    const second = go(written('  - { id: inner, timeout: 10m, rate: 1/h, steps: [{ wait: 9m }] }'))
    await clock.advance(120 * minute)
    expect((await going).output).to.equal('completed')
    expect((await second).status).to.equal('completed')
    expect(calls).to.deep.equal([0])
  })

  it('gives up the place of a step that is cancelled or out of time', async () => {
    await go(one('1/h'))
    const cancel = new AbortController()
    const cancelled = go(one('1/h'), { cancel: cancel.signal })
    await settle()
    cancel.abort()
    expect((await cancelled).status).to.equal('cancelled')
    await clock.advance(60 * minute)
    await go(one('1/h'))
    expect(calls).to.deep.equal([0, 60])
  })

  it('parks the run while it waits, and shows until when', async () => {
    await go(one('1/h'))
    const run = await bench.startRun()
    const stop = new AbortController()
    const wakes: number[] = []
    const onIdle = (wakeAtMs: number) => {
      wakes.push((wakeAtMs - began) / minute)
      stop.abort()
    }
    const parked = await go(one('1/h'), { run, stop: stop.signal, onIdle }).catch((error: unknown) => error)
    expect(parked).to.be.instanceOf(RunSuspended)
    expect(wakes).to.deep.equal([60])
    const entry = await bench.stores.journal.entry(run.uuid, 'call/@rate')
    expect(entry).to.deep.include({ state: 'started', kind: 'rate', stepId: 'call' })
    expect(entry?.input).to.deep.equal({ limit: '1/h', until_ms: began + 60 * minute })
    await clock.advance(60 * minute)
    await go(one('1/h'), { run })
    expect(calls).to.deep.equal([0, 60])
  })

  it('neither opens nor blocks if the clock is set', async () => {
    await go(one('1/h'))
    clock.jump(5 * 60 * minute)
    const ahead = go(one('1/h'))
    await clock.advance(30 * minute)
    expect(calls).to.deep.equal([0])
    await clock.advance(30 * minute)
    await ahead
    clock.jump(-5 * 60 * minute)
    const back = go(one('1/h'))
    await clock.advance(60 * minute)
    await back
    expect(calls).to.deep.equal([0, 60, 120])
  })

  it('never allows more in any window, wherever the process is killed', async function () {
    this.timeout(120_000)
    for (let write = 1; ; write++) {
      const ends: boolean[] = []
      for (const when of ['before', 'after'] as const)
        for (const next of ['mine', 'other'] as const) ends.push(await killAt(write, when, next))
      if (ends.every((isOver) => isOver)) break
    }
  })

  /**
   * Two runs: the first crashes at a write, then both continue one after the other. True: it did not crash.
   */
  async function killAt(write: number, when: 'before' | 'after', next: 'mine' | 'other'): Promise<boolean> {
    await clock.advance(3 * minute)
    const [mine, other] = [await bench.startRun(), await bench.startRun()]
    const { journal } = crashingJournal(bench.stores.journal, write, when)
    const stop = new AbortController()
    const survives = go(each('[1, 2]', '1/min'), { run: mine, journal, stop: stop.signal }).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Crash || error instanceof RunSuspended)) throw error
        return error instanceof RunSuspended
      },
    )
    const resume = () => go(each('[1, 2]', '1/min'), { run: mine })
    const start = () => go(one('1/min'), { run: other })
    // Within the window of the first start, or after it.
    await clock.advance(next === 'mine' ? 0.7 * minute : 1.5 * minute)
    stop.abort()
    const isOver = await survives
    const first = next === 'mine' ? resume() : start()
    await clock.advance(0.2 * minute)
    const second = next === 'mine' ? start() : resume()
    await clock.advance(4 * minute)
    await Promise.all([first, second])
    const items = (await bench.stores.journal.entries(mine.uuid)).filter(({ path }) =>
      /^call\[\d\]$/.test(path),
    )
    const all = [...items, (await bench.stores.journal.entry(other.uuid, 'call'))!]
    const starts = all.map(({ startedAt }) => startedAt).toSorted((a, b) => a - b)
    expect(starts).to.have.lengthOf(3)
    for (const [at, later] of starts.slice(1).entries())
      expect(later - starts[at]!, `write ${write} ${when}, then ${next}`).to.be.at.least(minute)
    return isOver
  }
})
