import { expect } from 'chai'
import { defaultRetry } from '../../core/playbook/language/constants.ts'
import { retryDelayMs } from '../../core/engine/context/next-try.ts'

const keys = Array.from({ length: 200 }, (_, index) => `run-${index}/a`)
const delays = (jitter: number, retryAfterMs?: number) =>
  keys.map((key) => retryDelayMs({ ...defaultRetry, backoffMs: 10_000, jitter }, 1, retryAfterMs, key))

describe('retryDelayMs', () => {
  it('varies waits by the jitter in both directions', () => {
    for (const jitter of [0.2, 0.5, 1]) {
      const spread = delays(jitter)
      expect(Math.min(...spread)).to.be.within(10_000 * (1 - jitter), 10_000 * (1 - jitter * 0.9))
      expect(Math.max(...spread)).to.be.within(10_000 * (1 + jitter * 0.9), 10_000 * (1 + jitter))
    }
  })

  it('does not vary waits without jitter', () => {
    expect(new Set(delays(0))).to.deep.equal(new Set([10_000]))
  })

  it('returns the same for the same run, step and attempt', () => {
    expect(delays(0.5)).to.deep.equal(delays(0.5))
  })

  it('never returns less than Retry-After', () => {
    expect(Math.min(...delays(1, 20_000))).to.be.at.least(20_000)
  })
})
