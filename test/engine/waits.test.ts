import { expect } from 'chai'
import { openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'

describe('waits of a computed length', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  async function passed(wait: string): Promise<unknown> {
    const began = clock.now()
    const playbook = makePlaybook({ steps: [{ wait: '${{ alert.wait }}' }], outputs: '${{ now }}' })
    const going = bench.go(playbook, {}, { names: { alert: { wait } } })
    await clock.advance(3 * 86_400_000)
    const { output, error } = await going
    return error === null ? Date.parse(String(output)) - began : error.code
  }

  for (const [text, ms] of [
    ['90s', 90_000],
    ['0.25s', 250],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['0.5d', 43_200_000],
    ['PT5M', 300_000],
    ['PT23H', 82_800_000],
    ['0s', 0],
    ['-3600s', 0],
    ['-PT1H', 0],
  ] as const) {
    it(`parse as in expressions: ${text}`, async () => {
      expect(await passed(text)).to.equal(ms)
    })
  }

  for (const text of ['', '5', 'P1M', 'soon', '5 minutes']) {
    it(`fail on an invalid value: '${text}'`, async () => {
      expect(await passed(text)).to.equal('wait_invalid')
    })
  }
})
