import { expect } from 'chai'
import { isConcerned, type Changed } from '../../server/web/live/concerned.ts'

const query = { limit: 5 }
const changed = (...kinds: readonly (readonly [string, ...string[]])[]): Changed =>
  new Map(kinds.map(([kind, ...ids]) => [kind, ids.length === 0 ? 'any' : new Set(ids)]))

describe('what the page asks for again', () => {
  it('is of a list what asks for its newest rows, whichever row has changed', () => {
    for (const news of [changed(['alert']), changed(['alert', 'main-x-1'])]) {
      expect(isConcerned(['list', '/alerts', query, 'fresh'], news)).to.equal(true)
      expect(isConcerned(['list', '/alerts', query], news)).to.equal(false)
      expect(isConcerned(['list', '/runs', query, 'fresh'], news)).to.equal(false)
    }
  })

  it('is of one thing, where it is the one that has changed', () => {
    const news = changed(['alert', 'main-x-1'], ['run', 'r'])
    expect(isConcerned(['alert', 'MAIN-X-1'], news)).to.equal(true)
    expect(isConcerned(['alert', 'main-x-2'], news)).to.equal(false)
    expect(isConcerned(['alert', '018f0000-0000-7000-8000-000000000000'], news)).to.equal(true)
    expect(isConcerned(['run', 'r'], news)).to.equal(true)
    expect(isConcerned(['case', 'r'], news)).to.equal(false)
    expect(isConcerned(['alert', 'main-x-2'], changed(['alert']))).to.equal(true)
  })

  it('is what hangs together with it, and nothing else', () => {
    const news = changed(['checkpoint', 'c'])
    for (const key of [['checkpoints', 'count'], ['engine'], ['case', 'main-1'], ['alert', 'main-x-1']])
      expect(isConcerned(key, news), key.join(' ')).to.equal(true)
    for (const key of [['session'], ['playbook', 'p'], ['list', '/alerts', query, 'fresh'], [7]])
      expect(isConcerned(key, news), JSON.stringify(key)).to.equal(false)
  })
})
