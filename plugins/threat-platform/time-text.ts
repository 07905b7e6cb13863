const time = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?$/

/**
 * The time as ISO 8601 in UTC, null if the text is no time. A time without a zone is read as UTC, as in the
 * vendor's clients.
 */
export function timeText(text: string | null): string | null {
  const [, date, clock, zone = 'Z'] = time.exec(text ?? '') ?? []
  const ms = Date.parse(
    `${date}T${clock}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`,
  )
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
