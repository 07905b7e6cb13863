import { expect } from 'chai'
import { timeText } from './time-text.ts'

describe('timeText', () => {
  const rows: readonly (readonly [string | null, string | null])[] = [
    ['2026-01-12T10:15:00Z', '2026-01-12T10:15:00.000Z'],
    ['2026-01-12T10:15:00.123456Z', '2026-01-12T10:15:00.123Z'],
    ['2026-01-12T10:15:00+01:00', '2026-01-12T09:15:00.000Z'],
    ['2026-01-12T10:15:00+0100', '2026-01-12T09:15:00.000Z'],
    ['2026-03-19 21:04:55', '2026-03-19T21:04:55.000Z'],
    ['2026-03-19T21:04:55', '2026-03-19T21:04:55.000Z'],
    ['2026-03-18 22:10', '2026-03-18T22:10:00.000Z'],
    ['2026-13-19 21:04:55', null],
    ['19 Mar 2026', null],
    ['2026-03-19', null],
    ['', null],
    [null, null],
  ]
  for (const [text, expected] of rows) {
    it(`reads ${JSON.stringify(text)} as ${expected}`, () => {
      expect(timeText(text)).to.equal(expected)
    })
  }
})
