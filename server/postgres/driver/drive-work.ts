import type { Statement, Told, Work } from '../../sql/database/work.ts'
import { Skipped, Unreadable, type SentStatement } from './batch.ts'
import { failureKind } from './errors.ts'

/** How a work is done. */
export interface Driving<T> {
  /** The work asks for nothing more. Answers of its sent statements may be missing, and may still fail it. */
  readonly ended?: (value: T) => void
  /** It has ended, and all its statements are answered. */
  readonly done?: (value: T) => void
  readonly fail: (error: unknown) => void
  /** Stops the work before its next statement. */
  readonly isOver: () => boolean
  readonly ask: (statement: Statement, tell: SentStatement['tell']) => void
}

/**
 * Does a work, statement by statement; its transaction is the caller's. A work whose statement failed is told so and may throw another error, but it has failed: the transaction is lost. Of
 * failures that are not its own it is told nothing. A value that cannot be read is no failure of the statement: the work may go on.
 */
export function driveWork<T>(work: Work<T>, { ended: onEnded, done, fail, isOver, ask }: Driving<T>): void {
  let unanswered = 0
  let ended: { readonly value: T } | undefined
  const step = (next: () => IteratorResult<Statement, T>): void => {
    try {
      let result = next()
      while (result.done !== true && result.value.isSent === true) {
        unanswered++
        ask(result.value, tellSent(result.value.refuses))
        result = work.next(nothingTold)
      }
      if (result.done !== true) askParts(result.value, tell, ask)
      else end(result.value)
    } catch (error) {
      fail(error)
    }
  }
  const end = (value: T): void => {
    ended = { value }
    onEnded?.(value)
    if (unanswered === 0) done?.(value)
  }
  const tellSent =
    (refuses: Statement['refuses']): SentStatement['tell'] =>
    (answer, error) => {
      if (isOver()) return
      if (answer === undefined) return fail(error instanceof Skipped ? error.cause : error)
      const refusal = refuses?.(answer)
      if (refusal !== undefined) return fail(refusal)
      unanswered--
      if (unanswered === 0 && ended !== undefined) done?.(ended.value)
    }
  const tell: SentStatement['tell'] = (answer, error) => {
    if (isOver()) return
    if (answer !== undefined) step(() => work.next(answer))
    else if (error instanceof Unreadable) step(() => work.throw(error.cause))
    else if (error instanceof Skipped) fail(error.cause)
    else fail(failureKind(error) === 'own' ? thrownBy(work, error) : error)
  }
  step(() => work.next(undefined as never))
}

/** To works whose statement was sent only. */
const nothingTold: Told = { rows: [], count: 0 }

/** Asks for a statement, or for its parts, and tells all their answers together, or the first error. */
function askParts(statement: Statement, tell: SentStatement['tell'], ask: Driving<unknown>['ask']): void {
  const { parts } = statement
  if (parts === undefined) return ask(statement, tell)
  const answers: Told[] = []
  let left = parts.length
  for (const [index, part] of parts.entries())
    askParts(
      part,
      (answer, error) => {
        if (left === 0) return
        if (answer === undefined) {
          left = 0
          return tell(undefined, error)
        }
        answers[index] = answer
        if (--left === 0) tell({ ...nothingTold, parts: answers }, undefined)
      },
      ask,
    )
}

/** The error that a work throws for a failed statement. A work that catches the error has failed with it all the same. */
function thrownBy(work: Work<unknown>, error: unknown): unknown {
  try {
    work.throw(error)
    return error
  } catch (thrown) {
    return thrown
  }
}
