import { expect } from 'chai'
import { openBench, type Bench } from '../engine/support/bench.ts'
import { makePlaybook } from '../engine/support/make-playbook.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { callerOf, connection, skillThat } from './fixture.ts'

const limit = { requests: 10, perMs: 60_000 }

describe('runs that share a connection', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  it('share its rate limit without a failed step', async () => {
    const skill = skillThat(async (_, { http }) => ({ text: (await http.post('/a')).text }), {
      connection: { ...connection, rate: () => ({ bucket: 'all', limits: [limit] }) },
      effect: 'write',
      repeat: 'never',
    })
    const sent: number[] = []
    const { call } = callerOf(skill, {
      clock,
      answer() {
        sent.push(clock.now())
        return { body: 'done' }
      },
    })
    const playbook = makePlaybook({
      steps: [{ id: 'act', uses: 'act', retry: { max: 0 } }],
      outputs: '${{ steps.act.output }}',
    })
    const runs = 40
    const startMs = clock.now()
    const going = Promise.all(
      Array.from({ length: runs }, () =>
        bench.go(playbook, {
          act: { interrupted: 'ask', run: (_input, attempt) => call({ attempt }) },
        }),
      ),
    )
    await clock.advance(20 * 60_000)
    for (const outcome of await going) expect(outcome).to.deep.include({ status: 'completed' })

    expect(sent).to.have.length(runs)
    for (const [index, time] of sent.entries()) {
      const earlier = sent[index - limit.requests]
      if (earlier !== undefined) expect(time - earlier).to.be.at.least(limit.perMs)
    }
    expect((sent.at(-1) ?? Infinity) - startMs, 'not much time is lost').to.be.at.most(5 * 60_000)
    expect(bench.calls.length / runs, 'tries each').to.be.at.most(2)
  })
})
