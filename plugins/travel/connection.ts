import { addressSchema, defineConnection } from 'tocsin/plugin'
import { readPage } from './page.ts'
import { epochSeconds } from './times.ts'
import { explainToken } from './explain-token.ts'

const defaultBaseUrl = 'https://api.navan.com'
const dayMs = 86_400_000

export const connection = defineConnection({
  title: 'Travel platform',
  description:
    'Navan. Needs a Client ID and a Secret Key, which an administrator creates under Travel admin, Settings, Integrations; the ' +
    'secret is displayed once. Rotate it every 90 days.',
  docs: 'https://app.navan.com/app/helpcenter/articles/travel/admin/other-integrations/booking-data-integration',
  setup: [
    'As an administrator of the platform open Travel admin, Settings, Integrations, Navan API Credentials, and create new credentials with a description such as “Tocsin”.',
    'Where Allowed IP Addresses are used, enter the public egress address or subnet of this server; private addresses are useless.',
    'Copy the Client ID and the Secret Key at once: the secret is displayed once.',
    'Bookings (bookings:read) have to be enabled for the credentials, users (users:read) only for Get Users. Ask the platform where one is missing.',
    'Enter both here, with the base URL of the environment that they belong to.',
    'Rotate the key every 90 days: new credentials, enter them here, authenticate, delete the old ones.',
  ],
  settings: {
    type: 'object',
    required: ['client_id', 'client_secret', 'base_url', 'users_path'],
    additionalProperties: false,
    properties: {
      client_id: {
        type: 'string',
        title: 'Client ID',
        minLength: 1,
        maxLength: 500,
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without blanks and line breaks',
      },
      client_secret: {
        type: 'string',
        title: 'Client Secret',
        description: 'The Secret Key as it was displayed when it was created, without spaces.',
        'x-secret': true,
        minLength: 1,
        maxLength: 1000,
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without blanks and line breaks',
      },
      base_url: {
        ...addressSchema,
        title: 'Base URL',
        description:
          'The API production endpoint of the environment that the credentials belong to: https://api.navan.com (US), ' +
          'https://app-fra.navan.com (EU), https://staging-prime.tripactions.com (staging). Begins with https:// and has no ' +
          'slash at the end; plain http only for a sandbox on loopback.',
        default: defaultBaseUrl,
        examples: [defaultBaseUrl, 'https://app-fra.navan.com', 'https://staging-prime.tripactions.com'],
      },
      users_path: {
        type: 'string',
        title: 'Path of the users',
        description:
          'Below the base URL. Some descriptions of the API say /travel/v1/users; both forms of pages are read.',
        default: '/v1/users',
        pattern: '^(/[.]{0,2}[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$',
        patternErrorMessage:
          'must begin with / and not end with it, without query, blanks and line breaks, and without /./ and /../',
        maxLength: 300,
      },
    },
  },
  baseUrl: ({ base_url }) => base_url,
  token: ({ client_id, client_secret }) => ({
    path: '/ta-auth/oauth/token',
    form: { grant_type: 'client_credentials', client_id, client_secret: client_secret.reveal() },
    explain: explainToken,
  }),
  errors: {
    400: 'A parameter is missing or the request is malformed: check the inputs of the step.',
    401:
      'The credentials are wrong, the secret was rotated, or the token has expired, and a new one was refused as well: enter the ' +
      'present Client ID and Secret Key.',
    403:
      'The API product is not enabled, the credentials lack the permission (bookings:read, users:read), or the address of this ' +
      'server is not among their Allowed IP Addresses: check all three under Travel admin, Settings, Integrations.',
    404: 'The base URL or the endpoint is wrong: check base_url, and for users also users_path.',
    429: 'The request limit is exceeded: it is tried again after the pause the platform asks for.',
    500: 'A temporary issue of the platform: it is tried again with growing pauses.',
    502: 'A temporary issue of the platform: it is tried again with growing pauses.',
    503: 'A temporary issue of the platform: it is tried again with growing pauses.',
    504: 'The platform took too long: it is tried again.',
  },
  async authenticate({ http, settings, nowMs }) {
    // The token alone proves only the credentials; one booking proves the product, the permission and the address.
    const query = {
      createdFrom: epochSeconds(nowMs - dayMs),
      createdTo: epochSeconds(nowMs),
      page: 0,
      size: 1,
    }
    readPage((await http.get('/v1/bookings', { query })).json())
    const users = await http.get(settings.users_path, { query: { page: 0, size: 1 }, accept: [403, 404] })
    if (users.status < 400) return
    const why = users.status === 403 ? 'the credentials lack users:read' : 'check users_path'
    return {
      warning: `Bookings can be read, users cannot (${users.status}): ${why}, or do without Get Travel Platform Users.`,
    }
  },
})
