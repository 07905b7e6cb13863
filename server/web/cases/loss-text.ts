/** That there was more, which is kept no longer; null: nothing was deleted. */
export function lossText(count: number, of: 'alert' | 'run'): string | null {
  if (count === 0) return null
  return count === 1
    ? `1 ${of} deleted by retention policy`
    : `${count.toLocaleString()} ${of}s deleted by retention policy`
}
