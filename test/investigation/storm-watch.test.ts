import { expect } from 'chai'
import { createStormWatch } from '../../core/investigation/storm-watch.ts'

describe('the storm watch', () => {
  const clock = { time: 1_000_000, now: () => clock.time }
  const told: string[] = []
  const make = (perMinute = 3) =>
    createStormWatch({ clock, perMinute, onStorm: (organization) => void told.push(organization) })
  beforeEach(() => void told.splice(0))

  it('counts alerts of the last minute by organization', () => {
    const watch = make()
    watch.count('received', 'a')
    clock.time += 30_000
    watch.count('received', 'a')
    watch.count('grouped', 'a')
    watch.count('ended', 'b')
    expect(watch.rates('a')).to.deep.equal({ received: 2, grouped: 1, refused: 0, ended: 0 })
    expect(watch.rates('b')).to.deep.equal({ received: 0, grouped: 0, refused: 0, ended: 1 })
    clock.time += 30_000
    expect(watch.rates('a')).to.deep.equal({ received: 1, grouped: 1, refused: 0, ended: 0 })
    clock.time += 30_000
    expect(watch.rates('a')).to.deep.equal({ received: 0, grouped: 0, refused: 0, ended: 0 })
  })

  it('resets after a long silence and counts again', () => {
    const watch = make()
    for (let n = 0; n < 100; n++) {
      clock.time += 777
      watch.count('received', 'a')
    }
    expect(watch.rates('a').received).to.be.within(77, 78)
    clock.time += 3_600_000
    watch.count('received', 'a')
    expect(watch.rates('a').received).to.equal(1)
  })

  it('reports a storm once, until it is over and another one begins', () => {
    const watch = make()
    for (let n = 0; n < 10; n++) watch.count('received', 'a')
    for (let n = 0; n < 2; n++) watch.count('received', 'b')
    expect(told).to.deep.equal(['a'])
    expect([watch.isStorm('a'), watch.isStorm('b'), watch.storms()]).to.deep.equal([true, false, ['a']])
    clock.time += 60_000
    expect([watch.isStorm('a'), watch.storms()]).to.deep.equal([false, []])
    for (let n = 0; n < 3; n++) watch.count('received', 'a')
    expect(told).to.deep.equal(['a', 'a'])
  })

  it('adds what other nodes have told, so that alerts over several nodes are a storm', () => {
    const none = { received: 0, grouped: 0, refused: 0, ended: 0 }
    const others = [{ a: { ...none, received: 1, ended: 4 } }, {}, { a: { ...none, received: 1 } }]
    const onStorm = (organization: string) => void told.push(organization)
    const watch = createStormWatch({ clock, perMinute: 3, others: () => others, onStorm })
    expect(watch.isStorm('a')).to.equal(false)
    watch.count('received', 'a')
    expect(watch.rates('a')).to.deep.equal({ ...none, received: 3, ended: 4 })
    expect([watch.isStorm('a'), told]).to.deep.equal([true, ['a']])
    expect(watch.own()).to.deep.equal({ a: { ...none, received: 1 } })
    clock.time += 60_000
    expect(watch.own()).to.deep.equal({})
  })

  it('keeps counting if the clock is set back', () => {
    const watch = make()
    watch.count('received', 'a')
    clock.time -= 3_600_000
    watch.count('received', 'a')
    expect(watch.rates('a').received).to.equal(2)
  })
})
