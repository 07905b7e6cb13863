import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { JournalStore } from '../../core/ports/runs/journal-store.ts'
import { systemClock } from '../../server/clock.ts'
import { openBench, type Bench } from '../engine/support/bench.ts'
import { Crash, crashingJournal } from '../engine/support/crashing-journal.ts'

const source = (steps: string, name = 'tested') => `apiVersion: tocsin/v1
name: ${name}
on: { alert: { type: t }, call: true }
state:
  seen: { kind: set, expires: 7d }
  strikes: { kind: counters }
  total: { kind: counter }
  cursor: { type: string, default: start }
${steps}`

function playbookOf(steps: string, name?: string): Playbook {
  const { playbook, problems } = parsePlaybook(source(steps, name))
  return playbook ?? expect.fail(problems.map(({ message }) => message).join('\n'))
}

const everyOperation = `steps:
  - id: first
    state: { add: seen, key: '\${{ alert.data.id }}' }
  - parallel:
      - id: strike
        state: { increment: strikes, key: '\${{ alert.data.user }}' }
      - id: total
        state: { increment: total, by: 3 }
  - id: moved
    state: { set: cursor, value: '\${{ state.cursor + "!" }}', expected: '\${{ state.cursor }}' }
  - id: each
    foreach: [a, b, a]
    state: { increment: strikes, key: '\${{ item }}' }
  - id: poll
    state: { increment: total }
    repeat: { until: state.total >= 6, every: 1ms, max: 5 }
  - id: have
    steps:
      - id: got
        state: { get: strikes, key: a }
      - state: { increment: strikes, key: group }
      - state: { set: cursor, value: '\${{ state.cursor + "?" }}' }
    output: { value: '\${{ steps.got.output.value }}', cursor: '\${{ state.cursor }}' }
finally:
  - state: { delete: seen, key: nobody }
outputs:
  new: \${{ steps.first.output.new }}
  strikes: \${{ steps.strike.output.value }}
  each: \${{ steps.each.output.map(o, o.value) }}
  have: \${{ steps.have.output }}
  total: \${{ state.total }}
  cursor: \${{ state.cursor }}
`

describe('steps with state', function () {
  this.timeout(60_000)
  let bench: Bench
  before(async () => {
    bench = await openBench(systemClock)
  })
  after(() => bench.close())

  const names = { alert: { data: { id: 'a1', user: 'ana' } } }
  const go = (playbook: Playbook, run: Run, journal?: JournalStore) =>
    bench.go(playbook, {}, { run, names, ...(journal && { journal }) })

  /** The complete stored state of a playbook. */
  async function storedFor(playbook: string) {
    const states = await bench.stores.state.list('all', playbook)
    const entries = await Promise.all(
      states.map(async ({ name }) => {
        const { data } = await bench.stores.state.entries('all', playbook, name, { limit: 100 })
        return data.map(({ key, value }) => [`${name} ${key}`, value] as const)
      }),
    )
    const values = states.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]))
    return Object.fromEntries([...values, ...entries.flat()].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  it('read and change it, and later runs see the changes', async () => {
    const playbook = playbookOf(everyOperation)
    const first = await go(playbook, await bench.startRun())
    expect(first.error).to.equal(null)
    expect(first.output).to.deep.equal({
      new: true,
      strikes: 1,
      each: [1, 1, 2],
      have: { value: 2, cursor: 'start!?' },
      total: 6,
      cursor: 'start!?',
    })
    const second = await go(playbook, await bench.startRun())
    expect(second.output).to.deep.equal({
      new: false,
      strikes: 2,
      each: [3, 2, 4],
      have: { value: 4, cursor: 'start!?!?' },
      total: 10,
      cursor: 'start!?!?',
    })
  })

  for (const when of ['before', 'after'] as const) {
    it(`change it exactly once after a crash just ${when} each write`, async () => {
      const counted = crashingJournal(bench.stores.journal, Infinity, 'before')
      const reference = await go(
        playbookOf(everyOperation, `reference-${when}`),
        await bench.startRun(),
        counted.journal,
      )
      const stored = await storedFor(`reference-${when}`)
      expect(counted.writes()).to.be.greaterThan(14)
      for (let at = 1; at <= counted.writes(); at++) {
        const name = `crash-${when}-${at}`
        const playbook = playbookOf(everyOperation, name)
        const run = await bench.startRun()
        const { journal } = crashingJournal(bench.stores.journal, at, when)
        const crashed = await go(playbook, run, journal).catch((error: unknown) => error)
        expect(crashed, name).to.be.instanceOf(Crash)
        expect((await go(playbook, run)).output, name).to.deep.equal(reference.output)
        expect(await storedFor(name), name).to.deep.equal(stored)
      }
    })
  }

  it('would count twice if the change and its record were two writes (planted bug)', async () => {
    const counting = `steps:\n  - state: { increment: total }\noutputs: { total: '\${{ state.total }}' }\n`
    /** The planted bug: the change is recorded at another path first. */
    const inTwoWrites = (store: JournalStore): JournalStore => ({
      ...crashingJournal(store, Infinity, 'before').journal,
      recordState: async (run, entry, request) => {
        await store.recordState(run, { ...entry, path: `${entry.path}/@${Math.random()}` }, request)
        throw new Crash()
      },
    })
    const totalAfter = async (name: string, wrap: (store: JournalStore) => JournalStore) => {
      const playbook = playbookOf(counting, name)
      const run = await bench.startRun()
      await go(playbook, run, wrap(bench.stores.journal)).catch(() => {})
      return (await go(playbook, run)).output
    }
    const cutOff = (store: JournalStore) => crashingJournal(store, 1, 'after').journal
    expect(await totalAfter('intact', cutOff)).to.deep.equal({ total: 1 })
    expect(await totalAfter('planted', inTwoWrites)).to.deep.equal({ total: 2 })
  })

  it('see a value as of the start of the step, also after a restart', async () => {
    const playbook = playbookOf(
      `steps:
  - id: before
    if: state.cursor == "start"
    steps:
      - id: seen
        set: { cursor: '\${{ state.cursor }}' }
  - wait: 1ms
outputs: { cursor: '\${{ has(steps.seen.output) ? steps.seen.output.cursor : "none" }}' }
`,
      'restarted',
    )
    const mover = playbookOf('steps:\n  - state: { set: cursor, value: moved }\n', 'restarted')
    const run = await bench.startRun()
    const { journal } = crashingJournal(bench.stores.journal, 4, 'after')
    expect(await go(playbook, run, journal).catch((error: unknown) => error)).to.be.instanceOf(Crash)
    await go(mover, await bench.startRun())
    expect((await go(playbook, run)).output).to.deep.equal({ cursor: 'start' })
    expect((await go(playbook, await bench.startRun())).output).to.deep.equal({ cursor: 'none' })
  })

  it('let exactly one of concurrent runs see a key as new', async () => {
    const playbook = playbookOf(
      `steps:
  - id: first
    state: { add: seen, key: same }
  - state: { increment: total }
outputs: { new: '\${{ steps.first.output.new }}' }
`,
      'racing',
    )
    const runs = await Promise.all(Array.from({ length: 10 }, () => bench.startRun()))
    const outcomes = await Promise.all(runs.map((run) => go(playbook, run)))
    expect(outcomes.filter(({ output }) => (output as { new: boolean }).new)).to.have.length(1)
    expect(await storedFor('racing')).to.deep.equal({ 'seen same': null, total: 10 })
  })

  it('let one of two runs win a compare-and-set, and the other try again', async () => {
    const playbook = playbookOf(
      `steps:
  - id: moved
    state: { set: cursor, value: '\${{ state.cursor + "+" }}', expected: '\${{ state.cursor }}' }
    repeat: { until: output.ok, every: 1ms, max: 50 }
`,
      'comparing',
    )
    const runs = await Promise.all(Array.from({ length: 5 }, () => bench.startRun()))
    const outcomes = await Promise.all(runs.map((run) => go(playbook, run)))
    expect(outcomes.map(({ status }) => status)).to.deep.equal(Array.from(runs, () => 'completed'))
    expect(await storedFor('comparing')).to.deep.equal({ cursor: 'start+++++' })
  })

  it('use the state of a called playbook under its own name', async () => {
    const shared = playbookOf(
      'steps:\n  - id: n\n    state: { increment: total }\noutputs: { total: "${{ steps.n.output.value }}" }\n',
      'shared',
    )
    const caller = playbookOf(
      `steps:
  - id: a
    call: shared
  - id: b
    call: shared
outputs: { total: '\${{ steps.b.output.total }}', own: '\${{ state.total }}' }
`,
      'calling',
    )
    const playbooks = { newest: () => shared.hash, load: async () => shared }
    const run = await bench.startRun()
    const { output } = await bench.go(caller, {}, { run, names, playbooks })
    expect(output).to.deep.equal({ total: 2, own: 0 })
    expect(await storedFor('shared')).to.deep.equal({ total: 2 })
  })

  it('fail with a typed error that on_error handles', async () => {
    const playbook = playbookOf(
      `steps:
  - id: long
    state: { add: seen, key: '\${{ alert.data.id + alert.data.id + json(alert.data) + alert.data.long }}' }
    on_error: continue
outputs: { code: '\${{ steps.long.?error.code.orValue("none") }}' }
`,
      'long-key',
    )
    const long = { alert: { data: { ...names.alert.data, long: 'x'.repeat(300) } } }
    const run = await bench.startRun()
    expect((await bench.go(playbook, {}, { run, names: long })).output).to.deep.equal({
      code: 'state_key_invalid',
    })
  })

  it('change nothing after the run was cancelled', async () => {
    const playbook = playbookOf('steps:\n  - state: { increment: total }\n', 'cancelled')
    const cancel = new AbortController()
    cancel.abort()
    const outcome = await bench.go(
      playbook,
      {},
      { run: await bench.startRun(), names, cancel: cancel.signal },
    )
    expect(outcome.status).to.equal('cancelled')
    expect(await storedFor('cancelled')).to.deep.equal({})
  })
})
