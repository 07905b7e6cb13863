import { addressSchema, defineConnection } from 'tocsin/plugin'

export const connection = defineConnection({
  title: 'Example Plugin',
  description: 'A service that looks up items by number.',
  docs: 'https://docs.example.com/keys', // the page that explains how to create a key
  settings: {
    type: 'object',
    required: ['base_url', 'api_key'],
    additionalProperties: false,
    properties: {
      base_url: { ...addressSchema, title: 'Base URL', default: 'https://api.example.com' },
      api_key: { type: 'string', title: 'API key', minLength: 8, 'x-secret': true },
    },
  },
  baseUrl: (settings) => settings.base_url,
  headers: (settings) => ({ 'x-api-key': settings.api_key.reveal() }),
  errors: {
    401: 'the API key is wrong or has expired: create a new one and enter it here',
    403: 'the API key may not read items: give it that permission',
  },
  /** The cheapest call that needs the key. */
  async authenticate({ http }) {
    await http.get('/me')
  },
})
