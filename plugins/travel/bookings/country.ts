import { alpha3, otherNames } from './country-codes.ts'

/** Alpha-2 codes by normalized English name and alpha-3 code. Built on first use. */
let codes: ReadonlyMap<string, string> | undefined
/** Words before the common name in official names. */
const title =
  /^(?:[a-z]+ ){0,3}(?:republic|plurinational state|kingdom|states|principality|commonwealth|sultanate|duchy) of /

/**
 * The country as ISO 3166-1 alpha-2, e.g. `GB`: the platform writes codes, but does not guarantee it. Accepts
 * alpha-3 codes and English names; unknown values stay unchanged. Null for null.
 */
export function countryCode(country: string | null): string | null {
  if (country === null) return null
  const text = country.trim()
  return knownCountry(text) ?? (/^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : text)
}

/**
 * The alpha-2 code of an alpha-2 or alpha-3 code or an English name, common or official; undefined for
 * anything else.
 */
export function knownCountry(text: string): string | undefined {
  codes ??= allCodes()
  const name = plainName(text)
  return codes.get(name) ?? codes.get(plainName(name.replace(title, '')))
}

/**
 * Lower case without accents, punctuation and article; `Korea, Republic of` and `Korea (Republic of)` become
 * `republic of korea`.
 */
function plainName(text: string): string {
  // No country name is this long.
  const [first = '', ...rest] = text.slice(0, 100).split(/[,(]/)
  return [...rest, first]
    .join(' ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/\b(?:u\.s\.|u\.k\.)/g, (letters) => letters.replaceAll('.', ''))
    .replaceAll('&', ' and ')
    .replaceAll(/[^a-z]+/g, ' ')
    .trim()
    .replace(/^the /, '')
    .replaceAll(/\bst\b/g, 'saint')
}

/** `UK` is `GB`. */
function canonical(code: string): string {
  return new Intl.Locale(`und-${code}`).region ?? code
}

function allCodes(): ReadonlyMap<string, string> {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  const pairs = letters.flatMap((a) => letters.map((b) => a + b)).filter((pair) => pair !== 'ZZ')
  const found = (['short', 'long'] as const).flatMap((style) => {
    const names = new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' })
    return pairs.flatMap((pair) => {
      const code = canonical(pair)
      const name = names.of(code)
      return name === undefined ? [] : [[plainName(name), code] as const, [pair.toLowerCase(), code] as const]
    })
  })
  const three = [...alpha3.matchAll(/(\w{3}) (\w{2})/g)].map(
    ([, long = '', code = '']) => [long.toLowerCase(), code] as const,
  )
  return new Map([...found, ...three, ...Object.entries(otherNames)])
}
