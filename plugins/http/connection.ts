import { defineConnection, privateAddressSchema } from 'tocsin/plugin'

export const connection = defineConnection({
  title: 'HTTP API',
  description: 'Any HTTP API that takes its credentials in one header, or needs none.',
  settings: {
    type: 'object',
    required: ['base_url'],
    additionalProperties: false,
    properties: {
      base_url: {
        ...privateAddressSchema,
        title: 'Base URL',
        description: 'Every request stays below this URL.',
      },
      header_name: {
        type: 'string',
        title: 'Header name',
        description:
          'The header that carries the credentials. Not allowed are headers that control the connection: Host, Content-Length, Transfer-Encoding, Connection, Expect, Upgrade, TE, Trailer and Accept-Encoding.',
        default: 'authorization',
        pattern: '^[A-Za-z0-9-]+$',
        patternErrorMessage: "must be letters, digits and '-'",
      },
      header_value: {
        type: 'string',
        title: 'Header value',
        description:
          'The full header value, e.g. `Bearer <token>`, without line breaks and control characters. Leave it out for an API without credentials.',
        minLength: 1,
        'x-secret': true,
      },
      test_path: {
        type: 'string',
        title: 'Test path',
        description: 'A path that requires valid credentials; requested by the connection test.',
        default: '/',
        pattern:
          '^/(\\.?([^./?%\\s\\\\#]|%([013-9a-fA-F][0-9a-fA-F]|2[0-9a-dfA-DF]))[^/?\\s\\\\#]*/)*(\\.?([^./?%\\s\\\\#]|%([013-9a-fA-F][0-9a-fA-F]|2[0-9a-dfA-DF]))[^/?\\s\\\\#]*)?(\\?[^\\s\\\\#]*)?$',
        patternErrorMessage:
          "must be a path: one '/' at the beginning, no '.' or '..' as a segment, no spaces, '\\' and '#'",
      },
    },
  },
  baseUrl: (settings) => settings.base_url,
  headers: ({ header_name: name, header_value: value }) =>
    value === undefined ? {} : { [name ?? 'authorization']: value.reveal() },
  async authenticate({ settings, http }) {
    const { pathname, query } = splitQuery(settings.test_path ?? '/')
    await http.get(pathname, { query, headers: { accept: '*/*' } })
  },
})

function splitQuery(path: string): { readonly pathname: string; readonly query: Record<string, string[]> } {
  const [pathname = '/', ...rest] = path.split('?')
  const pairs = new URLSearchParams(rest.join('?'))
  return { pathname, query: Object.fromEntries([...pairs.keys()].map((name) => [name, pairs.getAll(name)])) }
}
