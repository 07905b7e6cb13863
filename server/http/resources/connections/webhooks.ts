import type { IncomingHttpHeaders } from 'node:http'
import type { Received } from '../../../../core/inbound/inbound.ts'
import type { InboundReply } from '../../../../core/plugin/index.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Answer } from '../../routing/route.ts'

/** Webhook bodies are small. */
const maxBytes = 262_144

/** A webhook call: verified by the plugin, answered once it is on disk. */
const receiveWebhook = defineRoute({
  method: 'POST',
  path: '/webhooks/{plugin}/v1/{route}',
  access: 'events_token',
  summary:
    'Receives webhooks of the other system of a connection, with its token and the signature of the plugin. The manifest of the connection contains the address.',
  answer: { description: 'The response that the other system expects; often empty.' },
  query: { token: { type: 'string', description: 'The token of the connection.' } },
  bytes: {
    max: maxBytes,
    admit: ({ query, address }, { webhookGate }) => webhookGate.admit(tokenIn(query), address),
  },
  async handle({ params, query, headers, bytes, requestId }, { inbound, webhookGate, recordRefusedWebhook }) {
    const token = tokenIn(query)
    const post = { ...params, token, headers: joined(headers), body: bytes, requestId }
    const received = isPlain(headers) ? await inbound.receive(post) : notPlain
    if ('reply' in received) {
      webhookGate.learn(token, true)
      return answerOf(received.reply)
    }
    const { code } = received.refused
    if (code === 'token_unknown') webhookGate.learn(token, false)
    recordRefusedWebhook(`${code} ${received.refused.connection ?? ''}`, received.refused)
    throw new RequestError('webhook_refused', undefined, {
      hint: 'see the log of the server',
      headers: { 'www-authenticate': 'EventsToken realm="tocsin"' },
    })
  },
})

/** Without a token the call is refused like any other unauthorized one. */
const tokenIn = ({ token }: { readonly token?: unknown }): string => (typeof token === 'string' ? token : '')

const notPlain: Received = { refused: { code: 'content_type_unsupported' } }

const plainType = /^application\/(json|x-www-form-urlencoded) *(; *charset="?utf-8"? *)?$/i

function isPlain(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  return plainType.test(headers['content-type'] ?? '') && encoding.toLowerCase() === 'identity'
}

function joined(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return Object.fromEntries(pairs) as Record<string, string>
}

function answerOf({ status = 200, json, text }: InboundReply): Answer {
  return json === undefined ? { status, text: text ?? '' } : { status, body: json }
}

export const webhookRoutes = [receiveWebhook]
