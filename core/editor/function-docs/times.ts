import type { Row } from './row.ts'

/** Times and durations. */
export const timeDocs: readonly Row[] = [
  [
    'timestamp(value) -> timestamp',
    'from RFC 3339 text or seconds since 1970',
    'timestamp("2026-03-01T09:00:00+01:00")',
  ],
  ['duration(value) -> duration', 'from text with `w d h m s ms us ns`, or seconds', 'duration("1h30m")'],
  [
    'time.format(pattern[, zone]) -> string',
    'as text, in UTC or in a zone',
    'timestamp("2026-07-01T08:05:09Z").format("%d %b %Y, %H:%M", "Europe/Berlin")',
  ],
  [
    'parseTime(text, pattern[, zone]) -> timestamp',
    'from text; the zone is for texts without an offset',
    'parseTime("01/Mar/2026 09:00:00", "%d/%b/%Y %H:%M:%S", "Europe/Berlin")',
  ],
  ['time.getFullYear([zone]) -> int', 'the year', 'timestamp("2026-03-01T08:05:09Z").getFullYear()'],
  ['time.getMonth([zone]) -> int', 'the month, **from 0**', 'timestamp("2026-03-01T08:05:09Z").getMonth()'],
  [
    'time.getDate([zone]) -> int',
    'the day of the month, from 1',
    'timestamp("2026-03-01T08:05:09Z").getDate()',
  ],
  [
    'time.getDayOfMonth([zone]) -> int',
    'the day of the month, **from 0**',
    'timestamp("2026-03-01T08:05:09Z").getDayOfMonth()',
  ],
  [
    'time.getDayOfWeek([zone]) -> int',
    'the day of the week, from 0 (Sunday)',
    'timestamp("2026-03-01T08:05:09Z").getDayOfWeek()',
  ],
  [
    'time.getDayOfYear([zone]) -> int',
    'the day of the year, from 0',
    'timestamp("2026-03-01T08:05:09Z").getDayOfYear()',
  ],
  [
    'time.getHours([zone]) -> int',
    'the hour of a time, or the total hours of a duration',
    'timestamp("2026-03-01T08:05:09Z").getHours("Europe/Berlin")',
  ],
  [
    'time.getMinutes([zone]) -> int',
    'the minute of a time, or the total minutes of a duration',
    'duration("90m").getMinutes()',
  ],
  [
    'time.getSeconds([zone]) -> int',
    'the second of a time, or the total seconds of a duration',
    'duration("90m").getSeconds()',
  ],
  [
    'time.getMilliseconds([zone]) -> int',
    'the milliseconds within the second',
    'timestamp("2026-03-01T08:05:09.250Z").getMilliseconds()',
  ],
]
