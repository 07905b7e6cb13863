/** A year. */
const maxMinutes = 525_600

/** `90` minutes as `1h30m`; whole days as `2d`; null: empty. */
export function minutesText(minutes: number | null): string {
  if (minutes === null) return ''
  if (minutes % 1_440 === 0) return `${minutes / 1_440}d`
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  return `${hours === 0 ? '' : `${hours}h`}${rest === 0 ? '' : `${rest}m`}`
}

/** The minutes of a time such as `15m`, `4h` or `2d`; null: empty; undefined: not such a time of at most a year. */
export function readMinutes(text: string): number | null | undefined {
  const given = text.trim()
  if (given === '') return null
  const [whole, days = '0', hours = '0', rest = '0'] =
    /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?$/.exec(given) ?? []
  if (whole === undefined) return undefined
  const minutes = Number(days) * 1_440 + Number(hours) * 60 + Number(rest)
  return minutes >= 1 && minutes <= maxMinutes ? minutes : undefined
}
