import { addressSchema, defineConnection, type TokenRefusal } from 'tocsin/plugin'
import { readPage } from './page.ts'
import { epochSeconds } from './times.ts'

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
    'If you use Allowed IP Addresses, enter the public egress address or subnet of this server; private addresses have no effect.',
    'Copy the Client ID and the Secret Key at once: the secret is displayed once.',
    'Bookings (bookings:read) have to be enabled for the credentials, users (users:read) only for Get Users. Ask the platform’s support if one is missing.',
    'Enter both here, with the base URL of the environment that they belong to.',
    'Rotate the key every 90 days: create new credentials, enter them here, test the connection, then delete the old ones.',
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
        patternErrorMessage: 'must be visible ASCII characters, without spaces and line breaks',
      },
      client_secret: {
        type: 'string',
        title: 'Client Secret',
        description: 'The Secret Key as it was displayed when it was created, without spaces.',
        'x-secret': true,
        minLength: 1,
        maxLength: 1000,
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without spaces and line breaks',
      },
      base_url: {
        ...addressSchema,
        title: 'Base URL',
        description:
          'The production API endpoint of the credentials’ environment: https://api.navan.com (US), ' +
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
          'must begin with / and not end with it, without query, spaces and line breaks, and without /./ and /../',
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
      'The credentials are wrong, the secret was rotated, or the token has expired, and a new one was rejected too: enter the ' +
      'current Client ID and Secret Key.',
    403:
      'The API product is not enabled, the credentials lack the permission (bookings:read, users:read), or the address of this ' +
      'server is not among their Allowed IP Addresses: check all three under Travel admin, Settings, Integrations.',
    404: 'The base URL or the endpoint is wrong: check base_url, and for users also users_path.',
    429: 'The request limit is exceeded: the step is retried after the requested pause.',
    500: 'A temporary problem of the platform: the step is retried with backoff.',
    502: 'A temporary problem of the platform: the step is retried with backoff.',
    503: 'A temporary problem of the platform: the step is retried with backoff.',
    504: 'The platform timed out: the step is retried.',
  },
  async authenticate({ http, settings, nowMs }) {
    // A token proves only the credentials; reading one booking proves the product, the permission and the
    // base URL.
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

/** Explains a refused token to the operator, following the platform's table of errors. */
function explainToken({ status }: TokenRefusal): string | undefined {
  if (status === 400) return 'the platform rejects the token request: check that base_url is its API address'
  if (status === 401)
    return 'the Client ID or the Secret Key is wrong, the secret was rotated, or base_url belongs to another environment (US, EU, staging)'
  if (status === 403)
    return 'the API product is not enabled, or the address of this server is not among the Allowed IP Addresses of the credentials'
  if (status === 404) return 'base_url is wrong: there is no token endpoint'
  return undefined
}
