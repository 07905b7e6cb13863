const time = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?$/

/** The time as ISO 8601 in UTC, null for what is no time. One without a zone is taken as UTC, which the vendor's clients do too. */
export function timeText(text: string | null): string | null {
  const [, date, clock, zone = 'Z'] = time.exec(text ?? '') ?? []
  const ms = Date.parse(
    `${date}T${clock}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`,
  )
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
