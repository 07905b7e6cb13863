import { expect } from 'chai'
import { nextTimes, writeLocalTime, type CronTimes } from '../../core/trigger/schedule.ts'
import { check } from './support.ts'

/** The next times in local time with their offset. */
function times(cron: string, timezone: string, after: string, count: number): readonly string[] {
  const found = nextTimes({ cron, timezone }, Date.parse(after), count)
  return found.map((at) => writeLocalTime(at, timezone))
}

const problemsOf = (schedule: string): readonly string[] =>
  check(`apiVersion: tocsin/v1\nname: test\non: { schedule: ${schedule} }\nsteps: [{ wait: 1s }]\n`).map(
    ({ code, message, hint }) => `${code} ${message} (${hint})`,
  )

describe('a schedule in a time zone', () => {
  it('keeps its local time when the clocks change', () => {
    expect(times('0 8 * * 1-5', 'Europe/Berlin', '2026-03-27T00:00:00Z', 3)).to.deep.equal([
      '2026-03-27T08:00:00+01:00',
      '2026-03-30T08:00:00+02:00',
      '2026-03-31T08:00:00+02:00',
    ])
    expect(times('0 9 * * *', 'Asia/Kolkata', '2026-03-27T00:00:00Z', 1)).to.deep.equal([
      '2026-03-27T09:00:00+05:30',
    ])
  })

  it('runs right after the gap, once, if the local time is skipped', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).to.deep.equal([
      '2026-03-29T03:00:00+02:00',
      '2026-03-30T02:30:00+02:00',
    ])
    expect(times('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2)).to.deep.equal([
      '2026-03-08T03:00:00-04:00',
      '2026-03-09T02:30:00-04:00',
    ])
    expect(times('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2)).to.deep.equal([
      '2026-10-04T02:30:00+11:00',
      '2026-10-05T02:15:00+11:00',
    ])
    expect(times('0,20,40 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 3)).to.deep.equal([
      '2026-03-29T03:00:00+02:00',
      '2026-03-29T03:20:00+02:00',
      '2026-03-29T03:40:00+02:00',
    ])
  })

  it('runs once, the first time, if the local time occurs twice', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).to.deep.equal([
      '2026-10-25T02:30:00+02:00',
      '2026-10-26T02:30:00+01:00',
    ])
    expect(times('30 1 * * *', 'America/New_York', '2026-11-01T05:30:00Z', 1)).to.deep.equal([
      '2026-11-02T01:30:00-05:00',
    ])
    expect(times('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00:00Z', 2)).to.deep.equal([
      '2026-04-05T01:45:00+11:00',
      '2026-04-06T01:45:00+10:30',
    ])
    expect(times('0 1,2,3 * * *', 'Europe/Berlin', '2026-10-24T22:00:00Z', 3)).to.deep.equal([
      '2026-10-25T01:00:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T03:00:00+01:00',
    ])
  })

  it('keeps an interval through a clock change', () => {
    const minutesBetween = (schedule: CronTimes, after: string): readonly number[] => {
      const found = nextTimes(schedule, Date.parse(after), 8)
      return found.slice(1).map((at, index) => (at - found[index]!) / 60_000)
    }
    const even = (minutes: number): readonly number[] => Array.from({ length: 7 }, () => minutes)
    const berlin = { cron: '*/30 * * * *', timezone: 'Europe/Berlin' }
    expect(minutesBetween(berlin, '2026-03-28T23:00:00Z')).to.deep.equal(even(30))
    expect(minutesBetween(berlin, '2026-10-24T23:00:00Z')).to.deep.equal(even(30))
    const lordHowe = { cron: '*/15 * * * *', timezone: 'Australia/Lord_Howe' }
    expect(minutesBetween(lordHowe, '2026-04-04T14:00:00Z')).to.deep.equal(even(15))
    expect(minutesBetween(lordHowe, '2026-10-03T15:00:00Z')).to.deep.equal(even(15))
  })

  it('is in UTC by default', () => {
    expect(problemsOf('{ cron: 0 8 * * *, timezone: UTC }')).to.deep.equal([])
    expect(problemsOf('{ cron: 0 8 * * *, timezone: US/Eastern }')).to.deep.equal([])
  })

  for (const [written, meant] of Object.entries({
    'Europe/Berlim': "did you mean 'Europe/Berlin'?",
    'europe/berlin': "did you mean 'Europe/Berlin'?",
    Berlin: "did you mean 'Europe/Berlin'?",
    'new york': "did you mean 'America/New_York'?",
    CET: 'write the region and a city: Europe/Berlin',
    '"+02:00"': 'write the region and a city: Europe/Berlin',
    utc: "did you mean 'UTC'?",
  })) {
    it(`refuses the unknown zone ${written}`, () => {
      expect(problemsOf(`{ cron: 0 8 * * *, timezone: ${written} }`)).to.deep.equal([
        `E330 unknown time zone '${written.replaceAll('"', '')}' (${meant})`,
      ])
    })
  }
})
