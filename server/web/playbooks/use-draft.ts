import { useCallback, useMemo } from 'react'
import { useSession } from '../session/session.ts'

/** What somebody has written and not saved. */
export interface Draft {
  /** Of the version that it was begun on; null for a new playbook. */
  readonly hash: string | null
  readonly text: string
}

/**
 * Keeps what is not saved for as long as the tab is open: whoever goes elsewhere in the page finds it again.
 *
 * @param name of the playbook; null for a new one
 */
export function useDraft(name: string | null) {
  const { key_id: keyId } = useSession()
  const place = `draft ${keyId} ${name ?? ''}`
  const found = useMemo(() => read(place), [place])
  const keep = useCallback((draft: Draft) => write(place, JSON.stringify(draft)), [place])
  const drop = useCallback(() => sessionStorage.removeItem(place), [place])
  return { found, keep, drop }
}

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
