import { ExpressionError, type Program } from '../../expression/index.ts'
import {
  ConnectionError,
  isObject,
  RetryableError,
  SkillError,
  pathText,
  type Effect,
  type ExplainedError,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  type MultipartPart,
  type RequestPath,
} from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type {
  DeclaredBody,
  DeclaredConnection,
  DeclaredError,
  DeclaredPart,
  DeclaredPath,
  DeclaredRequest,
} from '../language/declared.ts'
import { answerValue, queryValues, reading, textValue, textValues, valueOf, type Values } from './values.ts'
import { loadXml } from './xml.ts'

/** Further parts of a request, such as the page. */
export interface MoreOfRequest extends Pick<HttpRequest, 'query' | 'accept' | 'reads'> {
  /** Fields of the JSON body. */
  readonly json?: Readonly<Record<string, unknown>>
}

/** How a connection reads its answers. */
export type AnswerRules = Pick<DeclaredConnection, 'errors' | 'xml'>

/** Sends the declared requests of a call, and reads their answers. */
export interface Sender {
  readonly send: (request: DeclaredRequest, values: Values, more?: MoreOfRequest) => Promise<HttpResponse>
  /** An answer as expressions read it. */
  readonly answer: (response: HttpResponse) => Values
  /**
   * Evaluates an expression that reads answers; this is the latest one. Throws SkillError `bad_response` if
   * they lack a field that an expression needs.
   */
  readonly reading: <T>(response: HttpResponse | undefined, read: () => T) => T
}

/**
 * Sends requests through a client. An answer with a success status is also an error if one of `errors`
 * matches.
 */
export function createSender(http: HttpClient, { errors, xml }: AnswerRules): Sender {
  const answer = (response: HttpResponse) => answerValue(response, xml)
  // These also apply to accepted statuses: with bad credentials, a 404 does not mean that the
  // object is missing.
  const ofCredentials = errors.filter(({ error }) => error === 'credentials')
  let hasChanged = false
  return {
    answer,
    reading: (response, read) => reading(response, xml, read),
    async send(request, values, more = {}) {
      const wanted = making(() => toHttpRequest(request, values, more), hasChanged ? 'unknown' : 'none')
      if (xml) await loadXml()
      hasChanged ||= more.reads !== true && request.method !== 'GET' && request.method !== 'HEAD'
      const response = await http.request(wanted)
      refuseErrors(answer, response, response.status < 300 ? errors : ofCredentials)
      return response
    },
  }
}

/** Throws the error that an answer with a good or accepted status contains. */
function refuseErrors(
  answer: Sender['answer'],
  response: HttpResponse,
  errors: readonly DeclaredError[],
): void {
  if (errors.every(({ error }) => error === undefined)) return
  const explained = explain(errors, answer(response))
  if (explained?.error === undefined) return
  const { error, message = 'the other system refused the request', ...options } = explained
  if (error === 'credentials') throw new ConnectionError(error, message, options)
  if (error === 'refused') throw new SkillError(error, message, options)
  throw new RetryableError(error, message, options)
}

/** The first explanation of an answer whose condition holds. */
export function explain(errors: readonly DeclaredError[], response: Values): ExplainedError | undefined {
  const values = { response }
  const found = errors.find(({ when }) => conditionHolds(when, values))
  return (
    found && {
      message: textValue(found.message, values),
      hint: textValue(found.hint, values),
      effect: found.effect,
      error: found.error,
    }
  )
}

/** Whether a condition is true. A condition that reads a missing field is false. */
export function conditionHolds(condition: Program, values: Values): boolean {
  try {
    return condition.evaluate(values) === true
  } catch {
    return false
  }
}

function toHttpRequest(
  { method, host, path, query, headers, body, accept }: DeclaredRequest,
  values: Values,
  more: MoreOfRequest,
): HttpRequest {
  return {
    method,
    path: toPath(path, values),
    ...(host !== undefined && { host }),
    query: { ...queryValues(query, values), ...more.query },
    headers: textValues(headers, values),
    ...withFields(body ? toBody(body, values) : {}, more.json),
    accept: [...accept, ...(more.accept ?? [])],
    ...(more.reads && { reads: true }),
  }
}

/** Adds fields to a JSON body. */
function withFields<Body extends Pick<HttpRequest, 'json'>>(body: Body, fields: MoreOfRequest['json']): Body {
  if (fields === undefined) return body
  return { ...body, json: { ...(isObject(body.json) ? body.json : {}), ...fields } }
}

function toPath(path: DeclaredPath, values: Values): RequestPath {
  switch (path.kind) {
    case 'text':
      return path.text
    case 'address':
      return textValue(path.address, values) ?? ''
    case 'segments': {
      const segments = path.segments.map((segment) => textValue(segment, values) ?? '')
      if (!path.endsWithSlash && !path.segments.some(isOfOData)) return segments
      const texts = segments.map((text, at) =>
        isOfOData(path.segments[at]!) ? `/${text}` : pathText([text]),
      )
      return `${texts.join('')}${path.endsWithSlash ? '/' : ''}`
    }
  }
}

/** Keywords such as `$ref` stay unencoded: a system may read `%24ref` as the id of an object. */
const isOfOData = (segment: Template): boolean =>
  segment.kind === 'literal' && typeof segment.value === 'string' && /^\$[a-z]+$/i.test(segment.value)

function toBody(
  body: DeclaredBody,
  values: Values,
): Pick<HttpRequest, 'json' | 'form' | 'multipart' | 'body'> {
  switch (body.kind) {
    case 'json':
      return { json: valueOf(body.value, values) ?? null }
    case 'form':
      return { form: textValues(body.fields, values) }
    case 'multipart':
      return { multipart: body.parts.flatMap((part) => toPart(part, values)) }
    case 'body':
      return { body: textValue(body.text, values) ?? '' }
  }
}

/** A part without a value is left out. */
function toPart(
  { name, value, isBase64, filename, contentType }: DeclaredPart,
  values: Values,
): readonly MultipartPart[] {
  const text = textValue(value, values)
  if (text === undefined && filename === undefined) return []
  const type = textValue(contentType, values)
  return [
    {
      name,
      value: isBase64 ? Buffer.from(text ?? '', 'base64') : (text ?? ''),
      ...(filename && { filename: textValue(filename, values) ?? 'file' }),
      ...(type === undefined ? {} : { contentType: type }),
    },
  ]
}

/** Evaluates the expressions of a request. Throws SkillError `bad_request` for unusable inputs. */
function making<T>(make: () => T, effect: Effect): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new SkillError('bad_request', `the request cannot be made: ${error.message}`, {
      hint: 'check the inputs of the step',
      effect,
      cause: error,
    })
  }
}
