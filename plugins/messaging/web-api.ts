import {
  SkillError,
  textAt,
  valueAt,
  type HttpClient,
  type HttpResponse,
  type JsonObject,
} from 'tocsin/plugin'
import { parseObject } from './parse-object.ts'
import { webApiError } from './web-api-error.ts'

/** The methods in use. Read methods take their arguments in the query, never as JSON. */
const methods = {
  'auth.test': 'POST',
  'chat.postMessage': 'POST',
  'chat.update': 'POST',
  'conversations.history': 'GET',
  'conversations.open': 'POST',
  'users.lookupByEmail': 'GET',
} as const

export type WebApiMethod = keyof typeof methods

/** Without the charset, responses carry a warning. */
const contentType = 'application/json; charset=utf-8'

/**
 * Calls a method and returns its response if that is `ok`.
 *
 * @throws the errors of {@link HttpClient}, and of {@link webApiError} for `ok: false`
 */
export async function callWebApi(
  http: HttpClient,
  method: WebApiMethod,
  args: JsonObject = {},
): Promise<JsonObject> {
  return readAnswer(method, await requestWebApi(http, method, args))
}

export function requestWebApi(
  http: HttpClient,
  method: WebApiMethod,
  args: JsonObject = {},
): Promise<HttpResponse> {
  if (methods[method] === 'POST') {
    return http.post([method], { json: args, headers: { 'content-type': contentType } })
  }
  return http.get([method], { query: args as Readonly<Record<string, string | number>> })
}

/** Refusals have status 200 too; `ok` in the body decides. */
export function readAnswer(method: WebApiMethod, response: HttpResponse): JsonObject {
  const body = parseObject(response.text)
  const isOk = valueAt(body, 'ok')
  if (body === undefined || typeof isOk !== 'boolean') {
    throw new SkillError('bad_response', `the response to ${method} is not from the messaging system's API`, {
      hint: 'check messaging_api_url: it must not lead to a sign-in page or a proxy',
    })
  }
  if (isOk) return body
  throw webApiError(method, body, response.headers)
}

/** A required string in a response. */
export function requireText(method: WebApiMethod, part: unknown, key: string): string {
  const text = textAt(part, key)
  if (text !== null) return text
  throw new SkillError('bad_response', `the response to ${method} lacks ${key}`)
}
