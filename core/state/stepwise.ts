/**
 * A computation that asks for something outside of it, such as rows of a database, and goes on with the answer: whether that comes at
 * once or later is not its business. `Ask` is what it asks, `Answer` what it is told.
 */
export interface Stepwise<T, Ask, Answer> {
  next(...answer: [] | [Answer]): IteratorResult<Ask, T>
  throw(error: unknown): IteratorResult<Ask, T>
  [Symbol.iterator](): Iterator<Ask, T, Answer>
}

/** The result of a computation that asks nothing. */
export function finished<T>(work: Stepwise<T, never, unknown>): T {
  const step = work.next()
  if (step.done === true) return step.value
  throw new Error('the computation asks for something')
}
