import { expect } from 'chai'
import { notesAfterEdit, notesAfterTest } from '../../core/transitions/connection.ts'

const notes = {
  broken: { reason: 'revoked', at: 10 },
  warning: { reason: 'expires soon', at: 20 },
  lastFailure: { code: 'http_401', at: 30 },
}
const none = { broken: null, warning: null, lastFailure: null }

describe('warnings of a connection', () => {
  it('are cleared by new settings or secrets, and kept when it is only disabled', () => {
    expect(notesAfterEdit(notes, { settings: {} })).to.deep.equal(none)
    expect(notesAfterEdit(notes, { secrets: {} })).to.deep.equal(none)
    expect(notesAfterEdit(notes, {})).to.deep.equal(notes)
  })

  it('are cleared by a successful test that began after them', () => {
    expect(notesAfterTest(notes, { asOf: 20, warning: null })).to.deep.equal({
      ...none,
      lastFailure: notes.lastFailure,
    })
    expect(notesAfterTest(notes, { asOf: 30, warning: null })).to.deep.equal(none)
    expect(notesAfterTest(notes, { asOf: 30, warning: 'one scope is missing' })).to.deep.equal({
      ...none,
      warning: { reason: 'one scope is missing', at: 30 },
    })
  })
})
