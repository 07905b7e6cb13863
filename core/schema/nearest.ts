/** The candidate that was probably meant, or undefined: at most a third of the letters differ. Long names are not compared. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > 64) return undefined
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    const limit = Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3))
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/** Levenshtein's, with a neighbouring swap counted as one edit. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let distance = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + same)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) distance = Math.min(distance, cell(i - 2, j - 2) + 1)
      ;(rows[i] as number[])[j] = distance
    }
  }
  return cell(a.length, b.length)
}
