import { expect } from 'chai'
import { useFakeTimers } from 'sinon'
import type { Log, LogFields } from '../../core/ports/log.ts'
import { createRefusalLog } from '../../server/http/limits/refusal-log.ts'

describe('the log of refused requests', () => {
  it('has one line at once and one with the number of others after ten seconds', () => {
    const clock = useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const lines: unknown[] = []
      const say = (fields: LogFields) => void lines.push([fields.code, fields.count, fields.request_id])
      const log: Log = { debug: say, info: say, warn: say, error: say }
      const record = createRefusalLog(log, 'refused')
      for (let at = 0; at < 51; at++)
        record('store_unavailable', {
          code: 'store_unavailable',
          request_id: `r${at}`,
          error: new Error('full'),
        })
      record('investigations_full', { code: 'investigations_full' })
      const first = [
        ['store_unavailable', undefined, 'r0'],
        ['investigations_full', undefined, undefined],
      ]
      expect(lines).to.deep.equal(first)
      clock.tick(10_000)
      expect(lines).to.deep.equal([...first, ['store_unavailable', 50, undefined]])
      record('store_unavailable', { code: 'store_unavailable' })
      expect(lines, 'the next ten seconds').to.have.length(4)
    } finally {
      clock.restore()
    }
  })

  it('counts everything beyond a hundred kinds together', () => {
    const clock = useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const lines: LogFields[] = []
      const say = (fields: LogFields) => void lines.push(fields)
      const record = createRefusalLog({ debug: say, info: say, warn: say, error: say }, 'refused', 'info')
      for (let n = 0; n < 1_000; n++) record(`kind ${n}`, { actor: `a${n}` })
      expect(lines).to.have.length(101)
      expect(lines.at(-1)).to.deep.equal({ reason: 'several' })
      clock.tick(10_000)
      expect(lines.slice(101)).to.deep.equal([{ reason: 'several', count: 899 }])
      record('kind 5000', { actor: 'later' })
      expect(lines.at(-1)).to.deep.equal({ actor: 'later' })
    } finally {
      clock.restore()
    }
  })
})
