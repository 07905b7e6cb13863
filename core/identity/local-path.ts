/** Visible ASCII that begins with exactly one slash; browsers read a backslash as a slash. */
const pattern = /^\/(?!\/)[!-[\]-~]{0,2000}$/

/** A path of this server with query and fragment, as an address to return to; undefined: it could lead to another site. */
export function localPath(text: string): string | undefined {
  const base = 'https://tocsin.invalid'
  const url = pattern.test(text) ? URL.parse(text, base) : null
  if (url === null || url.origin !== base) return undefined
  const path = `${url.pathname}${url.search}${url.hash}`
  // Dots may leave two slashes: /.//evil.example
  return pattern.test(path) ? path : undefined
}
