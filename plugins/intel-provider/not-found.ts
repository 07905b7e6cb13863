import type { HttpResponse } from 'tocsin/plugin'
import { isObject } from './json.ts'

/**
 * Whether a 404 is the provider saying that it knows nothing. A gateway's page and a wrong base URL answer 404 too; were they
 * taken for "nothing known", every indicator would look harmless. So HTML and plain text are not believed.
 */
export function saysNothingKnown(response: HttpResponse): boolean {
  if (response.text.trim() === '') return true
  try {
    return isObject(response.json())
  } catch {
    return false
  }
}
