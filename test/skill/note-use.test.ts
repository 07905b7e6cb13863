import { expect } from 'chai'
import type { ConnectionFailure } from '../../core/domain/connection.ts'
import { ConnectionError, RetryableError, SkillError } from '../../core/plugin/index.ts'
import { createNoteUse } from '../../core/skill/call/note-use.ts'
import { storedConnection } from './fixture.ts'

describe('noting how a connection was used', () => {
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

  it('keeps a refusal, and forgets it with a use that succeeds', () => {
    const note = start()
    note(storedConnection('a'), refused)
    expect(noted).to.deep.equal([{ code: 'http_401', at: now }])
    now += 10_000
    note(storedConnection('a', { lastFailure }))
    expect(noted.slice(1)).to.deep.equal([null])
  })

  it('writes nothing that is known, that passes by itself, or that is the fault of one call', () => {
    const note = start()
    note(storedConnection('a'))
    note(storedConnection('b', { lastFailure }), refused)
    note(storedConnection('c'), new RetryableError('http_503', 'later'))
    note(storedConnection('d', { lastFailure }), new SkillError('http_404', 'not there'))
    expect(noted).to.deep.equal([])
  })

  it('writes once in ten seconds for a connection at most', () => {
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

  it('does no harm where it cannot be kept', async () => {
    const note = start()
    isFull = true
    note(storedConnection('a'), refused)
    await new Promise(setImmediate)
    expect(warned).to.equal(1)
  })
})
