/** Calls `make` on first use and returns its result from then on. A rejected promise is not kept: the next use calls again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    if (made !== undefined) return made.value
    const mine = (made = { value: make() })
    if (mine.value instanceof Promise) {
      mine.value.catch(() => {
        if (made === mine) made = undefined
      })
    }
    return mine.value
  }
}
