/** That there was more, which is kept no longer; null: nothing was deleted. */
export function lossText(count: number, of: 'alert' | 'run'): string | null {
  if (count === 0) return null
  return count === 1
    ? `1 ${of} was deleted: it is kept no longer.`
    : `${count.toLocaleString()} ${of}s were deleted: they are kept no longer.`
}
