import { isObject, textAt } from 'tocsin/plugin'
import { countryCode, knownCountry } from './country.ts'

export interface Place {
  /** ISO 3166-1 alpha-2 where it is recognized. */
  readonly country: string | null
  readonly city: string | null
  readonly airport_code: string | null
}

export function decodePlace(place: unknown): Place | null {
  if (!isObject(place)) return null
  return {
    country: countryOf(textAt(place, 'countryCode'), textAt(place, 'country')),
    city: textAt(place, 'city'),
    airport_code: textAt(place, 'airportCode'),
  }
}

/** The code goes before the name, where it says a country. */
function countryOf(code: string | null, name: string | null): string | null {
  return (code === null ? undefined : knownCountry(code)) ?? countryCode(name ?? code)
}
