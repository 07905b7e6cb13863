import { createHash } from 'node:crypto'
import { ExpressionError } from '../../expression/index.ts'
import { parseJson, stringifyJson } from '../../common/json.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import {
  caseStatuses,
  isObject,
  Secret,
  SkillError,
  TocsinError,
  verifyHmac,
  verifyRecent,
  verifySecret,
  type ConnectionDefinition,
  type InboundAlert,
  type InboundCaseChange,
  type InboundReply,
  type InboundRequest,
  type InboundResult,
} from '../../plugin/index.ts'
import type {
  DeclaredCaseChange,
  DeclaredHandshake,
  DeclaredProof,
  DeclaredSecretParameter,
  DeclaredWebhook,
} from '../language/declared-webhook.ts'
import { conditionHolds } from './request.ts'
import { connectionValues, programResult, textValue, valueOf, type Values } from './values.ts'

const maxItems = 1_000
const maxChanges = 100

/** The parts of a connection that receive requests of the other system. */
export function compileWebhooks(
  webhooks: readonly DeclaredWebhook[],
): Pick<ConnectionDefinition, 'inbound' | 'handshakes'> {
  if (webhooks.length === 0) return {}
  return {
    inbound: Object.fromEntries(
      webhooks.map((webhook) => [
        webhook.word,
        (request: InboundRequest, settings: unknown) => refusing(() => receive(webhook, request, settings)),
      ]),
    ),
    handshakes: Object.fromEntries(
      webhooks.flatMap(({ word, handshake }) =>
        handshake === undefined
          ? []
          : [
              [
                word,
                (request: InboundRequest, settings: unknown) =>
                  refusing(() => greet(handshake, request, settings)),
              ],
            ],
      ),
    ),
  }
}

function receive(webhook: DeclaredWebhook, request: InboundRequest, settings: unknown): InboundResult {
  const values = valuesOf(request, settings)
  const { handshake } = webhook
  if (handshake?.when && conditionHolds(handshake.when, values))
    return { reply: answer(handshake, request, settings, values) }
  prove(webhook.verify, request, settings, values)
  return meaningOf(webhook, values, connectionValues(settings, request.nowMs))
}

function greet(handshake: DeclaredHandshake, request: InboundRequest, settings: unknown): InboundReply {
  const values = valuesOf(request, settings)
  const isOne = handshake.isOptional || (handshake.when && conditionHolds(handshake.when, values))
  if (isOne !== true)
    throw new SkillError('not_a_handshake', 'the GET request is not the expected test of the address')
  return answer(handshake, request, settings, values)
}

function answer(
  { proof, answer: kind, value }: DeclaredHandshake,
  request: InboundRequest,
  settings: unknown,
  values: Values,
): InboundReply {
  if (proof) proveParameter(proof, request, settings, values)
  return kind === 'json' ? { json: valueOf(value, values) } : { text: textValue(value, values) ?? '' }
}

function prove(proof: DeclaredProof, request: InboundRequest, settings: unknown, values: Values): void {
  if (proof.kind === 'hmac') {
    const { key, header, prefix, text, algorithm, encoding, keyEncoding } = proof
    const withUrl = { ...values, request: { ...(values['request'] as Values), url: request.url } }
    verifyHmac({
      secret: secretOf(key, settings, values),
      signed: text === undefined ? request.body : (textValue(text, withUrl) ?? ''),
      signature: signaturesIn(request.headers[header] ?? '', prefix),
      algorithm,
      encoding,
      key: keyEncoding,
    })
  } else proveParameter(proof, request, settings, values)
  if (proof.time) verifyRecent(textValue(proof.time, values), request.nowMs, proof.toleranceMs)
}

function proveParameter(
  { kind, name, value }: DeclaredSecretParameter,
  { headers, query }: InboundRequest,
  settings: unknown,
  values: Values,
): void {
  const given = kind === 'header' ? headers : query
  verifySecret(Object.hasOwn(given, name) ? given[name] : undefined, secretOf(value, settings, values))
}

/** `v1=a,v1=b` with the prefix `v1=`; `v1,a v1,b` with the prefix `v1,`. */
const signaturesIn = (header: string, prefix: string): readonly string[] =>
  header
    .split(prefix.includes(',') ? /\s+/ : /[\s,]+/)
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length))

/** Undefined if the secret fields are empty: the rest of the value can be guessed. */
function secretOf(template: Template, settings: unknown, values: Values): Secret | undefined {
  const value = textValue(template, values)
  const withoutSecrets = Object.fromEntries(
    Object.entries(isObject(settings) ? settings : {}).map(([name, one]) => [
      name,
      one instanceof Secret ? '' : one,
    ]),
  )
  const rest = textValue(template, { ...values, settings: withoutSecrets })
  return value === undefined || value === rest ? undefined : new Secret(value)
}

function meaningOf(webhook: DeclaredWebhook, values: Values, ofConnection: Values): InboundResult {
  const { when, provider: declared, change } = webhook
  const all = itemsOf(webhook, values)
  const max = change === undefined ? maxItems : maxChanges
  if (all.length > max) {
    throw new SkillError('too_many_items', `the request has ${all.length} items; at most ${max} are allowed`)
  }
  const items = all
    .map((item) => ({ ...values, item }))
    .filter((about) => when === undefined || conditionHolds(when, about))
  const provider = declared && (textValue(declared, ofConnection) ?? '')
  return {
    ...(provider !== undefined && { alerts: items.map((about) => alertOf(webhook, provider, about)) }),
    ...(change !== undefined && {
      cases: items.flatMap((about) => changeOf(change, about) ?? []),
      dedupeKey: hashOf((values['request'] as { readonly text: string }).text),
    }),
  }
}

function alertOf(
  { content: declared, type, id }: DeclaredWebhook,
  provider: string,
  about: Values,
): InboundAlert {
  const given = declared === undefined ? about['item'] : orNothing(() => valueOf(declared, about))
  const content = typeof given === 'string' ? given : stringifyJson(given ?? about['item'])
  const dedupeKey = orNothing(() => textValue(id, about)) ?? hashOf(content)
  return { provider, content, type: orNothing(() => textValue(type, about)), dedupeKey }
}

function changeOf(change: DeclaredCaseChange, about: Values): InboundCaseChange | undefined {
  const read = (template: Template | undefined) => orNothing(() => textValue(template, about))
  const reference = read(change.reference)
  const given = read(change.status)
  const status = caseStatuses.find((known) => known === given)
  return reference === undefined ? undefined : { reference, comment: read(change.comment), status }
}

function itemsOf({ each }: DeclaredWebhook, values: Values): readonly unknown[] {
  const { body } = values['request'] as Values
  if (body === undefined) throw new SkillError('body_not_json', 'the body is neither JSON nor a form')
  if (each === undefined) return [body]
  const list = programResult(each, values)
  if (Array.isArray(list)) return list
  throw new SkillError('not_a_list', `${each.source} is not a list in the request`)
}

/** Undefined on errors, so that one malformed item does not block the others. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof SkillError) return undefined
    throw error
  }
}

const hashOf = (content: string): string => createHash('sha256').update(content).digest('base64url')

/** The names that expressions of a webhook read. */
const valuesOf = ({ method, query, headers, text, nowMs }: InboundRequest, settings: unknown): Values => ({
  ...connectionValues(settings, nowMs),
  request: { method, query, headers, text, body: bodyOf(headers['content-type'] ?? '', text) },
})

/** JSON, or the fields of a form; null if empty, undefined if neither. */
function bodyOf(type: string, text: string): unknown {
  if (text.trim() === '') return null
  if (/^application\/x-www-form-urlencoded\b/i.test(type))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof TocsinError) return undefined
    throw error
  }
}

/** A request is refused if an expression fails for it. */
function refusing<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new SkillError('request_unreadable', `the request cannot be read: ${error.message}`, {
      cause: error,
    })
  }
}
