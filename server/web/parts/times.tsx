import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'

/** `2026-11-21 18:22:36`, in the time zone of the reader: short, read alike everywhere, and in order when sorted. */
const whole = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** `5 min. ago`, `in 2 days`. */
export function relativeTime(at: number, now: number): string {
  const difference = at - now
  for (const [unit, ms] of units)
    if (Math.abs(difference) >= ms) return relative.format(Math.trunc(difference / ms), unit)
  return relative.format(0, 'second')
}

const ofThisYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const thisYear = new Date().getFullYear()

/** `21 Nov, 18:22:36`, with the year in front where it is another. */
export function exactTime(at: number): string {
  const date = new Date(at)
  return date.getFullYear() === thisYear ? ofThisYear.format(date).replace(',', '') : whole.format(date)
}

/** In UTC; as the number it is where that is no time. */
export function isoOf(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** A time in the time zone of the reader; its tooltip has it exactly, and in UTC. Nothing where there is none. */
export function Time({ at, ago = false }: { readonly at: number | null; readonly ago?: boolean }) {
  const now = useNow(ago)
  if (at === null) return null
  const date = new Date(at)
  const iso = isoOf(at)
  return (
    <Tooltip label={ago ? `${whole.format(date)} · ${iso}` : iso} openDelay={300}>
      <time dateTime={iso}>{ago ? relativeTime(at, now) : whole.format(date)}</time>
    </Tooltip>
  )
}
