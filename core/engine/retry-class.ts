/** Codes of errors after which it is certain that the other system did nothing. */
const refused: ReadonlySet<string> = new Set([
  'http_429',
  'rate_limited',
  'connection_refused',
  'name_not_resolved',
])

/** Whether a try that ended with this error may have taken effect all the same, as far as anyone can tell from here. */
export function mayHaveHappened(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code
  return typeof code !== 'string' || !refused.has(code)
}
