interface Shift {
  /** By how many rows the first row in sight has moved down. */
  readonly rows: number
  /** How many rows above it were not there before. */
  readonly arrived: number
}

/**
 * How far what somebody reads has moved while rows came, left and moved.
 *
 * @param top index of the first row in sight before; where it has left, the next one counts that is still there
 */
export function findShift(before: readonly string[], after: readonly string[], top: number): Shift {
  const places = new Map(after.map((id, index) => [id, index]))
  for (let index = top; index < before.length; index++) {
    const place = places.get(before[index] ?? '')
    if (place === undefined) continue
    const known = new Set(before)
    const arrived = after.slice(0, place).filter((id) => !known.has(id)).length
    return { rows: place - index, arrived }
  }
  return { rows: 0, arrived: 0 }
}
