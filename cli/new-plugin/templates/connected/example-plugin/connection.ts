import { addressSchema, defineConnection } from 'tocsin/plugin'

export const connection = defineConnection({
  title: 'Example Plugin',
  description: 'A service that knows items by their number.',
  docs: 'https://docs.example.com/keys', // where its documentation says how a key is made
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
    401: 'the API key is wrong or has expired: make a new one and enter it here',
    403: 'the API key may not read items: give it that permission',
  },
  /** The cheapest call that needs the key. */
  async authenticate({ http }) {
    await http.get('/me')
  },
})
