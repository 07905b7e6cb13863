import { useRef } from 'react'

/**
 * For what is made by a `POST`: the same request has the same `Idempotency-Key` until it was answered, so that whoever sends it again
 * after an answer that got lost makes nothing twice.
 */
export function useOnce() {
  const last = useRef<{ readonly body: string; readonly key: string }>(undefined)
  return {
    headersFor(body: unknown): Readonly<Record<string, string>> {
      const text = JSON.stringify(body)
      if (last.current?.body !== text) last.current = { body: text, key: crypto.randomUUID() }
      return { 'idempotency-key': last.current.key }
    },
    /** It was done: the same again is another one. */
    done(): void {
      last.current = undefined
    },
  }
}
