import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** `5 min. ago`, `in 2 days`. */
function relativeTime(at: number, now: number): string {
  const difference = at - now
  for (const [unit, ms] of units)
    if (Math.abs(difference) >= ms) return relative.format(Math.trunc(difference / ms), unit)
  return relative.format(0, 'second')
}

/** `850 ms`, `2.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const [large, small, inLarge, inSmall] =
    ms < 3_600_000
      ? (['min', 's', 60_000, 1_000] as const)
      : ms < 86_400_000
        ? (['h', 'min', 3_600_000, 60_000] as const)
        : (['d', 'h', 86_400_000, 3_600_000] as const)
  const rest = Math.floor((ms % inLarge) / inSmall)
  return `${Math.floor(ms / inLarge)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** A time in the time zone of the reader; its tooltip has it exactly, and in UTC. Nothing where there is none. */
export function Time({ at, ago = false }: { readonly at: number | null; readonly ago?: boolean }) {
  const now = useNow(ago)
  if (at === null) return null
  const date = new Date(at)
  const iso = Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
  return (
    <Tooltip label={ago ? `${whole.format(date)} · ${iso}` : iso} openDelay={300}>
      <time dateTime={iso}>{ago ? relativeTime(at, now) : whole.format(date)}</time>
    </Tooltip>
  )
}
