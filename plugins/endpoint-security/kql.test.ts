import { expect } from 'chai'
import { kqlLiteral, withParameters } from './lists/kql.ts'

describe('query parameters', () => {
  it('precede the query as let statements', () => {
    expect(
      withParameters('DeviceInfo | where DeviceName == name and x in (ids)', {
        name: 'a',
        ids: [1, 'b', true],
      }),
    ).to.equal(
      'let name = "a";\nlet ids = dynamic([1, "b", true]);\nDeviceInfo | where DeviceName == name and x in (ids)',
    )
    expect(withParameters('DeviceInfo', {})).to.equal('DeviceInfo')
  })

  for (const [value, literal] of [
    ['plain', '"plain"'],
    ['', '""'],
    [5, 'long(5)'],
    [-1.5, 'real(-1.5)'],
    [1e21, 'real(1e+21)'],
    [true, 'true'],
    [[], 'dynamic([])'],
  ] as const) {
    it(`are literals: ${JSON.stringify(value)} is ${literal}`, () => {
      expect(kqlLiteral(value)).to.equal(literal)
    })
  }

  const hostile = [
    '"; DeviceInfo | take 1 //',
    '" | union DeviceLogonEvents //',
    "' or '",
    'ends with a backslash \\',
    '\\"; x',
    'line\r\nbreak',
    'separators \u2028 \u2029 \u0085',
    'nothing \u0000 \u001b[31m',
    'emoji 🔥 and tag \u{e0001}',
    '```',
    '@"verbatim"',
    'h"hidden"',
  ]
  for (const text of hostile) {
    it(`quote ${JSON.stringify(text)} without changing or breaking out of it`, () => {
      for (const literal of [kqlLiteral(text), kqlLiteral([text]).slice('dynamic(['.length, -2)]) {
        // A single string literal from the first quote to the last, in KQL as in JSON.
        expect(literal).to.match(/^"(?:[^"\\\p{Cc}\p{Zl}\p{Zp}]|\\["\\nrt]|\\u[0-9a-f]{4})*"$/u)
        expect(JSON.parse(literal)).to.equal(text)
      }
    })
  }
})
