import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect } from 'chai'
import { createRefresh } from '../../server/web/live/refresh.ts'

describe('asking again for what has changed', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const ended: (() => void)[] = []
  afterEach(() => {
    for (const end of ended.splice(0)) end()
    client.clear()
  })

  /** A query that somebody looks at, and what answers its requests, the oldest first. */
  function watch(key: string) {
    const asked: ((answer: string) => void)[] = []
    const observer = new QueryObserver(client, {
      queryKey: [key],
      queryFn: () => new Promise<string>((resolve) => asked.push(resolve)),
    })
    ended.push(observer.subscribe(() => undefined))
    return { asked, data: () => observer.getCurrentResult().data }
  }

  /** What is set off in turns of the clock, one after the other, has happened, however slow the machine is. */
  async function settle(): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve))
  }

  it('holds up nothing for a request that is not answered', async () => {
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

  it('asks once more for what changed while it was asked for, however often it did', async () => {
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
