import { expect } from 'chai'
import { extractObservables } from './extract-observables.ts'

const size = 1_000_000
/** Generous on a slow machine; anything quadratic takes minutes. */
const limitMs = 4000

const units = [
  'a.', 'a.b.', '(', '[', '@', 'a@', '@a.', '1', '1.', '1.2.3.', '1.2.3.4.', ':', 'a:', '1:', '::', 'f', 'deadbeef', 'A-', '_', '-',
  'http://', 'http://a,', 'http://)', 'http://a)', 'https://a.com/?u=', 'https://a.com/?a&', '://', 'hxxp', 'hxxp://', '[.]', 'a[.]', '(dot)', '[at]', ' [',
  'CVE-', 'CVE-2021-', 'arn:', 'arn:aws:iam::1:user/', 'a=', 'user=', 'user="', '=', '\\', '/', 'a/', '.', '%', '"', '{"a":', '{"a":1}', '{"a":1}\n', '{"a}\n', '{{ a', '[1,', '["', '\\"',
  '例え', '例a', 'ü.', 'xn--', 'xn--a.', '\u0301', '\uFDD0', '\u0000', ' ', '\n', 'a.com ', 'a@b.com ', '1.2.3.4 ', 'fe80::1 ', 'http://a.com/ ',
] // prettier-ignore

describe('indicators: hostile text', () => {
  for (const unit of units) {
    it(`of a million characters of ${JSON.stringify(unit)} is read in time`, () => {
      const text = unit.repeat(Math.ceil(size / unit.length))
      const start = performance.now()
      const found = extractObservables(text)
      expect(performance.now() - start).to.be.lessThan(limitMs)
      expect(found.all.length).to.be.lessThan(10)
    })
  }

  it('takes twice as long when it is twice as long', () => {
    const line =
      'x@evil.example http://a.evil.example/p?q=http://b.example 10.0.0.1 [.] a.b.c user=ana 2001:db8::1 '
    const time = (length: number): number => {
      const text = line.repeat(length / line.length)
      const times = Array.from({ length: 3 }, () => {
        const start = performance.now()
        extractObservables(text)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    time(100_000)
    expect(time(1_600_000) / time(200_000)).to.be.lessThan(24)
  })

  it('that is deep JSON, or many documents, is read in time', () => {
    const start = performance.now()
    expect(extractObservables('['.repeat(500_000) + ']'.repeat(500_000)).cut).to.deep.equal(['depth'])
    extractObservables('{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000))
    extractObservables(JSON.stringify(Array.from({ length: 100_000 }, () => '{"a":}')))
    extractObservables(JSON.stringify({ ['aA'.repeat(400_000)]: 'x' }))
    extractObservables(
      JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}User`, `u${i}`]))),
    )
    let nested = 'x'.repeat(1000)
    for (let level = 0; level < 12; level++) nested = JSON.stringify({ a: nested })
    extractObservables(nested)
    expect(performance.now() - start).to.be.lessThan(2 * limitMs)
  })

  it('of twelve million characters is cut, and says so', () => {
    const start = performance.now()
    expect(extractObservables('a.com '.repeat(2_000_000)).cut).to.deep.equal(['input'])
    expect(performance.now() - start).to.be.lessThan(limitMs)
  })
})
