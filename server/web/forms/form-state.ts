import {
  useCallback,
  useEffect,
  useState,
  type Dispatch,
  type FormEvent,
  type SetStateAction,
  type ChangeEvent,
  useRef,
} from 'react'
import { apiCallOnce, parseAnswer } from '../api/call.ts'
import { againIfInterrupted } from '../api/repeat.ts'

/** Unsaved input of a form. */
export interface UnsavedInput {
  /** The purpose of the input, e.g. `Note on case MAIN-2`. */
  readonly place: string
  readonly text: string
}

interface Kept {
  readonly value: unknown
  readonly text: string
}

/** By place. Only in memory: it may contain secrets. */
const kept = new Map<string, Kept>()

/** The unsaved input of all forms. */
export const allUnsavedInput = (): readonly UnsavedInput[] =>
  [...kept].map(([place, { text }]) => ({ place, text }))

/** Leaves the page without a warning. */
export function forgetUnsavedInput(): void {
  kept.clear()
}

globalThis.addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault()
})

interface TypedOptions<Value> {
  /** Unique name of the form, for people. */
  readonly place: string
  /** The initial value. Pass the same object each time. */
  readonly empty: Value
  /** The text to keep; empty if there is nothing to keep. */
  readonly textOf: (value: Value) => string
}

export const trimmedText = (text: string | undefined): string => text?.trim() ?? ''

/**
 * Like `useState`, for input of a form. It survives navigation, and the browser warns before the page is
 * closed.
 */
export function useUnsavedInput<Value>({ place, empty, textOf }: TypedOptions<Value>) {
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
  /** Also works after the form was closed. */
  const change = useCallback(
    (action: SetStateAction<Value>): void => {
      const there = kept.get(place)
      const after = typeof action === 'function' ? (action as (before: Value) => Value) : () => action
      if (there !== undefined) keep(after(there.value as Value))
      setValue(action)
    },
    [keep, place],
  )
  /** Discards the input, also after the form was closed. Input that was typed after `sent` stays. */
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

type TextState = readonly [typed: string | undefined, type: (text: string) => void, ...unknown[]]

/**
 * A field for JSON that is parsed on submit.
 *
 * @param state of `useState` or `useUnsavedInput`; undefined until something is typed
 * @param initial the value until then; may be loaded later
 */
export function useJsonText([typed, setTyped]: TextState, initial = '{}') {
  const value = typed ?? initial
  const [isWrong, setWrong] = useState(false)
  return {
    field: {
      value,
      onChange: (event: ChangeEvent<HTMLTextAreaElement>): void => {
        setTyped(event.currentTarget.value)
        setWrong(false)
      },
      error:
        isWrong &&
        `Invalid JSON: ${value.includes('…') ? 'fill in each “…”, or ' : ''}look for a missing quotation mark, comma or bracket`,
    },
    /** Parses the text and passes it on, or shows an error. */
    read: (use: (parsed: unknown) => void): void => {
      let parsed: unknown
      try {
        parsed = parseAnswer(value)
      } catch {
        setWrong(true)
        return
      }
      use(parsed)
    },
  }
}

/**
 * For a `POST` that creates something: the same body has the same `Idempotency-Key` until it succeeds, so a
 * retry creates nothing twice.
 */
export function useIdempotencyKey() {
  const last = useRef<{ readonly body: string; readonly key: string }>(undefined)
  const keyFor = (body: unknown): string => {
    const text = JSON.stringify(body)
    if (last.current?.body !== text) last.current = { body: text, key: crypto.randomUUID() }
    return last.current.key
  }
  /** The next submit is a new request, even with the same body. */
  const done = (): void => {
    last.current = undefined
  }
  return {
    headersFor: (body: unknown) => ({ 'idempotency-key': keyFor(body) }),
    /** For a change of many objects: repeated while no server answers, and continued after an interruption. */
    async send<Answer>(path: string, body: unknown): Promise<Answer> {
      const answer = await againIfInterrupted(() => apiCallOnce<Answer>(path, body, keyFor(body)), done)
      done()
      return answer
    },
    done,
  }
}

/** For `onSubmit`: the page handles the form, not the browser. */
export const handleSubmit =
  (act: () => unknown) =>
  (event: FormEvent): void => {
    event.preventDefault()
    act()
  }
