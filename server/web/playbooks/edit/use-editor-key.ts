import { useRef } from 'react'

/** Begins the editor anew whenever another version is there, except for the one that was saved in this very editor. */
export function useEditorKey(hash: string | undefined) {
  const at = useRef<{ hash: string | undefined; key: number; saved?: string }>({ hash, key: 0 })
  const { current } = at
  if (current.hash !== hash)
    at.current = { hash, key: current.saved === hash ? current.key : current.key + 1 }
  return {
    key: at.current.key,
    /** Told before anybody reads the version. */
    keepFor: (saved: string): void => {
      at.current.saved = saved
    },
  }
}
