/** A double as text: like JavaScript, but for the words that CEL uses. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity'
  return Object.is(value, -0) ? '-0' : String(value)
}
