import { expect } from 'chai'
import { changedSettings, takeOver } from '../../server/web/connections/connection.ts'
import { fieldErrors, fieldsOf, valueOf } from '../../server/web/forms/form-fields.ts'

const fields = fieldsOf({
  required: ['token', 'url'],
  properties: {
    url: { type: 'string', title: 'URL', default: 'https://example.com' },
    token: { type: 'string', 'x-secret': true },
    mode: { enum: ['a', 'b'] },
    port: { type: 'integer' },
    on: { type: 'boolean' },
    list: { type: 'array' },
  },
})

describe('forms made of a JSON Schema', () => {
  it('show what is needed first, what has a default last, and secrets hidden', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).to.deep.equal([
      'token secret',
      'mode choice',
      'port number',
      'on yes_no',
      'list json',
      'url text',
    ])
    const url = { label: 'URL', placeholder: 'https://example.com', isRequired: false, isExtra: true }
    expect(fields.at(-1)).to.include(url)
  })

  it('leave out what is empty, so that defaults apply', () => {
    const values = { token: 't', url: '', port: '8', on: false, list: '[1]' }
    expect(valueOf(fields, values)).to.deep.equal({ token: 't', port: 8, on: false, list: [1] })
  })

  it('send large integers with all their digits', () => {
    const values = { port: '9007199254740993', list: '[-9007199254740993, 1.5, {"a": 12345678901234567890}]' }
    expect(JSON.stringify(valueOf(fields, values))).to.equal(
      '{"port":9007199254740993,"list":[-9007199254740993,1.5,{"a":12345678901234567890}]}',
    )
    expect(valueOf(fields, { port: '8.5' })).to.deep.equal({ port: 8.5 })
    expect(valueOf(fields, { port: '-' }), 'no number, for the API to refuse').to.deep.equal({ port: '-' })
  })

  it('show errors of the API at their fields', () => {
    const errors = [
      { pointer: '/settings/token', message: 'is missing' },
      { pointer: '/name', message: 'is taken' },
      { pointer: '/settings/token', message: 'must be a text' },
      { message: 'no place' },
    ]
    expect([...fieldErrors(errors, '/settings')]).to.deep.equal([['token', 'is missing; must be a text']])
    expect([...fieldErrors(errors, '')].map(([name]) => name)).to.deep.equal(['settings', 'name'])
  })

  it('send only the settings that changed, and take away what was emptied', () => {
    const before = { url: 'https://a', mode: 'a', port: 1 }
    expect(changedSettings(before, { url: 'https://a', mode: 'b', token: 'new' })).to.deep.equal({
      mode: 'b',
      token: 'new',
      port: null,
    })
  })
  it('follow what others change, and keep what is typed', () => {
    const before = { url: 'https://a', mode: 'a', port: '1' }
    const typed = { ...before, mode: 'mine', token: 'secret' }
    expect(takeOver(typed, before, { url: 'https://b', mode: 'b' })).to.deep.equal({
      url: 'https://b',
      mode: 'mine',
      token: 'secret',
    })
  })
})
