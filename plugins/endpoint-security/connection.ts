import { addressSchema, ConnectionError, defineConnection, SkillError, valueAt } from 'tocsin/plugin'
import { missingPermissions, permissions, rolesOf } from './permissions.ts'
import { rateBudget } from './rate.ts'
import { explainTokenRefusal } from './token-errors.ts'

const defaults = {
  login_url: 'https://login.microsoftonline.com',
  endpoint_api_url: 'https://api.securitycenter.microsoft.com',
  api_resource_url: 'https://api.securitycenter.microsoft.com',
}

export const connection = defineConnection({
  title: 'Endpoint security platform',
  description:
    'Microsoft Defender for Endpoint. Needs an application in the tenant’s Microsoft Entra ID with application permissions of ' +
    'WindowsDefenderATP and the consent of an administrator; Alert.ReadWrite.All is mandatory.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/exposed-apis-create-app-webapp',
  setup: [
    'In the Azure portal open Microsoft Entra ID, App registrations, New registration. Under supported account types choose “Accounts in any organizational directory”.',
    'On the application’s page open API permissions, Add a permission, APIs my organization uses, and type WindowsDefenderATP: it appears only then. Choose Application permissions. Alert.ReadWrite.All is mandatory; each skill names what else it needs.',
    'Grant admin consent. Repeat this after every change of permissions.',
    'Under Certificates & secrets add a client secret and copy its value, which is displayed only once. Do not copy the secret’s ID.',
    'Copy the Application (client) ID and the Directory (tenant) ID of the overview page, and enter all three here.',
  ],
  settings: {
    type: 'object',
    required: ['tenant_id', 'client_id', 'client_secret'],
    additionalProperties: false,
    properties: {
      tenant_id: {
        type: 'string',
        title: 'Tenant ID',
        description: 'Directory (tenant) ID of the application’s overview page, or a domain of the tenant.',
        maxLength: 253,
        pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*$',
        patternErrorMessage: "must be letters, digits, '.' and '-', beginning with a letter or digit",
      },
      client_id: {
        type: 'string',
        title: 'Client ID',
        description: 'Application (client) ID of the application’s overview page.',
        format: 'uuid',
      },
      client_secret: {
        type: 'string',
        title: 'Client Secret',
        description: 'The secret’s value, not its ID; it is displayed only once.',
        'x-secret': true,
        minLength: 8,
        maxLength: 500,
        // Pasted secrets may contain a line break or space.
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without spaces and line breaks',
      },
      login_url: {
        ...addressSchema,
        title: 'Login URL',
        description: 'Address of the identity provider. US government: https://login.microsoftonline.us.',
        default: defaults.login_url,
        examples: [defaults.login_url, 'https://login.microsoftonline.us'],
      },
      endpoint_api_url: {
        ...addressSchema,
        title: 'Endpoint API URL',
        description: 'Address of the API, before /api. The README lists those of regions and clouds.',
        default: defaults.endpoint_api_url,
        examples: [
          defaults.endpoint_api_url,
          'https://api.security.microsoft.com',
          'https://us.api.security.microsoft.com',
          'https://eu.api.security.microsoft.com',
          'https://uk.api.security.microsoft.com',
          'https://au.api.security.microsoft.com',
          'https://swa.api.security.microsoft.com',
          'https://ina.api.security.microsoft.com',
          'https://api-gcc.securitycenter.microsoft.us',
          'https://api-gov.securitycenter.microsoft.us',
        ],
      },
      api_resource_url: {
        ...addressSchema,
        title: 'API resource URL',
        description: 'Resource that the token grants access to; sent as the scope with /.default added.',
        default: defaults.api_resource_url,
      },
    },
  },
  baseUrl: ({ endpoint_api_url }) => endpoint_api_url ?? defaults.endpoint_api_url,
  otherOrigins: ({ login_url }) => [login_url ?? defaults.login_url],
  // Required on every call, even without a body, according to the vendor's documentation.
  headers: () => ({ 'content-type': 'application/json' }),
  token: (settings) => ({
    path: `${settings.login_url ?? defaults.login_url}/${settings.tenant_id}/oauth2/v2.0/token`,
    form: {
      client_id: settings.client_id,
      client_secret: settings.client_secret.reveal(),
      grant_type: 'client_credentials',
      scope: `${settings.api_resource_url ?? defaults.api_resource_url}/.default`,
    },
    explain: explainTokenRefusal,
  }),
  rate: rateBudget,
  errors: {
    400: 'The request was rejected: check the inputs of the step, and endpoint_api_url.',
    401: 'The token is rejected: check the credentials, and that api_resource_url and endpoint_api_url belong to one cloud.',
    403: 'The application lacks a permission: grant it, with admin consent.',
    404: 'Not found: check endpoint_api_url, which ends before /api.',
    429: 'Too many requests: the step is retried after the requested pause.',
    500: 'The platform has a problem: the step is retried with backoff.',
    502: 'The gateway cannot reach the platform: the step is retried.',
    503: 'The platform has a problem: the step is retried with backoff.',
    504: 'The platform timed out: the step is retried.',
  },
  async authenticate(context) {
    const roles = rolesOf(await context.token())
    if (roles !== undefined && !permissions.list_alerts.some((one) => roles.has(one))) throw noAlerts()
    // Proves that the base URL is the API's and that the API accepts the token.
    const response = await context.http.get('/api/alerts', { query: { $top: 1 } })
    if (!Array.isArray(valueAt(response.json(), 'value'))) throw notTheApi()
    return { warning: warningAbout(roles) }
  },
})

function noAlerts(): ConnectionError {
  return new ConnectionError(
    'permission_missing',
    'the application lacks the permission Alert.ReadWrite.All',
    {
      hint: 'add it to the application (application permissions of WindowsDefenderATP), then grant admin consent',
    },
  )
}

function notTheApi(): SkillError {
  return new SkillError('bad_response', "the response of /api/alerts lacks the list 'value'", {
    hint: 'check endpoint_api_url: it ends before /api and must not lead to a sign-in page or a proxy',
  })
}

/** Undefined if all skills will work, or if the token has no list of roles. */
function warningAbout(roles: ReadonlySet<string> | undefined): string | undefined {
  const missing = roles === undefined ? [] : missingPermissions(roles)
  if (missing.length === 0) return undefined
  const named = [...new Set(missing.map(({ permission }) => permission))].join(', ')
  const skills = missing.map(({ skill }) => skill).join(', ')
  return `The application lacks ${named}; these skills will fail until it is granted with admin consent: ${skills}.`
}
