import { numberAt, SkillError, textAt, valueAt, type HttpResponse } from 'tocsin/plugin'

/**
 * Whether the enrichment service knows the indicator: false for the service's own 404, `{ error: { message,
 * status: 404 } }`. Gateways, other APIs and wrong base URLs answer 404 too, and would make every indicator
 * look harmless. Throws SkillError `bad_response` for any other 404.
 */
export function isKnown(response: HttpResponse): boolean {
  if (response.status !== 404) return true
  const error = valueAt(jsonIn(response), 'error')
  if (numberAt(error, 'status') === 404 && textAt(error, 'message') !== null) return false
  throw notTheProvider(response)
}

/** For a response that cannot come from the provider. */
export function notTheProvider({ status }: HttpResponse): SkillError {
  return new SkillError('bad_response', `the response (status ${status}) is not from the provider's API`, {
    hint: 'check base_url: it ends before /v2 and must not lead to a sign-in page or a proxy, which may also decode %2F in paths',
  })
}

/** The parsed JSON body, or `undefined` for HTML, plain text, broken JSON or an empty body. Never throws. */
export function jsonIn(response: HttpResponse): unknown {
  try {
    return response.json()
  } catch {
    return undefined
  }
}
