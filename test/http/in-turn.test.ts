import { expect } from 'chai'
import { setImmediate } from 'node:timers/promises'
import { createTurns } from '../../core/common/in-turn.ts'

describe('the work queue', () => {
  it('runs one task at a time, in order per line, and alternates between lines', async () => {
    const inTurn = createTurns()
    const done: string[] = []
    let underWay = 0
    const ask = (line: string, name: string) =>
      inTurn(line, async () => {
        expect(++underWay).to.equal(1)
        await setImmediate()
        underWay--
        done.push(name)
        return name
      })
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ask(name[0]!, name))
    expect(await Promise.all(asked)).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
    expect(done).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  it('reports an error to the caller and continues', async () => {
    const inTurn = createTurns()
    const failed = inTurn('a', async () => Promise.reject(new RangeError('x'))).catch(
      (error: unknown) => error,
    )
    const next = inTurn('a', async () => 'done')
    expect([await failed, await next]).to.deep.equal([new RangeError('x'), 'done'])
    expect(await inTurn('a', async () => 'again')).to.equal('again')
  })
})
