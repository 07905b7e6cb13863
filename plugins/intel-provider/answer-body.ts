import { numberAt, SkillError, textAt, valueAt, type HttpResponse } from 'tocsin/plugin'

/**
 * Whether the enrichment service knows the indicator: false for a 404 in the service's own words, `{ error: { message, status: 404 } }`.
 * Gateways, other APIs and wrong base URLs answer 404 too; were they taken for "nothing known", every indicator would look harmless.
 * Throws SkillError `bad_response` for a 404 of any other shape.
 */
export function isKnown(response: HttpResponse): boolean {
  if (response.status !== 404) return true
  const error = valueAt(jsonIn(response), 'error')
  if (numberAt(error, 'status') === 404 && textAt(error, 'message') !== null) return false
  throw notTheProvider(response)
}

/** For an answer that the provider would not give. */
export function notTheProvider({ status }: HttpResponse): SkillError {
  return new SkillError('bad_response', `the answer (status ${status}) is not one of the provider's API`, {
    hint: 'check base_url: it ends before /v2 and must not lead to a sign-in page, nor to a proxy, which may also decode %2F in paths',
  })
}

/** The JSON in a body, or `undefined` where there is none: HTML, plain text, broken or empty. Never throws. */
export function jsonIn(response: HttpResponse): unknown {
  try {
    return response.json()
  } catch {
    return undefined
  }
}
