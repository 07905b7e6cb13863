/** So many a field to choose from lists at once. */
export const mostListed = 100

/** How many of so many steps a field to choose from does not list; undefined where it lists all. */
export function notListedText(total: number): string | undefined {
  const hidden = total - mostListed
  if (hidden <= 0) return undefined
  return `${hidden.toLocaleString('en')} more not listed: type part of a path or state to find one`
}
