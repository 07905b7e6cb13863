import { expect } from 'chai'
import * as fc from 'fast-check'
import { addressBelow } from '../../core/skill/connection/address.ts'
import { tries } from '../support/random.ts'
import { anyCharacter } from '../support/any-character.ts'

const base = new URL('https://api.example.com/v2/')

describe('addressBelow', () => {
  it('puts the path below the base', () => {
    expect(addressBelow(base, '/ip/1.2.3.4').href).to.equal('https://api.example.com/v2/ip/1.2.3.4')
    expect(addressBelow(new URL('https://api.example.com'), '/').href).to.equal('https://api.example.com/')
  })

  it('keeps percent-encoded characters', () => {
    expect(addressBelow(base, '/a%20b/c%3Fd/%C3%BC').href).to.equal(
      'https://api.example.com/v2/a%20b/c%3Fd/%C3%BC',
    )
    expect(addressBelow(base, '/~a@b:c,d=(e)!').href).to.equal('https://api.example.com/v2/~a@b:c,d=(e)!')
  })

  it('percent-encodes each segment of a list', () => {
    const segments = [
      'url',
      'https://evil.example/a?b#c',
      7,
      'ü d',
      'a%2fb',
      'a;b',
      'x\\y',
      '.well-known',
      '...a',
      'b/../c/..;/d',
    ]
    expect(addressBelow(base, segments).href).to.equal(
      'https://api.example.com/v2/url/https%3A%2F%2Fevil.example%2Fa%3Fb%23c/7/%C3%BC%20d/a%252fb/a%3Bb/x%5Cy/.well-known/...a/b%2F..%2Fc%2F..%3B%2Fd',
    )
    expect(addressBelow(base, ['link(index=0)']).pathname).to.equal('/v2/link(index%3D0)')
  })

  it('suggests a fix', () => {
    for (const [path, hint] of [
      ['/7?admin=true', '`query`'],
      ['/a;b', 'a list'],
      ['/..%2fadmin', 'a list'],
    ] as const) {
      expect(() => addressBelow(base, path))
        .to.throw(JSON.stringify(path.split('?')[0]))
        .that.has.property('hint')
        .that.includes(hint)
    }
  })

  it('adds the query percent-encoded, repeats lists and omits undefined', () => {
    const query = { a: 'x y&z', list: [1, true], none: undefined, "o'": "'+" }
    expect(addressBelow(base, '/q', query).search).to.equal('?a=x%20y%26z&list=1&list=true&o%27=%27%2B')
  })

  for (const path of [
    '',
    'ip/1',
    '//evil.example/x',
    '/\\evil.example/x',
    '\\\\evil.example',
    'https://evil.example/',
    '@evil.example/',
    '.evil.example/',
    ':443@evil.example/',
    '/..',
    '/../admin',
    '/a/../../../admin',
    '/%2e%2e/admin',
    '/%2E./admin',
    '/a/.%2e',
    '/./a',
    '/a#b',
    '/a b',
    '/a\tb',
    '/a\r\nHost: evil',
    '/\u0000',
    '\t//evil.example',
    '/7?admin=true',
    '/..%2f..%2fbeta%2fadmin',
    '/..%2Fadmin',
    '/a%2f..%2f..%2fadmin',
    '/..;/x',
    '/..;a=b/x',
    '/a;b/x',
    '/..%3b/x',
    '/..%5cx',
    '/..%5Cx',
    '/%252e%252e/admin',
    '/%25252e/admin',
    '/a%00',
    '/a%0d%0aHost:%20evil',
    '/a%7f',
    '/a%C2%85b',
    '/a//b',
    '/a/../',
    '/.../a',
    '/..%20/a',
    '/%20../a',
    '/a%',
    '/a%2',
    '/a%zz',
    '/%u002e%u002e/a',
    '/%c0%ae%c0%ae/a',
    '/..%c0%afa',
    '/%e0%80%ae/a',
    '/%ff/a',
    '/．．/a',
    '/․․/a',
    '/‥/a',
    '/%EF%BC%8E%EF%BC%8E/a',
    '/..／a',
    '/..＼a',
    '/..⁄a',
    '/..∕a',
    '/a％2e',
    '/a；b',
    '/a\u2028b',
    '/a\u0085b',
    `/${'a'.repeat(20_000)}`,
  ]) {
    it(`refuses ${JSON.stringify(path)}`, () => {
      expect(() => addressBelow(base, path))
        .to.throw()
        .with.property('code', 'bad_path')
    })
  }

  for (const value of [
    '',
    ' ',
    '.',
    '..',
    ' ..',
    '../admin',
    '..\\admin',
    '..;/x',
    '..;',
    '..?',
    '..#',
    'a/../../b',
    '..%2f..%2fbeta%2fadmin',
    '%2e%2e',
    '%2e%2e%2fadmin',
    '%252e%252e%252fadmin',
    '%25252525252525252e',
    '..%5cadmin',
    '..%00',
    '%c0%ae%c0%ae/x',
    '..%c0%afx',
    '%u002e%u002e%u2215x',
    '．．',
    '‥／x',
    '..∕x',
    'a\nb',
    'a\0',
    'a\u0085',
    'x'.repeat(20_000),
    '%25'.repeat(4_000),
    'https://a/../..',
    'https://a/../../../b',
    'a/..;/..%2f..',
  ]) {
    it(`refuses the segment ${JSON.stringify(value).slice(0, 60)}`, () => {
      expect(() => addressBelow(base, ['devices', value, 'notes']))
        .to.throw()
        .with.property('code', 'bad_path')
    })
  }

  it('refuses an empty list of segments', () => {
    expect(() => addressBelow(base, []))
      .to.throw('has no segments')
      .with.property('code', 'bad_path')
  })

  /**
   * The path as seen by a gateway that decodes several times, drops parameters and reads other characters as
   * slashes.
   */
  const resolved = (pathname: string): string => {
    let at = pathname
    for (let times = 0; times < 6; times++) {
      at = at.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    }
    const plain = at
      .normalize('NFKC')
      .replaceAll(/[\\⁄∕]/g, '/')
      .replaceAll(/;[^/]*/g, '')
    return new URL(`https://x${plain.replaceAll(/[?#]/g, '_')}`).pathname
  }

  it('stays below the base path, even if a gateway decodes it repeatedly', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%',
      '25',
      '2e',
      '2f',
      '5c',
      '3b',
      ';',
      '/',
      '\\',
      '．',
      '／',
      '∕',
      'a',
      '?',
    )
    const text = fc.array(piece, { maxLength: 14 }).map((all) => all.join(''))
    const stays = (path: string | readonly string[]): boolean => {
      try {
        return resolved(addressBelow(base, path).pathname).startsWith('/v2/')
      } catch (error) {
        return (error as { code?: string }).code === 'bad_path'
      }
    }
    fc.assert(
      fc.property(text, (value) => stays(`/a/${value}`) && stays(['a', value]) && stays([value, 'b'])),
      tries(2_000),
    )
  })

  it('stays at the origin and below the base path for any path', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '..',
      '.',
      '%2e',
      '%2f',
      '%5c',
      '//',
      '@',
      ':',
      'evil.example',
      '?',
      '#',
      '\t',
      '%00',
      'a',
    )
    const text = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 3 }), fc.string({ unit: anyCharacter, maxLength: 3 })))
      .map((all) => all.join(''))
    fc.assert(
      fc.property(text, (path) => {
        let address: URL
        try {
          address = addressBelow(base, path)
        } catch (error) {
          return (error as { code?: string }).code === 'bad_path'
        }
        return (
          address.origin === base.origin && address.pathname.startsWith('/v2/') && address.username === ''
        )
      }),
      tries(1_000),
    )
  })

  it('hides the query in its message', () => {
    expect(() => addressBelow(base, '/a b?token=canary')).to.throw(/^((?!canary).)*$/)
  })
})
