/** So many a field to choose from lists at once. */
export const mostListed = 100

/** How many of so many steps a field to choose from does not list; undefined where it lists all. */
export function notListedText(total: number): string | undefined {
  const hidden = total - mostListed
  if (hidden <= 0) return undefined
  return `${hidden.toLocaleString('en')} more are not listed: type a part of the path or the state to find one.`
}
