import { useSyncExternalStore } from 'react'

/** In which time zone times are shown: that of the reader, or UTC. */
export type Zone = 'local' | 'utc'

const keptAs = 'tocsin-zone'
const listeners = new Set<() => void>()
let zone: Zone = readKept()

/** A browser may keep nothing for a page. */
function readKept(): Zone {
  try {
    return localStorage.getItem(keptAs) === 'utc' ? 'utc' : 'local'
  } catch {
    return 'local'
  }
}

/** Chooses the zone of all times, here and, kept in this browser, the next time. */
export function showTimesIn(chosen: Zone): void {
  zone = chosen
  try {
    localStorage.setItem(keptAs, chosen)
  } catch {
    // Then it holds until the page is left.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useZone(): Zone {
  return useSyncExternalStore(subscribe, () => zone)
}

/** `UTC`, `UTC+1`, `UTC-3:30`: the zone as it is at this time of the year. */
export function zoneName(of: Zone, at: number): string {
  const minutes = of === 'utc' ? 0 : -new Date(at).getTimezoneOffset()
  if (minutes === 0 || Number.isNaN(minutes)) return 'UTC'
  const rest = Math.abs(minutes) % 60
  const hours = Math.trunc(Math.abs(minutes) / 60)
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}
