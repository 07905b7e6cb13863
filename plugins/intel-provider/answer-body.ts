import { isObject, type HttpResponse, type JsonObject } from 'tocsin/plugin'

/** The JSON object in a body, or `undefined` where there is none: HTML, plain text, broken or empty. Never throws. */
export function objectIn(response: HttpResponse): JsonObject | undefined {
  try {
    const body = response.json()
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a 404 is the provider saying that it knows nothing. A gateway's page and a wrong base URL answer 404 too; were they
 * taken for "nothing known", every indicator would look harmless. So HTML and plain text are not believed.
 */
export function saysNothingKnown(response: HttpResponse): boolean {
  return response.text.trim() === '' || objectIn(response) !== undefined
}
