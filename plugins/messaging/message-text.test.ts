import { expect } from 'chai'
import { escapeMessage, toOneLine, unescapeText } from './message-text.ts'

const escaped = (raw: string) => escapeMessage(raw, 1_000).text

describe('message text', () => {
  for (const [raw, shown] of [
    ['<!channel> read this', '&lt;!channel&gt; read this'],
    ['<@U0ANASILVA>', '&lt;@U0ANASILVA&gt;'],
    ['<https://evil.example|your bank>', '&lt;https://evil.example|your bank&gt;'],
    ['a && b', 'a &amp;&amp; b'],
    ['&lt;!here&gt;', '&amp;lt;!here&amp;gt;'],
    ['@channel and @Here and @everyone', '@\u2060channel and @\u2060Here and @\u2060everyone'],
    ['ana@channels.example', 'ana@channels.example'],
    ['\u202Eexe.fdp', 'exe.fdp'],
    ['in\u200Bvisible \u0007bell\u001B[31m', 'invisible bell[31m'],
    ['@\u200Bchannel', '@\u2060channel'],
    ['one\r\ntwo\ttabbed', 'one\ntwo\ttabbed'],
    ['👩‍🚒 says hi', '👩‍🚒 says hi'],
    ['half a pair \ud83d', 'half a pair \ufffd'],
  ] as const) {
    it(`neutralizes ${JSON.stringify(raw)}`, () => {
      expect(escaped(raw)).to.equal(shown)
    })
  }

  it('is complete up to the limit', () => {
    expect(escapeMessage('x'.repeat(50), 50)).to.deep.equal({ text: 'x'.repeat(50), isCut: false })
  })

  it('is truncated over the limit with a note', () => {
    const { text, isCut } = escapeMessage('x'.repeat(5_000), 3_000)
    expect(isCut).to.equal(true)
    expect(text).to.have.length(3_000)
    expect(text).to.match(/x\n… \(cut here; the whole text has 5000 characters\)$/)
  })

  it('is never cut within an entity or a character', () => {
    for (const char of ['&', '🔔']) {
      for (let max = 100; max < 112; max++) {
        const { text } = escapeMessage(char.repeat(200), max)
        expect(text.length).to.be.at.most(max)
        expect(text).to.match(/^(?:(?:&amp;)+|(?:🔔)+)\n…/u)
      }
    }
  })

  it('is one line on a button', () => {
    expect(toOneLine('  yes,\n  me <now> ', 75)).to.equal('yes, me <now>')
    expect(toOneLine('y'.repeat(80), 75)).to.equal(`${'y'.repeat(74)}…`)
  })

  it('of a person is kept as written', () => {
    expect(unescapeText('a &lt; b &amp;&amp; &amp;lt;')).to.equal('a < b && &lt;')
  })
})
