import { isObject, textAt } from 'tocsin/plugin'
import { countryCode, knownCountry } from './country.ts'

export interface TripPlace {
  /** ISO 3166-1 alpha-2 if recognized. */
  readonly country: string | null
  readonly city: string | null
  readonly airport_code: string | null
}

export function decodePlace(place: unknown): TripPlace | null {
  if (!isObject(place)) return null
  return {
    country: countryOf(textAt(place, 'countryCode'), textAt(place, 'country')),
    city: textAt(place, 'city'),
    airport_code: textAt(place, 'airportCode'),
  }
}

/** The code takes precedence over the name if it is a country code. */
function countryOf(code: string | null, name: string | null): string | null {
  return (code === null ? undefined : knownCountry(code)) ?? countryCode(name ?? code)
}
