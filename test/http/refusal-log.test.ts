import { expect } from 'chai'
import { useFakeTimers } from 'sinon'
import type { Log } from '../../core/ports.ts'
import { createRefusalLog } from '../../server/http/refusal-log.ts'

describe('log of refused requests', () => {
  it('has one line at once, and one with the number of the rest after ten seconds', () => {
    const clock = useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const lines: unknown[] = []
      const say = ({ code, count }: { code?: unknown; count?: unknown }) => void lines.push([code, count])
      const log: Log = { debug: say, info: say, warn: say, error: say }
      const record = createRefusalLog(log, 'refused')
      for (let at = 0; at < 51; at++)
        record('store_unavailable', { code: 'store_unavailable', error: new Error('full') })
      record('investigations_full', { code: 'investigations_full' })
      const first = [
        ['store_unavailable', undefined],
        ['investigations_full', undefined],
      ]
      expect(lines).to.deep.equal(first)
      clock.tick(10_000)
      expect(lines).to.deep.equal([...first, ['store_unavailable', 50]])
      record('store_unavailable', { code: 'store_unavailable' })
      expect(lines, 'the next ten seconds').to.have.length(4)
    } finally {
      clock.restore()
    }
  })
})
