import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { openBench, type Bench } from './support/bench.ts'
import { ManualClock } from './support/manual-clock.ts'

const source = `apiVersion: tocsin/v1
name: written
description: Everything a person may write, walked as it was read.
on:
  alert: { type: impossible_travel }
steps:
  - id: signin
    set:
      user: \${{ alert.data.user.lowerAscii() }}
      age: \${{ string(now - timestamp(alert.data.at)) }}
  - id: gather
    parallel:
      - id: intel
        uses: intel.get
        with: { value: "\${{ alert.data.ip }}" }
        on_error: continue
        default: { risk: { score: 0 } }
      - id: trips
        uses: travel.search
        with: { user: "\${{ steps.signin.output.user }}" }
        retry: { max: 1, backoff: 1s }
  - wait: 30s
  - id: each
    foreach: \${{ steps.trips.output.trips }}
    as: trip
    concurrency: 2
    on_item_error: continue
    uses: travel.get
    with: { id: "\${{ trip }}", place: "\${{ index }}" }
  - switch:
      - when: size(steps.each.output) == 2 && steps.intel.output.risk.score == 0
        steps:
          - id: told
            uses: messaging.send
            with: { text: "\${{ steps.each.?items.orValue([]).map(i, i.status).join(', ') }}" }
    else:
      - fail: not reached
finally:
  - uses: messaging.send
    with: { text: "\${{ has(steps.signin.output) ? steps.signin.output.user : 'nobody' }}: \${{ run.status }}" }
outputs:
  trips: \${{ steps.each.output }}
  age: \${{ steps.signin.output.age }}
  intel: \${{ steps.intel.status }}
`

describe('a written playbook', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  it('runs in the order of its text', async () => {
    const { playbook, problems } = parsePlaybook(source, {})
    expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
    const at = new Date(clock.now() - 60_000).toISOString()
    const alert = { data: { user: 'Adam', ip: '192.0.2.1', at } }
    const going = bench.go(
      playbook!,
      {
        'intel.get': () => {
          throw new SkillError('http_404', 'unknown address')
        },
        'travel.search': () => ({ trips: ['t1', 't2', 't3'] }),
        'travel.get': (input) => {
          if ((input as { id: string }).id === 't2') throw new SkillError('http_404', 'no such trip')
          return input
        },
        'messaging.send': () => null,
      },
      { names: { alert } },
    )
    await clock.advance(30_000)
    expect(await going).to.deep.equal({
      status: 'completed',
      output: {
        trips: [
          { id: 't1', place: 0 },
          { id: 't3', place: 2 },
        ],
        age: '60s',
        intel: 'failed',
      },
      error: null,
    })
    const texts = bench.calls.filter(({ skill }) => skill === 'messaging.send').map(({ input }) => input)
    expect(texts).to.deep.equal([{ text: 'completed, failed, completed' }, { text: 'adam: completed' }])
  })
})
