import { expect } from 'chai'
import { setTimeout } from 'node:timers/promises'
import { createCalculations } from '../../server/http/calculations.ts'
import { largePlaybooks } from '../support/large-playbooks.ts'
import { processorTime } from '../support/processor-time.ts'
import { startApi, type Api } from './support/api.ts'

describe('playbooks as large as they may be, over HTTP', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  for (const [what, source] of Object.entries(largePlaybooks)) {
    it(`are read, drawn, completed and explained in a moment: ${what}`, async () => {
      const startedAt = processorTime()
      const checked = await api.call('POST', '/api/playbooks/validate', { body: { source } })
      expect(checked.status, checked.text.slice(0, 500)).to.equal(200)
      expect(checked.json.name).to.equal('large')
      expect(checked.json.graph.nodes.length).to.be.greaterThan(2)
      const lines = source.split('\n')
      const place = { line: lines.length - 1, column: Math.max(1, lines.at(-2)!.length - 4) }
      for (const path of ['complete', 'hover']) {
        const { status, text } = await api.call('POST', `/api/playbooks/${path}`, {
          body: { source, ...place },
        })
        expect(status, text.slice(0, 500)).to.equal(200)
      }
      expect(processorTime() - startedAt).to.be.lessThan(10_000)
    })
  }
})

describe('what takes long to calculate', () => {
  it('is done one after the other, and leaves others as much time as it takes', async () => {
    const { inTurn } = createCalculations()
    const spans: { readonly from: number; readonly to: number }[] = []
    const busy = () => {
      const from = performance.now()
      while (performance.now() - from < 30);
      spans.push({ from, to: performance.now() })
    }
    await Promise.all(['a', 'b', 'c'].map((keyUuid) => inTurn({ keyUuid }, busy)))
    for (const [index, { from }] of spans.slice(1).entries()) {
      const before = spans[index]!
      expect(from - before.to).to.be.at.least((before.to - before.from) * 0.9)
    }
  })

  it('is refused where too much of one key waits, and of that key alone', async () => {
    const { inTurn } = createCalculations()
    const waiting = Array.from({ length: 8 }, () => inTurn({ keyUuid: 'a' }, () => setTimeout(0)))
    const refused: unknown = await inTurn({ keyUuid: 'a' }, () => 1).catch((reason: unknown) => reason)
    expect(refused).to.include({ code: 'too_many_requests' })
    expect(await inTurn({ keyUuid: 'b' }, () => 1)).to.equal(1)
    await Promise.all(waiting)
    expect(await inTurn({ keyUuid: 'a' }, () => 1)).to.equal(1)
  })

  it('goes on after a mistake', async () => {
    const { inTurn } = createCalculations()
    const failed = inTurn({ keyUuid: 'a' }, () => {
      throw new RangeError('deep')
    }).catch((reason: unknown) => reason)
    expect(await inTurn({ keyUuid: 'a' }, () => 1)).to.equal(1)
    expect(await failed).to.be.instanceOf(RangeError)
  })
})
