import { expect } from 'chai'
import { readToken } from '../../core/skill/http/read-token.ts'

const read = (answer: object) => readToken(JSON.stringify(answer))

describe('a token response', () => {
  it('has the token and its lifetime', () => {
    const answer = { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599, access_token: 'abc.def' }
    expect(read(answer)).to.deep.equal({ text: 'abc.def', lifetimeMs: 3_599_000 })
  })

  for (const [what, expires_in, lifetimeMs] of [
    ['a text', '3599', 3_599_000],
    ['nothing', undefined, 600_000],
    ['null', null, 600_000],
    ['words', 'soon', 600_000],
    ['an empty text', '', 600_000],
    ['less than nothing', -1, 600_000],
    ['zero', 0, 0],
    ['a year', 31_536_000, 86_400_000],
    ['more than a number holds', 12345678901234567890n, 600_000],
  ] as const) {
    it(`may have ${what} as the lifetime`, () => {
      const shown = typeof expires_in === 'bigint' ? String(expires_in) : JSON.stringify(expires_in)
      const body = `{"access_token":"a"${shown === undefined ? '' : `,"expires_in":${shown}`}}`
      expect(readToken(body)).to.deep.equal({ text: 'a', lifetimeMs })
    })
  }

  it('may omit the type or write it in lower case', () => {
    expect(read({ access_token: 'a' })).to.have.property('text', 'a')
    expect(read({ access_token: 'a', token_type: 'bearer' })).to.have.property('text', 'a')
  })

  for (const [what, body, problem] of [
    ['nothing', '', 'the answer is not JSON'],
    ['HTML', '<html>', 'the answer is not JSON'],
    ['half of it', '{"access_token":"abc', 'the answer is not JSON'],
    ['deep nesting', '['.repeat(100_000), 'the answer is not JSON'],
    ['a text', '"abc"', 'the answer has no access_token'],
    ['no token', '{"token_type":"Bearer"}', 'the answer has no access_token'],
    ['an empty token', '{"access_token":""}', 'the answer has no access_token'],
    ['a token that is no text', '{"access_token":{"a":1}}', 'the answer has no access_token'],
    ['an inherited one', '{"__proto__":{"access_token":"a"}}', 'the answer has no access_token'],
    [
      'a line break',
      '{"access_token":"a\\r\\nx: y"}',
      'the access_token in the answer cannot be sent in a header',
    ],
    [
      'a huge token',
      `{"access_token":"${'a'.repeat(20_000)}"}`,
      'the access_token in the answer cannot be sent in a header',
    ],
    [
      'another type',
      '{"access_token":"a","token_type":"mac"}',
      'the token in the answer is not a bearer token',
    ],
  ] as const) {
    it(`is refused if it is ${what}`, () => {
      expect(readToken(body)).to.equal(problem)
    })
  }
})
