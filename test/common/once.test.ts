import { expect } from 'chai'
import { once } from '../../core/common/once.ts'

describe('once', () => {
  it('calls on first use and keeps the result', () => {
    let calls = 0
    const number = once(() => ++calls)
    expect(calls).to.equal(0)
    expect([number(), number()]).to.deep.equal([1, 1])
  })

  it('gives concurrent callers the same result', async () => {
    const set = once(async () => new Set<string>())
    const [one, other] = await Promise.all([set(), set()])
    expect(one).to.equal(other)
  })

  it('retries after a failure', async () => {
    let calls = 0
    const flaky = once(async () => {
      if (++calls === 1) throw new Error('busy')
      return calls
    })
    expect(await flaky().catch((error: Error) => error.message)).to.equal('busy')
    expect([await flaky(), await flaky()]).to.deep.equal([2, 2])
    let throws = 0
    const throwing = once(() => {
      throw new Error(`failed ${++throws}`)
    })
    expect(throwing).to.throw('failed 1')
    expect(throwing).to.throw('failed 2')
  })
})
