import { expect } from 'chai'
import { extractObservables } from './extract-observables.ts'
import type { Extraction } from './observables.ts'

const size = 200_000
/** Generous for slow machines; quadratic code takes many times as long. */
const limitMs = 1000

/** CPU time in milliseconds, so that other programs do not count. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function readInTime(text: string, ms = limitMs): Extraction {
  let found: Extraction | undefined
  expect(timeOf(() => (found = extractObservables(text)))).to.be.lessThan(ms)
  return found!
}

const units = [
  'a.', 'a.b.', '(', '[', '@', 'a@', '@a.', '1', '1.', '1.2.3.', '1.2.3.4.', ':', 'a:', '1:', '::', 'f', 'deadbeef', 'A-', '_', '-',
  'http://', 'http://a,', 'http://)', 'http://a)', 'https://a.com/?u=', 'https://a.com/?a&', '://', 'hxxp', 'hxxp://', '[.]', 'a[.]', '(dot)', '[at]', ' [',
  'CVE-', 'CVE-2021-', 'arn:', 'arn:aws:iam::1:user/', 'a=', 'user=', 'user="', '=', '\\', '/', 'a/', '.', '%', '"', '{"a":', '{"a":1}', '{"a":1}\n', '{"a}\n', '{{ a', '[1,', '["', '\\"',
  '例え', '例a', 'ü.', 'xn--', 'xn--a.', '\u0301', '\uFDD0', '\u0000', ' ', '\n', 'a.com ', 'a@b.com ', '1.2.3.4 ', 'fe80::1 ', 'http://a.com/ ',
  '<a', '<a>', '<a></a>', '<user>b</user>', '<a b="', '<!--', '<![CDATA[', '</', '&#', '&amp;', 'User: ab\n', 'user:\n', 'a: ', ' a:', 'a = b, ', "user='",
  'LEEF:1.0|', 'LEEF:2.0|a|b|c|d|^|', 'LEEF:1.0|a|b|c|d|', 'a(', 'a.com(', '-enc ', '-enc A', '-e QUFBQUFBQUFBQUFBQUFB ', '/enc', 'atob(\'', 'echo A', 'QUFB', 'imphash ', 'f34d5f2d4577ed6d9ceec516c1f5a744 ', 'a-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa f34d5f2d4577ed6d9ceec516c1f5a744=', 'ja3 hash ', '3:abc:', '=?', '=?a?b?', '\n--b', '=3D', '=\n', '""', 'user,""', 'a: b\n ',
] // prettier-ignore

/** Texts that look like a known format at first and then do not end. */
const openings: readonly (readonly [start: string, unit: string])[] = [
  ['user,host\n', 'a,b\n'], ['user,host\n', '"'], ['user,host\n', '""'], ['user,host\n"', '""'], ['user,host\n', ','], ['user,host\n', '\n'], ['user,host\n"', 'a,'],
  ['From: a\nTo: b\nSubject: c\n', ' folded\n'], ['From: a\nTo: b\nSubject: c\n', 'X-A: b\n'], ['From: a\nTo: b\nSubject: ', '=?utf-8?B?'], ['From: a\nTo: b\nSubject: ', '=?utf-8?Q?=3D?= '],
  ['From: a\nTo: b\nContent-Transfer-Encoding: quoted-printable\n\n', '=3D'], ['From: a\nTo: b\nContent-Transfer-Encoding: quoted-printable\n\n', '= '], ['From: a\nTo: b\nContent-Transfer-Encoding: base64\n\n', 'QUFB'],
  ['From: a\nTo: b\nContent-Type: multipart/mixed; boundary=b\n\n', '--b\n'], ['From: a\nTo: b\nContent-Type: multipart/mixed; boundary=b\n\n', '--b\nContent-Type: multipart/mixed; boundary=b\n\n'],
  ['From: a\nTo: b\nContent-Type: text/html\n\n', '&#38;'], ['<a>', '&amp;lt;a&amp;gt;'], ['<a><user>', '<'], ['powershell -enc ', 'A'], ['powershell -enc ', 'QUFB -enc '], ["FromBase64String('", 'QUFB'],
] // prettier-ignore

describe('indicators: hostile text', () => {
  for (const unit of units) {
    it(`with many repetitions of ${JSON.stringify(unit)} is read in bounded time`, () => {
      const text = unit.repeat(Math.ceil(size / unit.length))
      expect(readInTime(text).all.length).to.be.lessThan(10)
    })
  }

  for (const [start, unit] of openings) {
    it(`with ${JSON.stringify(start)} followed by many ${JSON.stringify(unit)} is read in bounded time`, () => {
      const text = start + unit.repeat(Math.ceil(size / unit.length))
      expect(readInTime(text).all.length).to.be.lessThan(10)
    })
  }

  it('nested in repeatedly escaped XML is read in bounded time', () => {
    let text = '<user>ana</user>'.repeat(4_000)
    for (let level = 0; level < 6 && text.length < size; level++)
      text = `<a><b>${text.replaceAll('<', '&lt;')}</b></a>`
    expect(readInTime(text).user.length).to.be.lessThan(2)
  })

  it('is data even in names of elements, headings and keys', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const name of names) {
      extractObservables(`<a><${name}>x</${name}></a>`)
      extractObservables(`user,${name}\nana,x`)
      extractObservables(`${name}: x\nuser: ana`)
    }
    expect(extractObservables('user,__proto__,host\nana,x,ws-1')).to.deep.include({
      user: ['ana'],
      host: ['ws-1'],
    })
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined)
  })

  it('takes linear time', () => {
    const line =
      'x@evil.example http://a.evil.example/p?q=http://b.example 10.0.0.1 [.] a.b.c user=ana 2001:db8::1 '
    const time = (length: number): number => {
      const text = line.repeat(length / line.length)
      return Math.min(...Array.from({ length: 3 }, () => timeOf(() => extractObservables(text))))
    }
    time(100_000)
    expect(time(800_000) / time(100_000)).to.be.lessThan(24)
  })

  it('of deep JSON or many documents is read in bounded time', () => {
    expect(readInTime('['.repeat(500_000) + ']'.repeat(500_000)).cut).to.deep.equal(['depth'])
    readInTime('{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000))
    readInTime(JSON.stringify(Array.from({ length: 10_000 }, () => '{"a":}')))
    readInTime(JSON.stringify({ ['aA'.repeat(400_000)]: 'x' }))
    const many = Array.from({ length: 20_000 }, (_, i) => [`k${i}User`, `u${i}`])
    readInTime(JSON.stringify(Object.fromEntries(many)))
    let nested = 'x'.repeat(1000)
    for (let level = 0; level < 12; level++) nested = JSON.stringify({ a: nested })
    readInTime(nested)
  })

  it('of twelve million characters is truncated, and the result reports it', () => {
    expect(readInTime('a.com '.repeat(2_000_000), 4 * limitMs).cut).to.deep.equal(['input'])
  })
})
