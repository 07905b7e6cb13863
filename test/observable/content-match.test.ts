import { expect } from 'chai'
import { contentMatch } from '../../core/observable/content-match.ts'

describe('match of a content', () => {
  const json = JSON.stringify({
    user: { name: 'Kim Berg', ips: ['198.51.100.1', '203.0.113.77'] },
    text: 'Sign-in of Kim Berg from 203.0.113.77',
    risk: 92,
  })

  it('is in the value with most of the words, with its path and marks', () => {
    expect(contentMatch(json, '203.0.113.77')).to.deep.equal({
      path: 'user.ips[1]',
      text: '203.0.113.77',
      marks: [[0, 12]],
    })
    const both = contentMatch(json, 'BERG 203.0.113.77')
    expect(both?.path).to.equal('text')
    expect(both?.marks.map(([from, to]) => both.text.slice(from, to))).to.deep.equal(['Berg', '203.0.113.77'])
    expect(contentMatch(json, '92')?.path).to.equal('risk')
    expect(contentMatch(json, 'ber*')?.marks).to.deep.equal([[4, 7]])
  })

  it('of a long value is a part around the first word', () => {
    const found = contentMatch(
      JSON.stringify({ log: `${'a '.repeat(500)}needle${' b'.repeat(500)}` }),
      'needle',
    )
    expect(found?.text.length).to.equal(160)
    expect(found?.text.slice(...found.marks[0]!)).to.equal('needle')
  })

  it('of a text that is not JSON has no path', () => {
    expect(contentMatch('CEF:0|x\n src=203.0.113.77', 'src')).to.deep.equal({
      path: null,
      text: 'CEF:0|x src=203.0.113.77',
      marks: [[8, 11]],
    })
  })

  it('never shows values that look like secrets', () => {
    for (const key of [
      'password',
      'user_passwd',
      'client_secret',
      'accessToken',
      'Authorization',
      'api_key',
      'Set-Cookie',
    ])
      expect(
        contentMatch(JSON.stringify({ [key]: 'hunter2', deep: { [key]: ['hunter2'] } }), 'hunter2'),
        key,
      ).to.equal(undefined)
    expect(contentMatch('user=kim password=hunter2', 'hunter2')).to.equal(undefined)
    expect(contentMatch(JSON.stringify({ log: 'token: hunter2 of kim' }), 'kim')).to.equal(undefined)
    expect(contentMatch('{"password":"hunter2","user":"kim"', 'kim'), 'invalid JSON').to.equal(undefined)
  })

  it('is absent without words, for keys and for long contents', () => {
    expect(contentMatch(json, '  *')).to.equal(undefined)
    expect(contentMatch(json, 'ips')).to.equal(undefined)
    expect(contentMatch(`"${'x'.repeat(40_000)}"`, 'x')).to.equal(undefined)
  })

  it('survives deep and strange content', () => {
    expect(contentMatch(`${'['.repeat(10_000)}"x"${']'.repeat(10_000)}`, 'x')).to.equal(undefined)
    expect(contentMatch(JSON.stringify({ a: '\uD83D x', b: 'İx' }), 'x')?.path).to.equal('a')
  })
})
