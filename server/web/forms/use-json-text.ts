import { useState, type ChangeEvent } from 'react'
import { parseJson } from '../api/parse-json.ts'

/** What is typed as JSON: read when it is needed, and said at its field when it is none. */
export function useJsonText() {
  const [value, setValue] = useState('{}')
  const [isWrong, setWrong] = useState(false)
  return {
    field: {
      value,
      onChange: (event: ChangeEvent<HTMLTextAreaElement>): void => {
        setValue(event.currentTarget.value)
        setWrong(false)
      },
      error: isWrong && 'This is no JSON: look for a missing quotation mark, comma or bracket.',
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
