import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'
import { isoOf, relativeTime, wholeTime } from './time-texts.ts'
import { useZone, zoneName } from './zone.ts'

/** A time in the zone that the reader chose; its tooltip has it exactly, with the zone, and in UTC. Nothing where there is none. */
export function Time({ at, ago = false }: { readonly at: number | null; readonly ago?: boolean }) {
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
