import { isObject, textAt } from 'tocsin/plugin'
import { countryCode } from './country.ts'

export interface Place {
  /** ISO 3166-1 alpha-2 where it is recognized. */
  readonly country: string | null
  readonly city: string | null
  readonly airport_code: string | null
}

export function decodePlace(place: unknown): Place | null {
  if (!isObject(place)) return null
  return {
    country: countryCode(textAt(place, 'country') ?? textAt(place, 'countryCode')),
    city: textAt(place, 'city'),
    airport_code: textAt(place, 'airportCode'),
  }
}
