import { Tooltip } from '@mantine/core'
import { useCallback, useSyncExternalStore } from 'react'
import {
  useNow,
  isoOf,
  relativeTime,
  wholeTime,
  useZone,
  zonedTime,
  type Zone,
  currentTime,
  onTick,
  exactTime,
} from './time.ts'
import './parts.css'

/** A time in the chosen zone. The tooltip shows it with the zone. Nothing for null. */
export function DateTime({ at, ago = false }: { readonly at: number | null; readonly ago?: boolean }) {
  const now = useNow(ago)
  const zone = useZone()
  if (at === null) return null
  return (
    <Tooltip label={tooltipOf(at, zone)} openDelay={300}>
      <time dateTime={isoOf(at)}>{ago ? relativeTime(at, now) : wholeTime(at, zone)}</time>
    </Tooltip>
  )
}

/** With the zone; in local time, also in UTC as logs write it. */
const tooltipOf = (at: number, zone: Zone): string =>
  zone === 'utc' ? zonedTime(at, zone) : `${zonedTime(at, zone)} · ${isoOf(at)}`

/** A time for tables: relative and exact. */
export function TableTime({ at }: { readonly at: number | null }) {
  // Compare the text, so that nothing renders until it changes.
  const ago = useSyncExternalStore(
    onTick,
    useCallback(() => (at === null ? '' : relativeTime(at, currentTime())), [at]),
  )
  const zone = useZone()
  if (at === null) return null
  return (
    <time className="when" dateTime={isoOf(at)} title={tooltipOf(at, zone)}>
      <span>{ago}</span>
      <span className="when-exact">{exactTime(at, zone)}</span>
    </time>
  )
}
