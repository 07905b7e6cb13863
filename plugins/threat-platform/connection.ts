import { addressSchema, defineConnection } from 'tocsin/plugin'
import { errors } from './errors.ts'
import { checkTokenStatus } from './token-status.ts'
import { readAlarms } from './vendor-contract.ts'

/**
 * Connections with the contract `vendor` need it; it has no default, so that `spec` does not have it either.
 */
const vendorUrl = 'https://platform.socradar.com'

export const connection = defineConnection({
  title: 'Threat platform',
  description:
    'A threat-intelligence platform with incidents and audit logs of one company, such as SOCRadar. Needs the company id and an ' +
    'API token with read access to alerts and incidents; an administrator finds the id and creates the token, which is ' +
    'displayed once. Rotate it every 90 days.',
  docs: 'https://xsoar.pan.dev/docs/reference/integrations/soc-radar-incidents-v4#api-access',
  setup: [
    'As an administrator open Settings, company profile, and copy the company id. Only administrators see it.',
    'Under Settings, API & Integrations, API Options create an API token with read access to Alerts and Incidents. Permissions are chosen when the token is created.',
    'Copy it at once, without spaces: it is displayed only once. Enter both here, with the address of your platform; where that is https://platform.socradar.com, choose the contract vendor.',
    'Rotate the token every 90 days: create a new one, enter it here, test the connection, then delete the old one.',
  ],
  settings: {
    type: 'object',
    required: ['company_id', 'api_token', 'contract'],
    if: { properties: { contract: { const: 'vendor' } } },
    else: { required: ['base_url'], properties: { base_url: {} } },
    additionalProperties: false,
    properties: {
      company_id: {
        type: 'string',
        title: 'Company ID',
        description: 'Shown to administrators under Settings, company profile.',
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        patternErrorMessage: "must be 1 to 64 letters, digits, '_' and '-'",
      },
      api_token: {
        type: 'string',
        title: 'API Token',
        description: 'As displayed when it was created, without spaces.',
        'x-secret': true,
        minLength: 1,
        maxLength: 4000,
        // A pasted line break must not get into a header.
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without spaces and line breaks',
      },
      base_url: {
        ...addressSchema,
        title: 'Base URL',
        description:
          'Address of the platform, up to /api: https, without a slash at the end. Plain http only for a sandbox on loopback. Required with the ' +
          `contract spec; with the contract vendor ${vendorUrl} by default.`,
        examples: [vendorUrl],
      },
      contract: {
        type: 'string',
        title: 'Contract',
        description:
          'API variant of the platform. spec: /api/v1/alerts with a bearer token, whose status can be checked. vendor: ' +
          '/api/company/<company id>/incidents/v4 with the header API-Key, as SOCRadar publishes it.',
        enum: ['spec', 'vendor'],
        default: 'spec',
      },
      audit_logs_path: {
        type: 'string',
        title: 'Path of the audit logs',
        description:
          'Path below the base URL; {company_id} is replaced by the company id. Default: /api/v1/auditlogs with the contract spec, ' +
          'where it is not published, and /api/company/{company_id}/auditlogs with the contract vendor.',
        // No segment consists of dots alone, which would leave the base URL; only the company id may be in
        // braces.
        pattern: String.raw`^(/\.*([A-Za-z0-9_~-]|\{company_id\})([A-Za-z0-9._~-]|\{company_id\})*)+$`,
        patternErrorMessage: 'must begin with / and not end with it, without query, spaces and line breaks',
        maxLength: 300,
      },
    },
  },
  baseUrl: ({ base_url }) => base_url ?? vendorUrl,
  headers: ({ contract, api_token }) => ({
    'content-type': 'application/json',
    ...(contract === 'vendor'
      ? { 'api-key': api_token.reveal() }
      : { authorization: `Bearer ${api_token.reveal()}` }),
  }),
  errors,
  async authenticate({ http, settings, nowMs }) {
    if (settings.contract === 'spec') {
      return checkTokenStatus((await http.get('/api/v1/token/status')).json(), nowMs)
    }
    // The vendor has no call to test a token; the smallest page of incidents proves it and the company id.
    await readAlarms(http, settings.company_id, { page: 1, limit: 1 })
  },
})

/** The settings as skills see them. */
export interface ThreatPlatformSettings {
  readonly company_id: string
  readonly contract: 'spec' | 'vendor'
  readonly audit_logs_path?: string | undefined
}
