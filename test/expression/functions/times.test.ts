import { expect } from 'chai'
import fc from 'fast-check'
import { tries } from '../../support/random.ts'
import { problems } from '../checked.ts'
import { evaluate, failure } from '../evaluated.ts'

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  '-03:30',
]
const someTime = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 })

/** The local time according to JavaScript's Date. */
function localTime(seconds: number, timeZone: string): string {
  const written = new Date(seconds * 1000).toLocaleString('sv-SE', { timeZone })
  return written.length === 19 ? written : written.slice(0, 19)
}

describe('times in zones', () => {
  it('have the local time that the clocks show', () => {
    fc.assert(
      fc.property(someTime, fc.constantFrom(...zones.slice(0, -1)), (x, zone) => {
        expect(evaluate('timestamp(x).format("%F %T", zone)', { x, zone })).to.equal(localTime(x, zone))
        const hour = Number(localTime(x, zone).slice(11, 13))
        expect(evaluate('timestamp(x).getHours(zone)', { x, zone })).to.equal(hour)
      }),
      tries(50),
    )
  })

  it('are read as they are written, as the first one if there are two', () => {
    fc.assert(
      fc.property(someTime, fc.constantFrom(...zones), (x, zone) => {
        const scope = { x, zone }
        const read = evaluate('int(parseTime(timestamp(x).format("%F %T", zone), "%F %T", zone))', scope)
        const same = evaluate('timestamp(x).format("%F %T", zone) == timestamp(y).format("%F %T", zone)', {
          ...scope,
          y: read,
        })
        expect(same).to.equal(true)
        expect(read).to.be.at.most(x)
        // Older offsets have seconds.
        if (x < 0) return
        expect(evaluate('int(parseTime(timestamp(x).format("%F %T %z", zone), "%F %T %z"))', scope)).to.equal(
          x,
        )
      }),
      tries(50),
    )
  })

  it('that occur twice are the first, and that never occur are later', () => {
    const read = (text: string, zone: string): unknown =>
      evaluate('parseTime(text, "%F %R", zone)', { text, zone })
    expect(read('2026-10-25 02:30', 'Europe/Berlin')).to.equal('2026-10-25T00:30:00Z')
    expect(read('2026-10-25 03:00', 'Europe/Berlin')).to.equal('2026-10-25T02:00:00Z')
    expect(read('2026-03-29 02:30', 'Europe/Berlin')).to.equal('2026-03-29T01:30:00Z')
    expect(read('2026-03-29 03:00', 'Europe/Berlin')).to.equal('2026-03-29T01:00:00Z')
    // Samoa skipped a whole day.
    expect(read('2011-12-30 12:00', 'Pacific/Apia')).to.equal('2011-12-30T22:00:00Z')
    expect(read('1890-01-01 00:00', 'Europe/Berlin')).to.equal('1889-12-31T23:06:32Z')
  })

  it('do not exist under other names', () => {
    expect(problems('now.getHours("Europe/Berlim")')[0]).to.include('did you mean Europe/Berlin?')
    expect(problems('now.format("%H", "berlin")')[0]).to.include('did you mean Europe/Berlin?')
    expect(problems('now.getDate("CEST")')[0]).to.include("'CEST' is not a time zone")
    for (const zone of ['Mars/Olympus', 'CEST', 'x'.repeat(100_000), '+25:00', 'Europe/Berlin\0', '../etc'])
      expect(failure('timestamp(0).getHours(zone)', { zone }).code, zone.slice(0, 20)).to.equal(
        'expression_invalid_argument',
      )
  })

  it('cost their rules once', () => {
    const scope = { x: Array.from({ length: 3000 }, (_, at) => at * 86_400) }
    expect(evaluate('x.filter(t, timestamp(t).getHours("Europe/Berlin") == 1).size() > 100', scope)).to.equal(
      true,
    )
    const names = Array.from({ length: 1000 }, (_, at) => `Europe/B${at}`)
    expect(failure('x.all(z, timestamp(0).getHours(z) == 0 || true)', { x: names }).code).to.equal(
      'expression_fuel_exhausted',
    )
  })
})

describe('patterns of times', () => {
  it('write every part', () => {
    const time = 'timestamp("2026-01-04T20:05:09.25Z")'
    expect(
      evaluate(`${time}.format("%-d.%-m.%y|%e|%j|%I:%M:%S %p|%L %f|%a %A %u|%b %B|%G-W%V|%z %:z %Z|%s|%%")`),
    ).to.equal(
      '4.1.26| 4|004|08:05:09 PM|250 250000|Sun Sunday 7|Jan January|2026-W01|+0000 +00:00 UTC|1767557109|%',
    )
    expect(evaluate('x.format("%F")', { x: '2026-01-04T23:30:00-05:00' })).to.equal('2026-01-05')
  })

  it('read the times of logs', () => {
    for (const [text, pattern, wanted] of [
      ['01/Mar/2026:09:05:09 +0100', '%d/%b/%Y:%H:%M:%S %z', '2026-03-01T08:05:09Z'],
      ['Sun, 1 March 2026 8:05 p.m.', '%a, %d %B %Y %I:%M %p', '2026-03-01T20:05:00Z'],
      ['2026 Mar  1 08:05:09', '%Y %b %e %T', '2026-03-01T08:05:09Z'],
      ['1772352309.125', '%s.%f', '2026-03-01T08:05:09.125Z'],
      ['20260301T080509Z', '%Y%m%dT%H%M%S%z', '2026-03-01T08:05:09Z'],
      ['2026-060 12 AM', '%Y-%j %I %p', '2026-03-01T00:00:00Z'],
      ['3/1/26', '%m/%d/%y', '2026-03-01T00:00:00Z'],
      ['2026-03-01 17:00 Asia/Tokyo', '%F %R %Z', '2026-03-01T08:00:00Z'],
      ['2026-03-01 08:00 GMT', '%F %R %Z', '2026-03-01T08:00:00Z'],
      ['2026', '%Y', '2026-01-01T00:00:00Z'],
    ] as const)
      expect(evaluate('parseTime(text, pattern)', { text, pattern }), text).to.equal(wanted)
  })

  it('refuse texts that do not fit', () => {
    for (const [text, pattern, message] of [
      ['2026-02-30', '%F', 'a date that does not exist'],
      ['2025-366', '%Y-%j', 'a date that does not exist'],
      ['2026-13-01', '%F', 'expected %m at position 5'],
      ['2026-03', '%F', "expected '-' at position 7"],
      ['2026-03-01x', '%F', "'x' is left over"],
      ['x'.repeat(1000), '%F', 'longer than 200'],
      ['2026-03-01', '%F'.repeat(200), 'longer than 200'],
      ['2026 25', '%Y %H', 'expected %H'],
      ['2026 CEST', '%Y %Z', 'is not a time zone'],
    ] as const)
      expect(failure('parseTime(text, pattern)', { text, pattern }).message, text).to.include(message)
  })

  it('are checked before the run', () => {
    expect(problems('now.format("yyyy-MM-dd HH:mm:ss")')[0]).to.include('write "%Y-%m-%d %H:%M:%S"')
    expect(problems('now.format("%q")')[0]).to.include("'%q' is not a part of a time")
    expect(problems('parseTime(alert.id, "%b %d %T")')[0]).to.include('the pattern has no year')
    expect(problems('parseTime(alert.id, "%G-W%V")')[0]).to.include('can only be written, not parsed')
    expect(problems('"a %s".format(alert.id)')).to.deep.equal([
      'wrong_type: alert.id: format() expects list, found string (put it into a list: [x])',
    ])
    expect(
      problems('b.created_at.format("%F", "Europe/Berlin") + parseTime(alert.id, "%F").format("%F")'),
    ).to.deep.equal([])
    expect(problems('now.format(["a"])')[0]).to.include('format() expects string')
  })
})
