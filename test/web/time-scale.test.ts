import { expect } from 'chai'
import { timeScale } from '../../server/web/runs/waterfall/time-scale.ts'

describe('line of time of a run', () => {
  it('is even where work follows work', () => {
    const { at, cuts } = timeScale({ from: 1_000, to: 3_000 }, [
      { from: 1_000, to: 2_000 },
      { from: 2_000, to: 3_000 },
    ])
    expect([1_000, 1_500, 3_000].map(at)).to.deep.equal([0, 0.25, 1])
    expect(cuts).to.deep.equal([])
  })

  it('is shorter where nothing was done for long, and says for how long', () => {
    const day = 86_400_000
    const { at, cuts } = timeScale({ from: 0, to: day + 20_000 }, [
      { from: 0, to: 10_000 },
      { from: 5_000, to: 8_000 },
      { from: day + 10_000, to: day + 20_000 },
    ])
    // Twenty seconds of work, and a quarter of them for the day.
    expect(at(10_000)).to.be.closeTo(10 / 25, 1e-9)
    expect(at(day + 10_000)).to.be.closeTo(15 / 25, 1e-9)
    expect(at(10_000 + day / 2)).to.be.closeTo(0.5, 1e-9)
    expect([at(-1), at(2 * day)]).to.deep.equal([0, 1])
    expect(cuts.map(({ ms }) => ms)).to.deep.equal([day])
  })

  it('is there for a run that only waits', () => {
    const { at, cuts } = timeScale({ from: 0, to: 60_000 }, [])
    expect(at(30_000)).to.equal(0.5)
    expect(cuts).to.deep.equal([{ from: 0, to: 1, ms: 60_000 }])
  })
})
