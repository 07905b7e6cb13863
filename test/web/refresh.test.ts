import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect } from 'chai'
import { createRefresh, isAffected, type ChangedIds } from '../../server/web/live/refresh.ts'

describe('reloading changed data', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const ended: (() => void)[] = []
  afterEach(() => {
    for (const end of ended.splice(0)) end()
    client.clear()
  })

  /** A displayed query, and the answers to its requests, oldest first. */
  function watch(key: string) {
    const asked: ((answer: string) => void)[] = []
    const observer = new QueryObserver(client, {
      queryKey: [key],
      queryFn: () => new Promise<string>((resolve) => asked.push(resolve)),
    })
    ended.push(observer.subscribe(() => undefined))
    return { asked, data: () => observer.getCurrentResult().data }
  }

  /** All work scheduled in consecutive turns has run, regardless of the speed of the machine. */
  async function settle(): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve))
  }

  it('does not wait for a request without a response', async () => {
    const refresh = createRefresh(client)
    const [hanging, other] = [watch('engine'), watch('versions')]
    hanging.asked[0]!('one')
    other.asked[0]!('one')
    await settle()
    refresh('engine')
    await settle()
    expect(hanging.asked).to.have.length(2)
    refresh('playbook')
    await settle()
    expect(other.asked).to.have.length(2)
    other.asked[1]!('two')
    await settle()
    expect(other.data()).to.equal('two')
    refresh('playbook')
    await settle()
    expect(other.asked).to.have.length(3)
  })

  it('reloads once more after any number of changes during a request', async () => {
    const refresh = createRefresh(client)
    const { asked, data } = watch('engine')
    refresh('engine')
    refresh('engine')
    await settle()
    refresh('engine')
    await settle()
    expect(asked, 'the first is not given up').to.have.length(1)
    asked[0]!('old')
    await settle()
    expect(asked).to.have.length(2)
    refresh('engine')
    refresh('engine')
    await settle()
    asked[1]!('older than the change')
    await settle()
    expect(asked).to.have.length(3)
    asked[2]!('new')
    await settle()
    expect(asked).to.have.length(3)
    expect(data()).to.equal('new')
  })
})

const query = { limit: 5 }
const changed = (...kinds: readonly (readonly [string, ...string[]])[]): ChangedIds =>
  new Map(kinds.map(([kind, ...ids]) => [kind, ids.length === 0 ? 'any' : new Set(ids)]))

describe('queries to reload after a change', () => {
  it('include the first page of a list for any changed row', () => {
    for (const news of [changed(['alert']), changed(['alert', 'main-x-1'])]) {
      expect(isAffected(['list', '/alerts', query, 'fresh'], news)).to.equal(true)
      expect(isAffected(['list', '/alerts', query], news)).to.equal(false)
      expect(isAffected(['list', '/runs', query, 'fresh'], news)).to.equal(false)
    }
  })

  it('include a single object only if it changed', () => {
    const news = changed(['alert', 'main-x-1'], ['run', 'r'])
    expect(isAffected(['alert', 'MAIN-X-1'], news)).to.equal(true)
    expect(isAffected(['alert', 'main-x-2'], news)).to.equal(false)
    expect(isAffected(['alert', '018f0000-0000-7000-8000-000000000000'], news)).to.equal(true)
    expect(isAffected(['run', 'r'], news)).to.equal(true)
    expect(isAffected(['case', 'r'], news)).to.equal(false)
    expect(isAffected(['alert', 'main-x-2'], changed(['alert']))).to.equal(true)
  })

  it('include related data and nothing else', () => {
    const news = changed(['checkpoint', 'c'])
    for (const key of [['checkpoints', 'count'], ['engine'], ['case', 'main-1'], ['alert', 'main-x-1']])
      expect(isAffected(key, news), key.join(' ')).to.equal(true)
    for (const key of [['session'], ['playbook', 'p'], ['list', '/alerts', query, 'fresh'], [7]])
      expect(isAffected(key, news), JSON.stringify(key)).to.equal(false)
  })
})
