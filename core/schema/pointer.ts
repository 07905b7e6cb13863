/** One segment of a JSON pointer (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The JSON pointer of the place that these names and indexes lead to. */
export function formatPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${escapePointer(String(part))}`).join('')
}
