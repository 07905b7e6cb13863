/** Longest wait in seconds. */
const maxWaitSeconds = 60

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), at most 60. Undefined for a missing or unreadable preference:
 * it is never a reason to refuse a request.
 */
export function preferredWait(prefer: string | string[] | undefined): number | undefined {
  if (prefer === undefined) return undefined
  const preferences = String(prefer).split(',')
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(preference) ?? []
    if (seconds !== undefined) return Math.min(Number(seconds), maxWaitSeconds)
  }
  return undefined
}
