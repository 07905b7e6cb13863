import { expect } from 'chai'
import { setTimeout } from 'node:timers/promises'
import { createCalculations } from '../../server/http/limits/calculations.ts'
import { largePlaybooks } from '../support/large-playbooks.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { startApi, type Api } from './support/api.ts'

describe('a playbook of maximum size', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  for (const [what, source] of Object.entries(largePlaybooks)) {
    it(`is validated, drawn, completed and explained quickly: ${what}`, async () => {
      const startedAt = processorTime()
      const checked = await api.call('POST', '/api/playbooks/validate', { body: { source } })
      expect(checked.status, checked.text.slice(0, 500)).to.equal(200)
      expect(checked.json.name).to.equal('large')
      expect(checked.json.graph.nodes.length).to.be.greaterThan(2)
      const typed = source.slice(0, source.lastIndexOf('\n', 65_535) + 1)
      const lines = typed.split('\n')
      const place = { line: lines.length - 1, column: Math.max(1, lines.at(-2)!.length - 4) }
      for (const path of ['complete', 'hover']) {
        const { status, text } = await api.call('POST', `/api/playbooks/${path}`, {
          body: { source: typed, ...place },
        })
        expect(status, text.slice(0, 500)).to.equal(200)
      }
      expect(processorTime() - startedAt).to.be.lessThan(limitHere(10_000))
    })
  }
})

describe("a playbook over the editor's size limit", () => {
  it('is neither completed nor explained, and the problem names the limit', async () => {
    const api = await startApi()
    for (const path of ['complete', 'hover']) {
      const body = { source: 'x'.repeat(65_537), line: 1, column: 1 }
      const refused = await api.call('POST', `/api/playbooks/${path}`, { body })
      expect(refused.status).to.equal(400)
      expect(refused.text).to.include('65536')
    }
    await api.close()
  })
})

describe('heavy computation', () => {
  const scope = ['acme']
  it('runs one task at a time and leaves half of the time to others', async () => {
    const { inTurn } = createCalculations()
    const spans: { readonly from: number; readonly to: number }[] = []
    const busy = () => {
      const from = performance.now()
      while (performance.now() - from < 30);
      spans.push({ from, to: performance.now() })
    }
    await Promise.all(['a', 'b', 'c'].map((uuid) => inTurn({ uuid, scope: [uuid] }, busy)))
    for (const [index, { from }] of spans.slice(1).entries()) {
      const before = spans[index]!
      expect(from - before.to).to.be.at.least((before.to - before.from) * 0.9)
    }
  })

  it('is refused only for the key that has too much queued', async () => {
    const { inTurn } = createCalculations()
    const waiting = Array.from({ length: 8 }, () => inTurn({ uuid: 'a', scope }, () => setTimeout(0)))
    const refused: unknown = await inTurn({ uuid: 'a', scope }, () => 1).catch((reason: unknown) => reason)
    expect(refused).to.include({ code: 'too_many_requests' })
    expect(await inTurn({ uuid: 'b', scope }, () => 1)).to.equal(1)
    await Promise.all(waiting)
    expect(await inTurn({ uuid: 'a', scope }, () => 1)).to.equal(1)
  })

  it('waits for at most one task of other organizations, however much they have queued', async () => {
    const { inTurn } = createCalculations()
    const done: string[] = []
    const ask = (organization: string, uuid: string) =>
      inTurn({ uuid, scope: [organization] }, () => done.push(organization))
    const ofAcme = Array.from({ length: 16 }, (_, n) => ask('acme', `a${n % 2}`))
    await Promise.all([...ofAcme, ask('globex', 'g'), ask('initech', 'i'), ask('globex', 'g')])
    expect(done.slice(0, 6)).to.deep.equal(['acme', 'globex', 'initech', 'acme', 'globex', 'acme'])
    expect(done).to.have.length(19)
  })

  it('is refused to keys of the same organizations, and to all keys, if too much is queued', async () => {
    const { inTurn } = createCalculations()
    const ask = (organizations: readonly string[], uuid: string) =>
      inTurn({ uuid, scope: organizations }, () => 1)
    const refusal = async (asked: Promise<unknown>) => asked.catch((reason: unknown) => reason)
    const waiting = Array.from({ length: 16 }, (_, n) => ask(['acme', 'globex'], `key${n}`))
    expect(await refusal(ask(['globex', 'acme'], 'another'))).to.include({ code: 'too_many_requests' })
    for (let n = 0; n < 48; n++) waiting.push(ask([`organization${n}`], `own${n}`))
    expect(await refusal(ask(['initech'], 'new'))).to.deep.include({
      code: 'calculations_full',
      headers: { 'retry-after': '5' },
    })
    await Promise.all(waiting)
    expect(await ask(['initech'], 'new')).to.equal(1)
  })

  it('continues after an error', async () => {
    const { inTurn } = createCalculations()
    const failed = inTurn({ uuid: 'a', scope }, () => {
      throw new RangeError('deep')
    }).catch((reason: unknown) => reason)
    expect(await inTurn({ uuid: 'a', scope }, () => 1)).to.equal(1)
    expect(await failed).to.be.instanceOf(RangeError)
  })
})
