import { useCallback, useSyncExternalStore } from 'react'
import { currentTime, onTick } from './now.ts'
import { exactTime, isoOf, relativeTime } from './time-texts.ts'
import './when.css'
import { useZone } from './zone.ts'

/** A time for tables: how long ago, and below it exactly; in UTC where the pointer rests. */
export function When({ at }: { readonly at: number | null }) {
  // The text, and not the time, is what is looked at each second: nothing is drawn anew until it reads differently.
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
