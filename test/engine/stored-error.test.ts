import { expect } from 'chai'
import { toStoredError } from '../../core/engine/journal/stored-error.ts'
import { Secret, SkillError } from '../../core/plugin/index.ts'
import type { Log } from '../../core/ports/log.ts'

describe('stored errors', () => {
  let logged: string[]
  let log: Log
  beforeEach(() => {
    logged = []
    const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
    log = { debug: note, info: note, warn: note, error: note }
  })
  const store = (error: unknown) => toStoredError(error, log, { run: 'r' })

  it('keep code, message, hint and details, but neither stack nor cause', () => {
    const cause = new Error('inner')
    const error = new SkillError('http_404', 'not there', { hint: 'look', details: { status: 404 }, cause })
    expect(store(error)).to.deep.equal({
      code: 'http_404',
      message: 'not there',
      hint: 'look',
      details: { status: 404 },
    })
    expect(logged).to.deep.equal([])
  })

  it('are bounded, whatever a plugin puts into them', () => {
    const long = 'x'.repeat(1_000_000)
    const stored = store(new SkillError(long, long, { hint: long, details: { long } }))
    expect(JSON.stringify(stored).length).to.be.below(6_000)
    expect(stored.details).to.have.property('omitted')
  })

  it('keep details that are not JSON, and show no secrets', () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    expect(store(new SkillError('a', 'b', { details: loop })).details).to.have.property('omitted')
    const details = { token: new Secret('hunter2'), big: 2n ** 60n, when: new Date(0) }
    expect(store(new SkillError('a', 'b', { details })).details).to.deep.equal({
      token: '[redacted]',
      big: 2n ** 60n,
      when: '1970-01-01T00:00:00.000Z',
    })
  })

  for (const thrown of [new TypeError('x is not a function'), 'a text', undefined, Object.create(null)]) {
    it(`become internal_error for ${Object.prototype.toString.call(thrown)}, with a log entry`, () => {
      expect(store(thrown)).to.have.property('code', 'internal_error')
      expect(logged).to.have.length(1)
    })
  }
})
