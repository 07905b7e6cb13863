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
    'On the application’s page open API permissions, Add a permission, APIs my organization uses, and type WindowsDefenderATP: it shows only then. Choose Application permissions. Alert.ReadWrite.All is mandatory; each skill names what else it needs.',
    'Grant admin consent. That has to be done again after every change of permissions.',
    'Under Certificates & secrets add a client secret and copy its value, which is displayed once; the ID beside it is something else.',
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
        description: 'The secret’s value, which is displayed once; not its ID.',
        'x-secret': true,
        minLength: 8,
        maxLength: 500,
        // A line break or blank caught when pasting.
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without blanks and line breaks',
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
        description: 'What the token is for: sent as scope, with /.default behind it.',
        default: defaults.api_resource_url,
      },
    },
  },
  baseUrl: ({ endpoint_api_url }) => endpoint_api_url ?? defaults.endpoint_api_url,
  otherOrigins: ({ login_url }) => [login_url ?? defaults.login_url],
  // Of every call, also of those without a body: so the platform’s pages have it.
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
    400: 'The request was refused: check the inputs of the step, and endpoint_api_url.',
    401: 'The token is not taken: check the credentials, and that api_resource_url and endpoint_api_url belong to one cloud.',
    403: 'The application lacks a permission: grant it, with admin consent.',
    404: 'Nothing is there: check endpoint_api_url, which ends before /api.',
    429: 'Too many requests: it is tried again after the pause the platform asks for.',
    500: 'The platform has trouble: it is tried again with growing pauses.',
    502: 'The platform cannot be reached behind its gateway: it is tried again.',
    503: 'The platform has trouble: it is tried again with growing pauses.',
    504: 'The platform took too long: it is tried again.',
  },
  async authenticate(context) {
    const roles = rolesOf(await context.token())
    if (roles !== undefined && !permissions.list_alerts.some((one) => roles.has(one))) throw noAlerts()
    // Proves that the address is the API's, and that it takes the token.
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
  return new SkillError('bad_response', "the answer of /api/alerts lacks the list 'value'", {
    hint: 'check endpoint_api_url: it ends before /api and must not lead to a sign-in page or a proxy',
  })
}

/** Undefined where everything will work, or the token does not tell. */
function warningAbout(roles: ReadonlySet<string> | undefined): string | undefined {
  const missing = roles === undefined ? [] : missingPermissions(roles)
  if (missing.length === 0) return undefined
  const named = [...new Set(missing.map(({ permission }) => permission))].join(', ')
  const skills = missing.map(({ skill }) => skill).join(', ')
  return `The application lacks ${named}; these skills will fail until it is granted with admin consent: ${skills}.`
}
