import type { IncomingHttpHeaders } from 'node:http'
import type { InboundPost, Received } from '../../../../core/inbound/inbound.ts'
import { unknownQuestion } from '../../../../core/inbound/question-page.ts'
import type { AlertIntake } from '../../../../core/inbound/store-alerts.ts'
import type { InboundReply } from '../../../../core/plugin/index.ts'
import { takeAlert } from '../alerts/take-alert.ts'
import { questionAnswer } from './question-page.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Answer, type ApiRequest, type Services } from '../../routing/route.ts'

/** As large as one alert may be. */
const maxBytes = 1_048_576

const address = '/webhooks/{plugin}/v1/{route}'
const query = { token: { type: 'string', description: 'The token of the connection.' } } as const

/** A webhook call: verified by the plugin, answered once it is on disk. */
const receiveWebhook = defineRoute({
  method: 'POST',
  path: address,
  access: 'events_token',
  summary:
    'Receives webhooks of the other system of a connection, with its token and the signature of the plugin. The manifest of the connection contains the address.',
  answer: { description: 'The response that the other system expects; often empty.' },
  query,
  otherQuery: true,
  bytes: {
    max: maxBytes,
    admit: ({ query: given, address: sender }, { webhookGate }) => webhookGate.admit(tokenIn(given), sender),
  },
  handle: (request, services) => receive('POST', request, services),
})

/** The test of an address, as some vendors do it before they send anything. */
const answerHandshake = defineRoute({
  method: 'GET',
  path: address,
  access: 'events_token',
  summary: 'Answers the challenge by which the other system of a connection tests the address of a webhook.',
  answer: { description: 'The response that the other system expects.' },
  query,
  otherQuery: true,
  async handle(request, services) {
    services.webhookGate.admit(tokenIn(request.query), request.address)
    return await receive('GET', request, services)
  },
})

type WebhookRequest = ApiRequest<
  Pick<InboundPost, 'plugin' | 'route'>,
  { readonly token?: string | undefined },
  unknown
>

async function receive(
  method: InboundPost['method'],
  { params, query: given, headers, bytes, requestId, target }: WebhookRequest,
  services: Services,
): Promise<Answer> {
  const { token: _, ...others } = given as Readonly<Record<string, string>>
  const token = tokenIn(given)
  const received: Received = isPlain(headers)
    ? await services.inbound.receive(
        {
          plugin: params.plugin,
          route: params.route,
          token,
          requestId,
          method,
          url: services.publicUrl() + target,
          query: others,
          headers: joined(headers),
          body: bytes,
        },
        intakeOf(services),
      )
    : { refused: { code: 'content_type_unsupported' } }
  if ('reply' in received) {
    services.webhookGate.learn(token, true)
    return answerOf(received.reply)
  }
  if ('page' in received) {
    services.webhookGate.learn(token, true)
    return questionAnswer(received.page)
  }
  const { code } = received.refused
  if (code === 'token_unknown') services.webhookGate.learn(token, false)
  services.recordRefusedWebhook(`${code} ${received.refused.connection ?? ''}`, received.refused)
  // A person opened an incomplete link. The page does not reveal which proof failed.
  if (headers.accept?.includes('text/html') === true) return questionAnswer(unknownQuestion)
  throw new RequestError('webhook_refused', undefined, {
    hint: 'see the log of the server',
    headers: { 'www-authenticate': 'EventsToken realm="tocsin"' },
  })
}

/** Alerts from webhooks follow the same rules as those from the API. */
const intakeOf = (services: Services): AlertIntake => ({
  async provider(code) {
    try {
      return (await services.directory.provider(code, '')).code
    } catch (error) {
      if (error instanceof RequestError) return undefined
      throw error
    }
  },
  async store(alert, once) {
    const { replayed } = await takeAlert(services, alert, once)
    if (!replayed) services.metrics.alertReceived()
  },
})

/** Without a token the call is refused like any other unauthorized one. */
const tokenIn = ({ token }: { readonly token?: unknown }): string => (typeof token === 'string' ? token : '')

/** Vendors send their JSON with many types; only its characters matter. */
function isPlain(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  return /^utf-?8$/i.test(charset) && encoding.toLowerCase() === 'identity'
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

export const webhookRoutes = [receiveWebhook, answerHandshake]
