import { expect } from 'chai'
import { indentJson } from '../../server/web/parts/json/indent-json.ts'
import { showInvisible } from '../../server/web/parts/json/show-invisible.ts'

const all = (text: string): string | undefined => indentJson(text, Infinity)?.text

describe('web: indentation of JSON that others wrote', () => {
  it('is that of JSON.stringify for what it has made', () => {
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

  it('changes nothing that is written: neither what stands twice, nor the order, nor digits', () => {
    const text =
      '{"user":"attacker","user":"ceo","big":12345678901234567890,"f":1.0,"e":1e400,"10":"a","2":"b","n":-0}'
    expect(all(text)?.replaceAll(/\n */g, '').replaceAll(': ', ':')).to.equal(text)
  })

  it('replaces the blanks that were there', () => {
    expect(all(' [\r\n\t1 ,2 ] \n')).to.equal('[\n  1,\n  2\n]')
  })

  it('makes little of a text that nests deep, and ends where it was told to', () => {
    const deep = `${'['.repeat(900)}${'1,'.repeat(240_000)}1${']'.repeat(900)}`
    expect(all(deep)?.length).to.be.lessThan(deep.length + 10_000)
    const begun = indentJson(deep, 50_000)
    expect(begun?.isWhole).to.equal(false)
    expect(begun?.text.length).to.be.within(50_000, 50_200)
    const brackets = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(all(brackets)?.length).to.be.lessThan(brackets.length + 10_000)
    expect(all(brackets)?.replaceAll(/\s/g, '')).to.equal(brackets)
  })

  it('cuts a string that is longer than what is shown, but no character', () => {
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

  it('leaves alone what is no object or list of JSON', () => {
    for (const text of ['', '7', '"text"', '{"a":}', '[1,]', '{} {}', 'GET / HTTP/1.1'])
      expect(all(text)).to.equal(undefined)
  })
})

describe('web: characters that are not seen', () => {
  it('are written out', () => {
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

  it('stay where they are what everybody writes', () => {
    expect(showInvisible('tab\tand line\nand\r\nline, ❤️, ñ, عربي, 日本')).to.equal(
      'tab\tand line\nand\nline, ❤️, ñ, عربي, 日本',
    )
  })

  it('hold a carriage return that no line feed follows: it hides what stands before it in a terminal', () => {
    expect(showInvisible('a\rb')).to.equal('a‹U+000D›b')
  })

  it('hold what only follows an emoji elsewhere', () => {
    expect(showInvisible('a\ufe0f')).to.equal('a‹U+FE0F›')
  })
})
