import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useStableCallback } from '../parts/hooks.ts'

/** How long `g` waits for the second key. */
const waitMs = 1_500

/** Keys `g` and a letter, except while typing. */
export function useGoKeys(onKey: (letter: string) => void, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined
    let begunAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.timeStamp - begunAt < waitMs) {
        // The second key has no other meaning.
        event.preventDefault()
        onKey(event.key)
      }
      begunAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    // Before the keys of the view.
    document.addEventListener('keydown', listen, { capture: true })
    return () => document.removeEventListener('keydown', listen, { capture: true })
  }, [isOn, onKey])
}

/**
 * Single keys of a view, except while typing and below a dialog.
 *
 * @param onKey returns whether the key has a meaning
 */
export function usePlainKey(onKey: (key: string) => boolean): void {
  const [isOn] = usePlainKeys()
  const act = useStableCallback(onKey)
  useEffect(() => {
    if (!isOn) return undefined
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return
      if (document.querySelector('[role=dialog]') !== null) return
      if (act(event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [act, isOn])
}

/**
 * The text typed since the search was opened and before its field has the focus: its code may still be loading. The keys have
 * no other effect meanwhile. Empty while the search is closed.
 */
export function useTypedAhead(isSearching: boolean): string {
  const [typed, setTyped] = useState('')
  if (!isSearching && typed !== '') setTyped('')
  useEffect(() => {
    if (!isSearching) return undefined
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target))
        return
      const { key } = event
      if (key.length !== 1 && key !== 'Backspace' && key !== 'Enter') return
      event.preventDefault()
      event.stopPropagation()
      setTyped((text) => (key === 'Backspace' ? text.slice(0, -1) : key === 'Enter' ? text : text + key))
    }
    // Before all shortcuts.
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [isSearching])
  return typed
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

/** Whether single-key shortcuts are on. Speech control can type them by accident (WCAG 2.1.4). */
export function usePlainKeys() {
  return useLocalStorage({ key: 'tocsin-plain-keys', defaultValue: true, getInitialValueInEffect: false })
}

/** Name of the modifier key on this keyboard. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'
