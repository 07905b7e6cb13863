import { expect } from 'chai'
import type { ConnectionFailure } from '../../core/domain/connection.ts'
import { ConnectionError, RetryableError, SkillError } from '../../core/plugin/index.ts'
import { createNoteUse } from '../../core/skill/call/note-use.ts'
import { storedConnection } from './fixture.ts'

describe('the recorded use of a connection', () => {
  let noted: (ConnectionFailure | null)[]
  let now: number
  let isFull: boolean
  let warned: number
  const refused = new ConnectionError('http_401', 'no')
  const lastFailure = { code: 'http_401', at: 1 }

  const start = () => {
    noted = []
    now = 1_000_000
    isFull = false
    warned = 0
    return createNoteUse({
      connections: {
        async used(_organization, _uuid, failure) {
          if (isFull) throw new Error('disk full')
          noted.push(failure)
        },
      },
      clock: { now: () => now },
      log: { debug() {}, info() {}, warn: () => void warned++, error() {} },
    })
  }

  it('keeps a refusal until a use succeeds', () => {
    const note = start()
    note(storedConnection('a'), refused)
    expect(noted).to.deep.equal([{ code: 'http_401', at: now }])
    now += 10_000
    note(storedConnection('a', { lastFailure }))
    expect(noted.slice(1)).to.deep.equal([null])
  })

  it('ignores known refusals, transient errors and errors of a single call', () => {
    const note = start()
    note(storedConnection('a'))
    note(storedConnection('b', { lastFailure }), refused)
    note(storedConnection('c'), new RetryableError('http_503', 'later'))
    note(storedConnection('d', { lastFailure }), new SkillError('http_404', 'not there'))
    expect(noted).to.deep.equal([])
  })

  it('is written at most once in ten seconds per connection', () => {
    const note = start()
    for (const _ of [1, 2, 3]) note(storedConnection('a'), refused)
    note(storedConnection('b'), refused)
    now += 9_999
    note(storedConnection('a', { lastFailure }))
    expect(noted).to.have.length(2)
    now += 1
    note(storedConnection('a', { lastFailure }))
    expect(noted).to.have.length(3)
  })

  it('does no harm if it cannot be stored', async () => {
    const note = start()
    isFull = true
    note(storedConnection('a'), refused)
    await new Promise(setImmediate)
    expect(warned).to.equal(1)
  })
})
