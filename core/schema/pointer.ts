/** Escapes a segment of a JSON pointer (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The JSON pointer made of these names and indexes. */
export function formatPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${escapePointer(String(part))}`).join('')
}
