import { useState, type ChangeEvent } from 'react'
import { parseJson } from '../api/parse-json.ts'

type TextState = readonly [typed: string | undefined, type: (text: string) => void, ...unknown[]]

/**
 * What is typed as JSON: read when it is needed, and said at its field when it is none.
 *
 * @param state of `useState`, or of `useTyped` where it is to be kept; undefined until somebody types
 * @param initial stands there until somebody types; may become known later
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
        `This is no JSON: look for ${value.includes('…') ? 'a “…” that is to be filled in, or ' : ''}a missing quotation mark, comma or bracket.`,
    },
    /** Gives what it says to `use`, unless it is no JSON. */
    read: (use: (parsed: unknown) => void): void => {
      let parsed: unknown
      try {
        parsed = parseJson(value)
      } catch {
        setWrong(true)
        return
      }
      use(parsed)
    },
  }
}
