import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useSession } from '../../session/session.ts'

/** What somebody has written and not saved. */
export interface Draft {
  /** Of the version that it was begun on; null for a new playbook. */
  readonly hash: string | null
  readonly text: string
}

/** So long nothing must be typed until it is kept: writing a long text takes a few milliseconds. */
const quietMs = 300

/**
 * Keeps what is not saved for as long as the tab is open: whoever goes elsewhere in the page finds it again.
 *
 * @param name of the playbook; null for a new one
 */
export function useDraft(name: string | null) {
  const { key_id: keyId } = useSession()
  const place = placeOf(keyId, name)
  const found = useMemo(() => read(place), [place])
  const waiting = useRef<{ readonly draft: Draft; readonly timer: number }>(undefined)
  const settle = useCallback(() => {
    if (waiting.current === undefined) return
    clearTimeout(waiting.current.timer)
    write(place, JSON.stringify(waiting.current.draft))
    waiting.current = undefined
  }, [place])
  // Who goes elsewhere does not wait.
  useEffect(() => settle, [settle])
  const keep = useCallback(
    (draft: Draft | null) => {
      clearTimeout(waiting.current?.timer)
      waiting.current = undefined
      if (draft === null) sessionStorage.removeItem(place)
      else waiting.current = { draft, timer: window.setTimeout(settle, quietMs) }
    },
    [place, settle],
  )
  /** What was not saved of this one is now that of another. */
  const handOver = useCallback(
    (other: string, draft: Draft | null) => {
      keep(null)
      if (draft !== null) write(placeOf(keyId, other), JSON.stringify(draft))
    },
    [keep, keyId],
  )
  return { found, keep, handOver }
}

const placeOf = (keyId: string, name: string | null): string => `draft ${keyId} ${name ?? ''}`

function read(place: string): Draft | undefined {
  const kept = sessionStorage.getItem(place)
  return kept === null ? undefined : (JSON.parse(kept) as Draft)
}

function write(place: string, text: string): void {
  try {
    sessionStorage.setItem(place, text)
  } catch {
    // The browser keeps no more. The question before the tab is closed remains.
  }
}
