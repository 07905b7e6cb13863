/** English names of countries, in lower case, with their code. Made when first asked for. */
let codes: ReadonlyMap<string, string> | undefined

/**
 * The country as ISO 3166-1 alpha-2, e.g. `GB`: the platform writes codes, but nobody promises it. English names are understood;
 * what is not recognized stays as it is. Null for null.
 */
export function countryCode(country: string | null): string | null {
  if (country === null) return null
  const text = country.trim()
  if (/^[A-Za-z]{2}$/.test(text)) return canonical(text)
  codes ??= namesOfCountries()
  return codes.get(text.toLowerCase()) ?? text
}

/** `UK` is `GB`. */
function canonical(code: string): string {
  return new Intl.Locale(`und-${code}`).region ?? code.toUpperCase()
}

function namesOfCountries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  const found = letters
    .flatMap((a) => letters.map((b) => canonical(a + b)))
    .flatMap((code) => {
      const name = names.of(code)
      return name === undefined ? [] : [[name.toLowerCase(), code] as const]
    })
  return new Map([...found, ['united states of america', 'US']])
}
