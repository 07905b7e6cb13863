import { expect } from 'chai'
import * as fc from 'fast-check'
import { absoluteAddress, addressBelow, parseBase } from '../../core/skill/address.ts'
import { tries } from '../support/random.ts'

const base = new URL('https://api.example.com/v2/')

describe('addressBelow', () => {
  it('puts the path below the base', () => {
    expect(addressBelow(base, '/ip/1.2.3.4').href).to.equal('https://api.example.com/v2/ip/1.2.3.4')
    expect(addressBelow(new URL('https://api.example.com'), '/').href).to.equal('https://api.example.com/')
  })

  it('keeps what is percent-encoded as it is', () => {
    const path = `/url/${encodeURIComponent('https://evil.example/a?b#c')}`
    expect(addressBelow(base, path).href).to.equal(
      'https://api.example.com/v2/url/https%3A%2F%2Fevil.example%2Fa%3Fb%23c',
    )
  })

  it('adds the query percent-encoded, repeats lists, leaves undefined out', () => {
    const query = { a: 'x y&z', list: [1, true], none: undefined, "o'": "'+" }
    expect(addressBelow(base, '/q?k=v', query).search).to.equal(
      '?k=v&a=x%20y%26z&list=1&list=true&o%27=%27%2B',
    )
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
  ]) {
    it(`refuses ${JSON.stringify(path)}`, () => {
      expect(() => addressBelow(base, path))
        .to.throw()
        .with.property('code', 'bad_path')
    })
  }

  it('stays at the origin and below the base path, whatever the path holds', () => {
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
      .array(fc.oneof(piece, fc.string({ maxLength: 3 }), fc.string({ unit: 'binary', maxLength: 3 })))
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

  it('does not show the query in its message', () => {
    expect(() => addressBelow(base, '/a b?token=canary')).to.throw(/^((?!canary).)*$/)
  })
})

describe('absoluteAddress', () => {
  it('takes a web address and drops its fragment', () => {
    expect(absoluteAddress('https://example.com/a?b=c#d', { e: 1 }).href).to.equal(
      'https://example.com/a?b=c&e=1',
    )
  })

  for (const text of [
    '/path',
    'example.com',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://user:pass@example.com/',
    'https://',
    '',
  ]) {
    it(`refuses '${text}'`, () => {
      expect(() => absoluteAddress(text))
        .to.throw()
        .with.property('code', 'bad_path')
    })
  }
})

describe('parseBase', () => {
  it('takes an origin with a path', () => {
    expect(parseBase('https://api.example.com/v1/')?.href).to.equal('https://api.example.com/v1/')
  })

  for (const text of [
    '',
    'api.example.com',
    'ftp://api.example.com',
    'https://u:p@api.example.com',
    'https://api.example.com/?a=b',
    'https://api.example.com/#x',
  ]) {
    it(`refuses '${text}'`, () => expect(parseBase(text)).to.equal(undefined))
  }
})
