import { expect } from 'chai'
import { absoluteAddress, parseBase } from '../../core/skill/connection/address.ts'

describe('absoluteAddress', () => {
  it('accepts a web address and drops its fragment', () => {
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
  it('accepts an origin with a path', () => {
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
