import { useEffect } from 'react'

/** So long `g` waits for its second key. */
const waitMs = 1_500

/** `g`, then a letter, goes somewhere; nowhere while somebody types. */
export function useGoKeys(onKey: (letter: string) => void, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined
    let begunAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.timeStamp - begunAt < waitMs) onKey(event.key)
      begunAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn, onKey])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}
