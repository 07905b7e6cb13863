import { expect } from 'chai'
import fc from 'fast-check'
import { tries } from '../../support/random.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { problems } from '../checked.ts'
import { evaluate, failure } from '../evaluated.ts'

describe('functions of text', () => {
  it('change the case of all letters', () => {
    expect(evaluate('["ÀÉ İ".lower(), "straße".upper(), "éa ab-cd o’neil 2nd".title()]')).to.deep.equal([
      'àé i̇',
      'STRASSE',
      'Éa Ab-Cd O’neil 2nd',
    ])
  })

  it('pad by characters', () => {
    expect(evaluate('["😀".padStart(3, "ab"), "abc".padStart(2), "a".padEnd(4, "😀-")]')).to.deep.equal([
      'ab😀',
      'abc',
      'a😀-😀',
    ])
    expect(failure('x.padStart(3, x)', { x: '' }).code).to.equal('expression_invalid_argument')
    expect(failure('x.padStart(99999999)', { x: '' }).code).to.match(/exhausted$/)
  })

  it('read the text of HTML', () => {
    const html =
      '<!-- <b> --><HEAD><title>t</title></HEAD><p class="a>b">1 &lt; 2<br/>x < y</p><SCRIPT>if (a<b) "</p>"</SCRIPT ><style>p{}</style>end<!-- open'
    expect(evaluate('x.stripHtml()', { x: html })).to.equal('b">1 < 2\nx < y\nend')
    expect(evaluate('x.stripHtml()', { x: '<script>alert(1)' })).to.equal('')
    expect(evaluate('x.unescapeHtml()', { x: '&#x1F600;&euro;&nope;&#0;&#xD800;&amp;lt;' })).to.equal(
      '😀€&nope;&#0;&#xD800;&lt;',
    )
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (x) => {
        expect(evaluate('x.escapeHtml().unescapeHtml()', { x })).to.equal(x)
        expect(evaluate('x.stripHtml()', { x })).to.be.a('string')
      }),
      tries(100),
    )
  })

  it('measure the distance of texts', () => {
    expect(
      evaluate('[levenshtein("", "abc"), levenshtein("flaw", "lawn"), similarity("", "")]'),
    ).to.deep.equal([3, 2, 1])
    expect(evaluate('similarity("😀a", "😀b")')).to.equal(0.5)
    expect(failure('similarity(x, x + "b")', { x: 'ab'.repeat(5000) }).code).to.equal(
      'expression_fuel_exhausted',
    )
  })

  it('compare versions', () => {
    const order = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0',
      '1.0.1',
    ]
    for (const [at, lower] of order.entries())
      for (const higher of order.slice(at + 1)) {
        const scope = { a: lower, b: higher }
        expect(
          evaluate('[a.compareTo(b), b.compareTo(a), a.isLessThan(b), a.isGreaterThan(b)]', scope),
        ).to.deep.equal([-1, 1, true, false])
      }
    expect(
      evaluate('["v1.2".compareTo("1.2.0+b"), "1.10".compareTo("1.9"), "120.0.6099.109".patch()]'),
    ).to.deep.equal([0, 1, 6099])
    expect(
      evaluate('[isSemver("01.1.1"), isSemver("01.1", true), semver("v01.1.1-rc", true)]'),
    ).to.deep.equal([false, true, '1.1.1-rc'])
    expect(problems('alert.id.isLessThan("latest")')[0]).to.include("'latest' is not a version")
    expect(failure('x.isLessThan("1")', { x: '9'.repeat(300) }).code).to.equal('expression_invalid_argument')
  })

  it('encode and decode bytes of text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }).map((text) => text.toWellFormed()),
        fc.constantFrom('utf-8', 'utf-16le'),
        (x, charset) => {
          const scope = { x: x.replace(/^\ufeff+/, ''), charset }
          expect(evaluate('base64.decode(base64.encode(x, charset), charset) == x', scope)).to.equal(true)
          expect(evaluate('hex.decode(hex.encode(x, charset), charset) == x', scope)).to.equal(true)
          expect(evaluate('urlDecode(urlEncode(x)) == x', scope)).to.equal(true)
        },
      ),
      tries(100),
    )
    expect(evaluate('hex.decode("e4", "latin1")')).to.equal('ä')
    expect(failure('base64.decode(x)', { x: '//8=' })).to.include({
      message: 'the decoded bytes are not UTF-8 text',
      hint: 'for a PowerShell command, add the character set "utf-16le"',
    })
    for (const x of ['0', 'zz', ' 61'])
      expect(failure('hex.decode(x)', { x }).code, x).to.equal('expression_invalid_argument')
    expect(problems('base64.decode(alert.id, "ebcdic")')[0]).to.include(
      'it is one of utf-8, utf-16le and latin1',
    )
    expect(problems('hmac(alert.id, "k", "sha3")')[0]).to.include("'sha3' is not a hash algorithm")
  })
})
