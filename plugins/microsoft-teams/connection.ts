import {
  addressSchema,
  ConnectionError,
  defineConnection,
  pathText,
  readLinkedAnswer,
  showLinkedQuestion,
  type RateBudget,
  type RatedRequest,
  type Secret,
} from 'tocsin/plugin'
import { explainBotError, explainNoToken } from './bot-errors.ts'

/** The addresses of a cloud: https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages. */
interface Cloud {
  /** Of the bot service, for messages that the bot begins. */
  readonly service: string
  readonly login: string
  readonly scope: string
}

const worldwide = {
  login: 'https://login.microsoftonline.com',
  scope: 'https://api.botframework.com/.default',
}
const government = {
  login: 'https://login.microsoftonline.us',
  scope: 'https://api.botframework.us/.default',
}

const clouds = {
  global: { service: 'https://smba.trafficmanager.net/teams', ...worldwide },
  gcc: { service: 'https://smba.infra.gcc.teams.microsoft.com/teams', ...worldwide },
  us_gov_high: { service: 'https://smba.infra.gov.teams.microsoft.us/teams', ...government },
  us_gov_dod: { service: 'https://smba.infra.dod.teams.microsoft.us/teams', ...government },
} as const satisfies Readonly<Record<string, Cloud>>

const cloudNames = ['global', 'gcc', 'us_gov_high', 'us_gov_dod'] as const

const cloudOf = (name: (typeof cloudNames)[number] = 'global'): Cloud => clouds[name]

const settings = {
  type: 'object',
  required: [],
  additionalProperties: false,
  properties: {
    app_id: {
      type: 'string',
      title: 'App ID of the bot',
      description: 'Microsoft App ID of the Azure Bot. Empty: only notifications by a workflow.',
      format: 'uuid',
    },
    app_secret: {
      type: 'string',
      title: 'Client secret of the bot',
      description: 'The value of the secret, not its ID.',
      'x-secret': true,
      maxLength: 500,
      pattern: '^[!-~]+$',
      patternErrorMessage: 'must be visible ASCII characters, without spaces and line breaks',
    },
    tenant_id: {
      type: 'string',
      title: 'Tenant ID',
      description: 'Directory (tenant) ID.',
      format: 'uuid',
    },
    cloud: { type: 'string', title: 'Cloud', enum: cloudNames, default: 'global' },
    team_id: {
      type: 'string',
      title: 'Team of the people',
      description:
        'The ID of the team in which people are found by e-mail address, such as 19:…@thread.tacv2. It is in the link to the team, percent-encoded.',
      maxLength: 200,
      pattern: '^19:[A-Za-z0-9_-]+@thread\\.(?:tacv2|skype)$',
      patternErrorMessage: 'must begin with 19: and end with @thread.tacv2',
    },
    webhook_url: {
      type: 'string',
      title: 'Address of the workflow',
      description:
        'For notifications without a bot: the address of a workflow “Send webhook alerts to a channel”. It is secret.',
      'x-secret': true,
      maxLength: 2_000,
      pattern: '^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?)/[!-~]+$',
      patternErrorMessage:
        'must begin with https:// (http:// only for a sandbox on loopback) and have a path, without spaces',
    },
    link_secret: {
      type: 'string',
      title: 'Link secret',
      description:
        'Signs the links of questions: a random text, such as that of openssl rand -hex 32. A new one makes open links invalid.',
      'x-secret': true,
      maxLength: 500,
      pattern: '^[!-~]{32,}$',
      patternErrorMessage: 'must be at least 32 visible ASCII characters, without spaces and line breaks',
    },
    base_url: {
      ...addressSchema,
      title: 'Address of the bot service',
      description: 'Empty: that of the cloud.',
    },
    login_url: { ...addressSchema, title: 'Sign-in address', description: 'Empty: that of the cloud.' },
  },
} as const

export const connection = defineConnection({
  title: 'Microsoft Teams',
  description:
    'A bot, which posts to channels and asks people, a workflow, which posts notifications to one channel, or both.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages',
  setup: [
    'For notifications only: in the channel choose Workflows, “Send webhook alerts to a channel”, and enter the address of the workflow here. Make a second person its co-owner.',
    'For everything else: create an Azure Bot for a single tenant, and add the channel Microsoft Teams to it.',
    'In its app registration create a client secret. Enter the app ID, the value of the secret and the tenant ID here.',
    'Create a Teams app with this bot for the scopes team and personal, in the Developer Portal of Teams, and publish it in your organization.',
    'Install the app in the team, and for everybody who may be asked, for example by a setup policy in the Teams admin center.',
    'To ask people by e-mail address, enter the ID of a team that they are members of. Enter a random link secret, and set TOCSIN_PUBLIC_URL to the https address at which people reach this server.',
    'Test the connection.',
  ],
  settings,
  baseUrl: ({ base_url, cloud }) => base_url ?? cloudOf(cloud).service,
  otherOrigins: ({ webhook_url, login_url, cloud }) => {
    const webhook = webhook_url?.reveal() ?? ''
    return [login_url ?? cloudOf(cloud).login, ...(URL.canParse(webhook) ? [new URL(webhook).origin] : [])]
  },
  token: ({ app_id, app_secret, tenant_id, cloud, login_url }) => ({
    path: (login_url ?? cloudOf(cloud).login) + pathText([tenant_id ?? 'none', 'oauth2', 'v2.0', 'token']),
    form: {
      grant_type: 'client_credentials',
      client_id: app_id ?? '',
      client_secret: app_secret?.reveal() ?? '',
      scope: cloudOf(cloud).scope,
    },
    explain: explainNoToken,
  }),
  rate,
  errors: explainBotError,
  inbound: { answer: readLinkedAnswer },
  handshakes: { answer: showLinkedQuestion },
  async authenticate(context) {
    const { settings, http } = context
    const { app_id, team_id, webhook_url } = settings
    if (app_id === undefined && webhook_url !== undefined)
      return {
        account: 'a workflow',
        warning:
          'The address cannot be tested without posting. Everything but send_notification needs a bot.',
      }
    const bot = requireBot(settings)
    await context.token()
    const account = `bot ${bot.appId}`
    if (team_id === undefined)
      return {
        account,
        warning: 'People can be asked by object ID only: enter a team to find them by address.',
      }
    await http.get(['v3', 'conversations', team_id, 'pagedmembers'], { query: { pageSize: 50 } })
    return { account }
  },
})

/** The vendor limits each chat; all messages of a workflow go to one channel. */
function rate({ path }: RatedRequest): RateBudget {
  if (path.startsWith('/')) return { bucket: 'bot', limits: [{ requests: 30, perMs: 1_000 }] }
  const limits = [
    { requests: 4, perMs: 1_000 },
    { requests: 60, perMs: 30_000 },
    { requests: 100, perMs: 3_600_000 },
  ]
  return { bucket: 'workflow', limits }
}

interface BotSettings {
  readonly app_id?: string | undefined
  readonly app_secret?: Secret | undefined
  readonly tenant_id?: string | undefined
}

/** @throws ConnectionError `connection_incomplete` */
export function requireBot({ app_id: appId, app_secret: secret, tenant_id: tenantId }: BotSettings) {
  if (appId !== undefined && secret !== undefined && tenantId !== undefined) return { appId, tenantId }
  throw incomplete('the connection has no complete bot', 'enter app_id, app_secret and tenant_id')
}

export const incomplete = (message: string, hint: string): ConnectionError =>
  new ConnectionError('connection_incomplete', message, { hint, effect: 'none' })
