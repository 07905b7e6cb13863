import {
  SkillError,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  type RequestPath,
} from '../../plugin/index.ts'
import { ExpressionError } from '../../expression/index.ts'
import type { DeclaredBody, DeclaredPath, DeclaredRequest } from '../language/declared.ts'
import { queryValues, textValue, textValues, valueOf, type Values } from './values.ts'

/** Further parts of a request, such as the page. */
export type MoreOfRequest = Pick<HttpRequest, 'query' | 'accept'>

/** Sends a declared request. */
export const sendRequest = (
  http: HttpClient,
  request: DeclaredRequest,
  values: Values,
  more: MoreOfRequest = {},
): Promise<HttpResponse> => http.request(making(() => toHttpRequest(request, values, more)))

function toHttpRequest(
  { method, path, query, headers, body, accept }: DeclaredRequest,
  values: Values,
  more: MoreOfRequest,
): HttpRequest {
  return {
    method,
    path: toPath(path, values),
    query: { ...queryValues(query, values), ...more.query },
    headers: textValues(headers, values),
    ...(body && toBody(body, values)),
    accept: [...accept, ...(more.accept ?? [])],
  }
}

function toPath(path: DeclaredPath, values: Values): RequestPath {
  switch (path.kind) {
    case 'text':
      return path.text
    case 'address':
      return textValue(path.address, values) ?? ''
    case 'segments':
      return path.segments.map((segment) => textValue(segment, values) ?? '')
  }
}

function toBody(body: DeclaredBody, values: Values): Pick<HttpRequest, 'json' | 'form' | 'body'> {
  switch (body.kind) {
    case 'json':
      return { json: valueOf(body.value, values) ?? null }
    case 'form':
      return { form: textValues(body.fields, values) }
    case 'body':
      return { body: textValue(body.text, values) ?? '' }
  }
}

/** Evaluates what makes a request. Inputs that it cannot be made of are SkillError `bad_request`. */
function making<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new SkillError('bad_request', `the request cannot be made: ${error.message}`, {
      hint: 'check the inputs of the step',
      effect: 'none',
      cause: error,
    })
  }
}
