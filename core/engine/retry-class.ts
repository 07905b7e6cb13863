/** Statuses and network troubles after which it is certain that the other system did nothing. */
const refusals: ReadonlySet<string> = new Set(['http_429', 'rate_limited'])
const neverSent: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * Whether a try that ended with this error may have taken effect all the same, as far as anyone can tell from here. Takes
 * errors as thrown and as stored.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return true
  const { code, details } = error as {
    readonly code?: unknown
    readonly details?: { readonly code?: unknown }
  }
  if (code === 'network_error') return !neverSent.has(details?.code)
  return typeof code !== 'string' || !refusals.has(code)
}
