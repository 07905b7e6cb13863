import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useSession } from '../../session/session.ts'

/** Unsaved text of a playbook. */
export interface Draft {
  /** Hash of the version that it is based on; null for a new playbook. */
  readonly hash: string | null
  readonly text: string
  /** Of the saved draft that it changes; null or absent: none. */
  readonly revision?: number | null
}

/** Pause in typing before a draft is stored, because that takes some milliseconds. */
const quietMs = 300

/**
 * Stores a draft in the session storage of the tab.
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
  // Store it at once when the view closes.
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
  /** Moves the draft to another playbook. */
  const handOver = useCallback(
    (other: string, draft: Draft | null) => {
      keep(null)
      if (draft !== null) write(placeOf(keyId, other), JSON.stringify(draft))
    },
    [keep, keyId],
  )
  return { found, keep, handOver }
}

/** The name for unsaved changes of the saved draft of a playbook. */
export const draftPlace = (name: string): string => `${name}/draft`

const placeOf = (keyId: string, name: string | null): string => `draft ${keyId} ${name ?? ''}`

function read(place: string): Draft | undefined {
  const kept = sessionStorage.getItem(place)
  return kept === null ? undefined : (JSON.parse(kept) as Draft)
}

function write(place: string, text: string): void {
  try {
    sessionStorage.setItem(place, text)
  } catch {
    // Storage is full. The browser still warns before the tab is closed.
  }
}

/** Warns before the page is closed. */
export function useLeaveWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnsaved])
}
