import { expect } from 'chai'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { parseAddress, writeAddress } from '../../../core/expression/functions/network/ip.ts'
import { tries } from '../../support/random.ts'
import { problems } from '../checked.ts'
import { evaluate, failure } from '../evaluated.ts'

describe('functions of networks', () => {
  it('write addresses in their canonical form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text)
        fc.pre(address !== undefined)
        const written = writeAddress(address)
        expect(parseAddress(written)).to.deep.equal(address)
        const known = ipaddr.fromByteArray([...address])
        expect(written).to.equal(known instanceof ipaddr.IPv6 ? known.toRFC5952String() : known.toString())
      }),
      tries(200),
    )
    expect(evaluate('ip("::ffff:10.0.0.1")')).to.equal('10.0.0.1')
    expect(evaluate('ip("2001:db8::1") == ip("2001:DB8:0::1")')).to.equal(true)
  })

  it('tell kinds of addresses apart', () => {
    const kinds =
      'x.map(i, [i.isLoopback(), i.isUnspecified(), i.isLinkLocalUnicast(), i.isLinkLocalMulticast(), i.isGlobalUnicast()].indexOf(true))'
    const x = [
      '127.1.2.3',
      '::1',
      '0.0.0.0',
      '169.254.169.254',
      'fe80::1',
      'ff02::1',
      '224.0.0.1',
      '10.0.0.1',
      '2001:db8::abcd',
      '224.0.1.1',
      '255.255.255.255',
      'ff00::1',
    ]
    expect(evaluate(kinds, { x })).to.deep.equal([0, 0, 1, 2, 2, 3, 3, 4, 4, -1, -1, -1])
  })

  it('contain addresses and networks', () => {
    expect(
      evaluate(
        '["10.0.0.0/8".containsIP("10.1.2.3"), "10.0.0.0/8".containsCIDR("10.0.0.0/7"), "10.0.0.0/8".containsCIDR("fc00::/16")]',
      ),
    ).to.deep.equal([true, false, false])
    expect(evaluate('["10.255.1.3/12".masked(), "2001:db8:ffff::/33".masked()]')).to.deep.equal([
      '10.240.0.0/12',
      '2001:db8:8000::/33',
    ])
    expect(failure('x.masked()', { x: '10.0.0.1' }).code).to.equal('expression_invalid_argument')
    expect(problems('alert.id.containsIP("10.0.0")')[0]).to.include("'10.0.0' is not an IP address")
    expect(problems('"10.0.0.0".containsIP(alert.id)')[0]).to.include('write its length behind it')
  })

  it('read the parts of URLs as browsers do', () => {
    const parts = '[u.getScheme(), u.getHost(), u.getHostname(), u.getPort(), u.getEscapedPath()]'
    for (const [u, wanted] of [
      [
        'https://user:pw@Example.com:8443/a b?q#f',
        ['https', 'example.com:8443', 'example.com', '8443', '/a%20b'],
      ],
      ['https://example.com:443', ['https', 'example.com:443', 'example.com', '443', '']],
      ['https://[::1]:80/', ['https', '[::1]:80', '::1', '80', '/']],
      [
        String.raw`https:\\evil.example\@good.example`,
        ['https', 'evil.example', 'evil.example', '', String.raw`/@good.example`],
      ],
      ['https://good.example@evil.example/', ['https', 'evil.example', 'evil.example', '', '/']],
      ['https://bücher.example', ['https', 'xn--bcher-kva.example', 'xn--bcher-kva.example', '', '']],
      ['http://0x7f.1/', ['http', '127.0.0.1', '127.0.0.1', '', '/']],
      ['/path/x?y', ['', '', '', '', '/path/x']],
      ['mailto:dana@example.com', ['mailto', '', '', '', 'dana@example.com']],
    ] as const)
      expect(evaluate(parts, { u }), u).to.deep.equal(wanted)
    expect(evaluate('u.getQuery()', { u: 'https://x/?a=1&a=2&__proto__=3&b=%41+c' })).to.deep.equal(
      JSON.parse('{"a": ["1", "2"], "__proto__": ["3"], "b": ["A c"]}'),
    )
    expect(evaluate('[isURL("../x"), isURL("https://a:b:c/"), isURL("//x"), isURL("")]')).to.deep.equal([
      false,
      false,
      false,
      false,
    ])
    expect(problems('url("example.com")')[0]).to.include('write it like https://example.com/path')
  })

  it('find the registered domain', () => {
    for (const [x, domain, suffix] of [
      ['https://a.b.Example.co.uk:8443/x', 'example.co.uk', 'co.uk'],
      ['dana@mail.example.com', 'example.com', 'com'],
      ['evil.github.io', 'evil.github.io', 'github.io'],
      ['co.uk', null, 'co.uk'],
      ['10.0.0.1', null, null],
      ['localhost', null, null],
      ['', null, null],
      ['a'.repeat(100_000), null, null],
    ] as const)
      expect(
        evaluate('[registeredDomain(x).orValue(null), publicSuffix(x).orValue(null)]', { x }),
        x.slice(0, 40),
      ).to.deep.equal([domain, suffix])
  })
})
