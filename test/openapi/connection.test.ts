import { expect } from 'chai'
import { documentWith, generated, readingProblems, type PlainValue } from './support.ts'

/** The connection of a document with these keys. */
function connectionOf(more: object, operation: object = {}): PlainValue {
  const made = generated(documentWith(operation, more))
  expect(made.problems).to.deep.equal([])
  expect(readingProblems(made)).to.deep.equal([])
  return { ...made.plugin.connection, notes: made.notes.join(' ') }
}

const withScheme = (scheme: object, security: readonly object[] = [{ key: ['read'] }]) =>
  connectionOf({ security, components: { securitySchemes: { key: scheme } } })

const token = '${{ settings.token }}'
const key = '${{ settings.api_key }}'

describe('the credentials of a document', () => {
  for (const [what, scheme, auth] of [
    ['a key in a header', { type: 'apiKey', in: 'header', name: 'X-Key' }, { header: 'X-Key', value: key }],
    ['a key in the query', { type: 'apiKey', in: 'query', name: 'apikey' }, { query: 'apikey', value: key }],
    [
      'a key in a cookie',
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { header: 'Cookie', value: `sid=${key}` },
    ],
    [
      'a key with a word before it',
      { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Write `SSWS {token}`.' },
      { header: 'Authorization', value: `SSWS ${key}` },
    ],
    [
      'basic',
      { type: 'http', scheme: 'basic' },
      { basic: { username: '${{ settings.username }}', password: '${{ settings.password }}' } },
    ],
    ['bearer', { type: 'http', scheme: 'Bearer' }, { bearer: token }],
    [
      'client credentials',
      { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token' } } },
      {
        oauth2: {
          grant: 'client_credentials',
          token: '/oauth/token',
          client_id: '${{ settings.client_id }}',
          client_secret: '${{ settings.client_secret }}',
          scope: 'read',
        },
      },
    ],
    [
      'an authorization code',
      { type: 'oauth2', flows: { authorizationCode: { tokenUrl: 'https://a.example/t' } } },
      { bearer: token },
    ],
  ] as const)
    it(`are declared: ${what}`, () => {
      const { auth: found, fields } = withScheme(scheme)
      expect(found).to.deep.equal(auth)
      const secrets = Object.values(fields as Record<string, { secret?: boolean }>).filter(
        ({ secret }) => secret,
      )
      expect(secrets).to.have.length(1)
    })

  for (const scheme of [{ type: 'mutualTLS' }, { type: 'http', scheme: 'digest' }, { type: 'openIdConnect' }])
    it(`are left to the author with a remark: ${scheme.type}`, () => {
      const { auth, notes } = withScheme(scheme)
      expect(auth).to.equal(undefined)
      expect(notes).to.include('fill in `auth` by hand')
    })

  it('may be two keys at once', () => {
    const securitySchemes = {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
      app: { type: 'apiKey', in: 'header', name: 'X-App' },
    }
    const { auth, headers } = connectionOf({
      security: [{ apiKey: [], app: [] }],
      components: { securitySchemes },
    })
    expect(auth).to.deep.equal({ header: 'X-Key', value: key })
    expect(headers).to.deep.equal({ 'X-App': '${{ settings.app }}' })
  })

  it('are those that an operation accepts, and declared ones before those by hand', () => {
    const securitySchemes = {
      tls: { type: 'mutualTLS' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    }
    const { auth } = connectionOf(
      { components: { securitySchemes } },
      { security: [{ tls: [] }, { key: [] }] },
    )
    expect(auth).to.deep.equal({ header: 'X-Key', value: key })
  })

  it('are not sent as inputs too', () => {
    const parameters = [{ name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } }]
    expect(generated(documentWith({ parameters })).plugin.skills[0]!['input']).to.equal(undefined)
  })
})

describe('the address of a document', () => {
  for (const [what, servers, baseUrl, fields] of [
    ['without a path', [{ url: 'https://api.things.example/' }], 'https://api.things.example', undefined],
    ['without TLS', [{ url: 'http://api.things.example/v1' }], 'https://api.things.example/v1', undefined],
    [
      'with variables',
      [
        {
          url: 'https://{region}.things.example',
          variables: { region: { enum: ['eu', 'us'], default: 'eu' } },
        },
      ],
      'https://${{ settings.region }}.things.example',
      { region: { enum: ['eu', 'us'], default: 'eu' } },
    ],
  ] as const)
    it(`is that of its server ${what}`, () => {
      const connection = connectionOf({ servers })
      expect(connection.base_url).to.equal(baseUrl)
      expect(connection.fields).to.deep.equal(fields)
    })

  for (const url of [
    '/api/v3',
    '',
    'https://localhost:8080',
    'https://your-domain.things.net',
    'ftp://a.example',
    'https://a b',
  ])
    it(`is asked from the operator: ${url || 'none'}`, () => {
      const { base_url: baseUrl, fields, notes } = connectionOf({ servers: [{ url }] })
      expect(baseUrl).to.equal('${{ settings.base_url }}')
      expect(fields.base_url).to.include({ address: 'public' })
      expect(notes).to.include('does not state the address')
    })

  it('is `host` and `basePath` in Swagger 2', () => {
    const swagger = {
      swagger: '2.0',
      info: {},
      host: 'api.things.example',
      basePath: '/v2',
      paths: { '/a': { get: {} } },
    }
    expect(generated(swagger).plugin.connection['base_url']).to.equal('https://api.things.example/v2')
  })
})
