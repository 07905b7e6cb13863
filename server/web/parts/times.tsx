import { Tooltip } from '@mantine/core'
import { useCallback, useSyncExternalStore } from 'react'
import {
  useNow,
  isoOf,
  relativeTime,
  wholeTime,
  useZone,
  zoneName,
  currentTime,
  onTick,
  exactTime,
} from './time.ts'
import './parts.css'

/** A time in the chosen zone. The tooltip shows it with the zone and in UTC. Nothing for null. */
export function DateTime({ at, ago = false }: { readonly at: number | null; readonly ago?: boolean }) {
  const now = useNow(ago)
  const zone = useZone()
  if (at === null) return null
  const iso = isoOf(at)
  const exact = wholeTime(at, zone)
  return (
    <Tooltip label={zone === 'utc' ? iso : `${exact} ${zoneName(zone, at)} · ${iso}`} openDelay={300}>
      <time dateTime={iso}>{ago ? relativeTime(at, now) : exact}</time>
    </Tooltip>
  )
}

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
    <time className="when" dateTime={isoOf(at)} title={isoOf(at)}>
      <span>{ago}</span>
      <span className="when-exact">{exactTime(at, zone)}</span>
    </time>
  )
}
