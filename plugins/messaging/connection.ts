import { addressSchema, ConnectionError, defineConnection, textAt, type HttpClient } from 'tocsin/plugin'
import { readEvent } from './inbound/events.ts'
import { readInteraction } from './inbound/interactions.ts'
import { manifest } from './manifest.ts'
import { toOneLine } from './message-text.ts'
import { requireSettings } from './require-settings.ts'
import { rate } from './rate.ts'
import { passing } from './web-api-error.ts'
import { readAnswer, requestWebApi, requireText } from './web-api.ts'

const defaultApiUrl = 'https://slack.com/api'
/**
 * Not the schema of a base URL: a webhook address is a secret, because it allows posting, and it may have
 * a query.
 */
const webAddress = '^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?)'

/** Scopes that the skills need, out of those in the manifest. */
const neededScopes = ['users:read.email', 'chat:write', 'im:write', 'im:history']

const settings = {
  type: 'object',
  // The other settings exist only after the app is created from the connection's manifest.
  required: ['channel_name'],
  additionalProperties: false,
  properties: {
    webhook_url: {
      type: 'string',
      title: 'Webhook URL',
      description: 'Address of the incoming webhook, e.g. https://hooks.slack.com/services/T…/B…/….',
      'x-secret': true,
      maxLength: 500,
      pattern: `${webAddress}/[!-~]+$`,
      patternErrorMessage:
        'must begin with https:// (http:// only for a sandbox on loopback) and have a path, without credentials, spaces and line breaks',
    },
    channel_name: {
      type: 'string',
      title: 'Channel name',
      description:
        'The channel that the webhook posts to, shown with sent messages. The webhook itself determines it.',
      minLength: 1,
      maxLength: 100,
      examples: ['#security-alerts'],
    },
    bot_token: {
      type: 'string',
      title: 'Bot User OAuth Token',
      description: 'Begins with xoxb-.',
      'x-secret': true,
      maxLength: 500,
      pattern: '^xoxb-[A-Za-z0-9-]{10,}$',
      patternErrorMessage:
        "must begin with xoxb-, followed by at least 10 letters, digits and '-', without spaces and line breaks",
    },
    signing_secret: {
      type: 'string',
      title: 'Signing Secret',
      description:
        'Proves that answers come from the messaging system; found on the page "Basic Information" of the app.',
      'x-secret': true,
      maxLength: 500,
      pattern: '^[!-~]{16,}$',
      patternErrorMessage: 'must be at least 16 visible ASCII characters, without spaces and line breaks',
    },
    messaging_api_url: {
      ...addressSchema,
      title: 'API URL',
      description:
        'Address of the Web API, without a slash at the end. Plain http only for a sandbox on loopback.',
      default: defaultApiUrl,
    },
  },
} as const

export const connection = defineConnection({
  title: 'Team messaging',
  description:
    'Slack, or a system with its API. Needs an app, created from the connection’s manifest and installed in ' +
    'the workspace by a person with permission.',
  docs: 'https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests',
  setup: [
    'Create the connection. Only the name of the channel is needed now; the app provides the secrets later.',
    'Copy its manifest from the page of the connection. It lists the permissions and the callback addresses.',
    'At https://api.slack.com/apps choose Create New App, From a manifest, choose the workspace and paste it.',
    'Install the app. The installation asks for the channel of the webhook: choose the one named here.',
    'Enter these three values of the app together: the Bot User OAuth Token (OAuth & Permissions), the webhook URL (Incoming Webhooks) and the signing secret (Basic Information, App Credentials).',
    'Authenticate.',
    'In the app, open Event Subscriptions and choose Retry until “Verified” appears: otherwise text replies never arrive.',
  ],
  settings,
  baseUrl: ({ messaging_api_url }) => messaging_api_url ?? defaultApiUrl,
  otherOrigins: ({ webhook_url }) => {
    const address = webhook_url?.reveal() ?? ''
    return URL.canParse(address) ? [new URL(address).origin] : []
  },
  headers: ({ bot_token }): Readonly<Record<string, string>> =>
    bot_token === undefined ? {} : { authorization: `Bearer ${bot_token.reveal()}` },
  rate,
  errors: {
    404: 'Not found: check messaging_api_url.',
    429: 'Too many messages: the step is retried after the requested pause.',
    500: passing,
    502: passing,
    503: passing,
    504: passing,
  },
  inbound: { events: readEvent, interactions: readInteraction },
  manifest,
  async authenticate({ settings, http }) {
    const { webhook_url, bot_token, signing_secret, messaging_api_url } = settings
    const canAsk = bot_token !== undefined && signing_secret !== undefined
    if (webhook_url === undefined && !canAsk)
      requireSettings(settings, ['webhook_url', 'bot_token', 'signing_secret'])
    if (webhook_url !== undefined) checkWebhook(webhook_url.reveal(), messaging_api_url ?? defaultApiUrl)
    const account = bot_token === undefined ? {} : { account: await checkToken(http) }
    if (webhook_url === undefined)
      return {
        ...account,
        warning: 'Questions work. Messages are unavailable: set webhook_url.',
      }
    if (canAsk) return account
    return {
      ...account,
      warning:
        'webhook_url has a valid format, but cannot be tested without posting. Questions are unavailable: set bot_token and signing_secret.',
    }
  },
})

/** A webhook cannot be tested without posting, so only its format is checked. */
function checkWebhook(url: string, apiUrl: string): void {
  const host = new URL(apiUrl).hostname
  if (host !== 'slack.com' && host !== 'slack-gov.com') return
  if (/^https:\/\/hooks\.slack(-gov)?\.com\/services\/[^/]+\/[^/]+\/[^/]+$/.test(url)) return
  throw new ConnectionError('webhook_url_wrong', 'webhook_url is not the address of an incoming webhook', {
    hint: 'copy it from the page "Incoming Webhooks" of the app: https://hooks.slack.com/services/ and three parts',
  })
}

/** The owner of the token. */
async function checkToken(http: HttpClient): Promise<string> {
  const method = 'auth.test'
  const response = await requestWebApi(http, method)
  // Only bot tokens have a bot id.
  const answer = readAnswer(method, response)
  const botId = requireText(method, answer, 'user_id')
  checkScopes(response.headers['x-oauth-scopes'])
  const workspace = named(textAt(answer, 'team'), textAt(answer, 'team_id'))
  const url = textAt(answer, 'url')
  const at = url === null ? '' : ` at ${toOneLine(url, 200)}`
  return `workspace ${workspace}${at}, bot ${named(textAt(answer, 'user'), botId)}`
}

/** A name chosen by others, with the id that distinguishes it from similar ones. */
function named(name: string | null, id: string | null): string {
  const parts = [name === null ? '' : toOneLine(name, 100), id === null ? '' : `(${toOneLine(id, 40)})`]
  return parts.filter((part) => part !== '').join(' ') || 'without a name'
}

/** Every response of the Web API lists the token's scopes. */
function checkScopes(granted: string | undefined): void {
  if (granted === undefined) return
  const scopes = granted.split(',').map((scope) => scope.trim())
  const missing = neededScopes.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return
  throw new ConnectionError('messaging_missing_scope', `the bot token lacks ${missing.join(', ')}`, {
    hint: 'create the app from the manifest, or add the scopes under "OAuth & Permissions", install it again and enter the new token',
  })
}
