import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { openBench, journalOf, type Bench, type TestSkills } from './support/bench.ts'
import { ManualClock } from './support/manual-clock.ts'

const written = (steps: string) => {
  const { playbook, problems } = parsePlaybook(
    `apiVersion: tocsin/v1\nname: written\non: { manual: true }\ninputs: { pin: { type: string, sensitive: true, default: '1234' } }\nsteps:\n${steps}`,
    {},
  )
  expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
  return playbook!
}

describe('the output of a group', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const skills: TestSkills = {
    'x.double': (input) => {
      const { n } = input as { n: number }
      if (n < 0) throw new SkillError('negative', `${n} is negative`)
      return { twice: n * 2 }
    },
    'x.poll': (_input, _attempt, call) => ({ state: call === 2 ? 'ready' : 'busy' }),
  }

  it('is evaluated for each item of a foreach, after its steps and with its item', async () => {
    const run = await bench.startRun()
    const playbook = written(`
  - id: each
    foreach: \${{ [3, 4, 5] }}
    as: n
    concurrency: 2
    steps:
      - { id: doubled, uses: x.double, with: { n: "\${{ n }}" } }
      - { id: big, if: steps.doubled.output.twice > 7, set: { size: big } }
    output: { of: "\${{ n }}", twice: "\${{ steps.doubled.output.twice }}", size: "\${{ steps.big.?output.size.orValue('small') }}" }
  - return: { all: "\${{ steps.each.output }}", first: "\${{ steps.each.items.map(i, i.?output.twice.orValue(0)) }}" }
`)
    const outcome = await bench.go(playbook, skills, { run })
    expect(outcome.output).to.deep.equal({
      all: [
        { of: 3, twice: 6, size: 'small' },
        { of: 4, twice: 8, size: 'big' },
        { of: 5, twice: 10, size: 'big' },
      ],
      first: [6, 8, 10],
    })
    const journal = await journalOf(bench.stores, run.uuid)
    expect(journal.find(({ path }) => path === 'each[1]')?.output).to.deep.equal({
      of: 4,
      twice: 8,
      size: 'big',
    })
    expect(journal.find(({ path }) => path === 'each')?.output).to.deep.equal({ items: 3, failed: 0 })
  })

  it('is missing for the items that failed', async () => {
    const playbook = written(`
  - id: each
    foreach: \${{ [1, -1] }}
    on_item_error: continue
    steps: [{ id: doubled, uses: x.double, with: { n: "\${{ item }}" } }]
    output: \${{ steps.doubled.output.twice }}
  - return: { all: "\${{ steps.each.output }}", each: "\${{ steps.each.items.map(i, has(i.output)) }}" }
`)
    expect((await bench.go(playbook, skills)).output).to.deep.equal({ all: [2], each: [true, false] })
  })

  it('is that of the last round of a repeat, and its condition reads it', async () => {
    const playbook = written(`
  - id: polled
    repeat: { until: output.state == "ready", every: 1m, max: 3 }
    steps: [{ id: state, uses: x.poll }]
    output: { state: "\${{ steps.state.output.state }}" }
  - return: \${{ steps.polled.output }}
`)
    const going = bench.go(playbook, skills)
    await clock.advance(60_000)
    expect((await going).output).to.deep.equal({ state: 'ready' })
  })

  it('exists for parallel and switch, beside the case that the switch took', async () => {
    const run = await bench.startRun()
    const playbook = written(`
  - id: both
    parallel: [{ id: a, set: { n: 1 } }, { id: b, set: { n: 2 } }]
    output: \${{ steps.a.output.n + steps.b.output.n }}
  - id: chosen
    switch: [{ when: steps.both.output > 5, steps: [{ id: much, set: { n: 1 } }] }]
    else: [{ id: few, set: { n: 2 } }]
    output: { few: "\${{ has(steps.few.output) }}" }
  - return: { both: "\${{ steps.both.output }}", chosen: "\${{ steps.chosen.output }}" }
`)
    expect((await bench.go(playbook, skills, { run })).output).to.deep.equal({
      both: 3,
      chosen: { few: true },
    })
    const journal = await journalOf(bench.stores, run.uuid)
    expect(journal.find(({ path }) => path === 'chosen')?.output).to.deep.equal({
      case: 'else',
      output: { few: true },
    })
  })

  it('fails its step if it cannot be evaluated; the default of a skipped or handled group replaces it', async () => {
    const playbook = written(`
  - id: wrong
    steps: [{ id: a, set: { text: "{}" } }]
    output: { of: "\${{ parseJson(steps.a.output.text).missing }}" }
    on_error: continue
    default: { of: nothing }
  - id: skipped
    if: steps.wrong.ok
    steps: [{ id: b, set: { n: 1 } }]
    output: 1
    default: 2
  - return: ["\${{ steps.wrong.output }}", "\${{ steps.wrong.?error.code.orValue('') }}", "\${{ steps.skipped.output }}"]
`)
    expect((await bench.go(playbook, skills)).output).to.deep.equal([
      { of: 'nothing' },
      'expression_missing_field',
      2,
    ])
  })

  it('is stored encrypted and shown redacted where it is sensitive', async () => {
    const run = await bench.startRun()
    const playbook = written(`
  - id: chosen
    switch: [{ when: "true", steps: [{ wait: 1s }] }]
    else: [{ wait: 1s }]
    output: { pin: "\${{ inputs.pin }}", open: 1 }
  - id: s
    set: { pin: "\${{ steps.chosen.output.pin }}" }
  - return: \${{ steps.s.ok }}
`)
    const going = bench.go(playbook, skills, { run, names: { inputs: { pin: '1234' } } })
    await clock.advance(1_000)
    await going
    const entry = await bench.stores.journal.entry(run.uuid, 'chosen')
    expect(entry?.sensitive?.output).to.deep.equal({ fields: { output: { fields: { pin: true } } } })
  })
})
