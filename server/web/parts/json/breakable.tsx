import { Fragment, type ReactNode } from 'react'
import { nameParts } from '../name-parts.ts'

/** A name that goes on in the next line between its parts rather than within a word. */
export function breakable(name: string): ReactNode {
  const [first, ...others] = nameParts(name)
  if (others.length === 0) return name
  return (
    <>
      {first}
      {others.map((part, index) => (
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  )
}
