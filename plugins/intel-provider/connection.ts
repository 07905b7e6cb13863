import { addressSchema, defineConnection } from 'tocsin/plugin'
import { warningAboutModules } from './modules.ts'

const defaultBaseUrl = 'https://api.recordedfuture.com'
const defaultTokenHeader = 'X-RFToken'

/** Of the provider: each stands on its own, as the shapes of their errors show. */
const services = ['/v2/', '/alert/', '/playbook-alert/']

export const connection = defineConnection({
  title: 'Threat-intelligence provider',
  description:
    'Recorded Future, or a system with its API. Needs an API key, which a user with the role User or Admin and with ' +
    'API access generates; it is displayed once. Rotate it every 90 days.',
  docs: 'https://support.recordedfuture.com/hc/en-us/articles/4411077373587-Requesting-API-Tokens',
  setup: [
    'Sign in to the provider’s portal as a user with the role User or Admin and with API access.',
    'Generate an API key under user settings, API access, or ask the vendor for one. Its subscription decides which skills may use it.',
    'Copy it, as it is displayed once, and enter it here.',
    'Rotate it every 90 days: generate a new one, enter it here, authenticate, then revoke the old one.',
  ],
  settings: {
    type: 'object',
    required: ['api_key'],
    additionalProperties: false,
    properties: {
      api_key: {
        type: 'string',
        title: 'API Key',
        description: 'As it was displayed when it was generated, without spaces.',
        'x-secret': true,
        minLength: 1,
        maxLength: 500,
        // A line break caught when pasting must not get into a header.
        pattern: '^[!-~]+$',
        patternErrorMessage: 'must be visible ASCII characters, without blanks and line breaks',
      },
      base_url: {
        ...addressSchema,
        title: 'Base URL',
        description:
          'Address of the API: https, without a slash at the end. Plain http only for a sandbox on loopback.',
        default: defaultBaseUrl,
        examples: [defaultBaseUrl],
      },
      token_header: {
        type: 'string',
        title: 'Token header',
        description: 'Name of the header that carries the API key.',
        default: defaultTokenHeader,
        // Only names of its own kind: the key must never replace a header that has a meaning to others.
        pattern: '^[Xx]-[A-Za-z0-9]([A-Za-z0-9-]{0,58}[A-Za-z0-9])?$',
        patternErrorMessage:
          "must begin with X-, followed by at most 60 letters, digits and '-', not ending with '-'",
      },
    },
  },
  baseUrl: ({ base_url }) => base_url ?? defaultBaseUrl,
  headers: ({ api_key, token_header }) => ({ [token_header ?? defaultTokenHeader]: api_key.reveal() }),
  // The provider publishes no limits; Retry-After of one of its services shall not hold up the others.
  rate: ({ path }) => ({ bucket: services.find((service) => path.startsWith(service)) ?? '', limits: [] }),
  errors: {
    400: 'The provider refused the question: check the inputs of the step.',
    401: 'The API key is invalid or has expired: generate a new one with the provider and enter it in the connection.',
    403: 'The subscription tier does not include this: ask the provider to enable API access and the module for the key.',
    404: 'Nothing is there: check base_url, which ends before /v2.',
    429: 'Too many requests: it is tried again after the pause the provider asks for.',
    500: 'The provider has an outage or limits the rate: it is tried again with growing pauses.',
    502: 'The provider cannot be reached behind its gateway: it is tried again.',
    503: 'The provider has an outage or limits the rate: it is tried again with growing pauses.',
    504: 'The provider took too long: it is tried again.',
  },
  authenticate: async ({ http }) => ({ warning: await warningAboutModules(http) }),
})
