import { expect } from 'chai'
import {
  normalizeAll,
  normalizeObservable,
  parseObservable,
} from '../../core/observable/normalize-observable.ts'
import type { ObservableKind } from '../../core/plugin/index.ts'

describe('spelling of observables', () => {
  const value = (kind: ObservableKind, text: string) => normalizeObservable(kind, text)?.value

  it('is the same for the same address, host, user, hash and CVE', () => {
    expect(value('ip', ' 2001:DB8:0:0::1 ')).to.equal('2001:db8::1')
    expect(value('ip', '::ffff:203.0.113.9')).to.equal('203.0.113.9')
    expect(value('host', 'WS-7')).to.equal('ws-7')
    expect(value('user', String.raw`ACME\Ana`)).to.equal(String.raw`acme\ana`)
    expect(value('vulnerability', 'cve-2021-44228')).to.equal('CVE-2021-44228')
  })

  it('keeps the letter case of a URL', () => {
    expect(value('url', 'https://a.example/Path?Q=1')).to.equal('https://a.example/Path?Q=1')
  })

  it('does not exist for values that no index should have', () => {
    const wrong = ['', ' ', 'a'.repeat(501), 'a'.repeat(65_536), 'a\0b', 'a\nb', 'a\ud800', '\u001b[31m']
    for (const text of wrong)
      expect(value('user', text), JSON.stringify(text.slice(0, 9))).to.equal(undefined)
  })

  it('is read from a kind, a colon and a value', () => {
    expect(parseObservable('url:https://a.example:8080/x')).to.deep.equal({
      kind: 'url',
      value: 'https://a.example:8080/x',
    })
    for (const text of ['203.0.113.9', 'ip', 'ip:', 'address:203.0.113.9', ''])
      expect(parseObservable(text)).to.equal(undefined)
  })

  it('is bounded: of thousands of values, the first ones are kept', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => ({ kind: 'host', value: `H${n >> 1}` }) as const)
    const kept = normalizeAll(many, 100)
    expect([kept.length, kept[0], kept.at(-1)]).to.deep.equal([
      100,
      { kind: 'host', value: 'h0' },
      { kind: 'host', value: 'h99' },
    ])
  })
})
