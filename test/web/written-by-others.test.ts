import { expect } from 'chai'
import { indentJson, showInvisible } from '../../server/web/parts/outside-text.ts'

const all = (text: string): string | undefined => indentJson(text, Infinity)?.text

describe('web: indentation of untrusted JSON', () => {
  it('equals that of JSON.stringify', () => {
    for (const value of [
      {},
      [],
      [[]],
      { a: [] },
      { a: { b: [1, 'two', null, true, -0.5e-7] }, ' ,:{}[]"\\': '"\\"' },
      ['\u2028', '😀', '\ud800'],
    ])
      expect(all(JSON.stringify(value))).to.equal(JSON.stringify(value, undefined, 2))
  })

  it('keeps duplicates, order and digits', () => {
    const text =
      '{"user":"attacker","user":"ceo","big":12345678901234567890,"f":1.0,"e":1e400,"10":"a","2":"b","n":-0}'
    expect(all(text)?.replaceAll(/\n */g, '').replaceAll(': ', ':')).to.equal(text)
  })

  it('replaces existing white space', () => {
    expect(all(' [\r\n\t1 ,2 ] \n')).to.equal('[\n  1,\n  2\n]')
  })

  it('limits deep nesting and the total size', () => {
    const deep = `${'['.repeat(900)}${'1,'.repeat(240_000)}1${']'.repeat(900)}`
    expect(all(deep)?.length).to.be.lessThan(deep.length + 10_000)
    const begun = indentJson(deep, 50_000)
    expect(begun?.isWhole).to.equal(false)
    expect(begun?.text.length).to.be.within(50_000, 50_200)
    const brackets = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(all(brackets)?.length).to.be.lessThan(brackets.length + 10_000)
    expect(all(brackets)?.replaceAll(/\s/g, '')).to.equal(brackets)
  })

  it('cuts a long string, but no character', () => {
    const text = JSON.stringify({ a: '😀'.repeat(400_000) })
    for (const limit of [1_000, 1_001]) {
      const begun = indentJson(text, limit)
      expect(begun?.isWhole).to.equal(false)
      expect(begun?.text.length).to.be.within(limit - 1, limit)
      expect(begun?.text).to.match(/^\{\n {2}"a": "(?:😀)+$/u)
    }
  })

  it('takes one string of a million escapes', () => {
    const text = JSON.stringify(['"'.repeat(1_000_000)])
    expect(all(text)).to.equal(`[\n  ${text.slice(1, -1)}\n]`)
  })

  it('ignores text that is not a JSON object or list', () => {
    for (const text of ['', '7', '"text"', '{"a":}', '[1,]', '{} {}', 'GET / HTTP/1.1'])
      expect(all(text)).to.equal(undefined)
  })
})

describe('web: invisible characters', () => {
  it('are shown as codes', () => {
    for (const character of [
      '\u202e',
      '\u200b',
      '\0',
      '\u001b',
      '\u3164',
      '\u2800',
      '\u115f',
      '\u034f',
      '\u{e0101}',
      '\u00ad',
      '\ufeff',
    ])
      expect(showInvisible(`a${character}b`)).to.equal(
        `a‹U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}›b`,
      )
  })

  it('are kept in common text', () => {
    expect(showInvisible('tab\tand line\nand\r\nline, ❤️, ñ, عربي, 日本')).to.equal(
      'tab\tand line\nand\nline, ❤️, ñ, عربي, 日本',
    )
  })

  it('include a carriage return without a line feed, which hides text in a terminal', () => {
    expect(showInvisible('a\rb')).to.equal('a‹U+000D›b')
  })

  it('include characters that are valid only after an emoji', () => {
    expect(showInvisible('a\ufe0f')).to.equal('a‹U+FE0F›')
  })
})
