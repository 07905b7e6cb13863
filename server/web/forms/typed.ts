import { useCallback, useEffect, useState, type Dispatch, type SetStateAction } from 'react'

/** What was typed and not sent, for people. */
export interface Typed {
  /** What it was typed for, e.g. `Note on case MAIN-2`. */
  readonly place: string
  readonly text: string
}

interface Kept {
  readonly value: unknown
  readonly text: string
}

/** By place. In the memory of the page alone: there may be secrets in it. */
const kept = new Map<string, Kept>()

/** What was typed and not sent, in whichever form. */
export const allTyped = (): readonly Typed[] => [...kept].map(([place, { text }]) => ({ place, text }))

/** The page is left without a question. */
export function forgetTyped(): void {
  kept.clear()
}

globalThis.addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault()
})

interface TypedOptions<Value> {
  /** What it is typed for, for people; one form has it. */
  readonly place: string
  /** As long as nothing is typed; the same one each time. */
  readonly empty: Value
  /** What of it is worth keeping, for people; an empty text: nothing. */
  readonly textOf: (value: Value) => string
}

/** Of plain text, what is worth keeping. */
export const typedText = (text: string | undefined): string => text?.trim() ?? ''

/**
 * As `useState`, for what is typed in a form: whoever goes elsewhere in the page finds it again, and is asked before the page
 * itself is left.
 */
export function useTyped<Value>({ place, empty, textOf }: TypedOptions<Value>) {
  const [value, setValue] = useState<Value>(() => (kept.get(place)?.value ?? empty) as Value)
  const keep = useCallback(
    (now: Value): void => {
      const text = textOf(now)
      if (text === '') kept.delete(place)
      else kept.set(place, { value: now, text })
    },
    [place, textOf],
  )
  useEffect(() => keep(value), [keep, value])
  /** Also where the form is gone: of what is still kept then. */
  const change = useCallback(
    (action: SetStateAction<Value>): void => {
      const there = kept.get(place)
      const after = typeof action === 'function' ? (action as (before: Value) => Value) : () => action
      if (there !== undefined) keep(after(there.value as Value))
      setValue(action)
    },
    [keep, place],
  )
  /** It is not to be kept any more, also where the form is gone. What was typed since `sent` stays. */
  const forget = useCallback(
    (sent?: Value): void => {
      const isSent = (now: unknown): boolean => sent === undefined || now === sent
      if (isSent(kept.get(place)?.value)) kept.delete(place)
      setValue((now) => (isSent(now) ? empty : now))
    },
    [empty, place],
  )
  return [value, change, forget] as const satisfies readonly [
    Value,
    Dispatch<SetStateAction<Value>>,
    typeof forget,
  ]
}
