import { expect } from 'chai'
import { createHmac, createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto'
import { awsSignature } from '../../core/declarative/compile/aws-signature.ts'
import { Secret } from '../../core/plugin/index.ts'
import { runSkill } from '../../core/plugin/testing/index.ts'
import { saidOf, pluginWith, skillOf } from './support.ts'

const secret = 'a-long-secret'
const fields =
  'fields: { api_key: { secret: true }, tenant: { default: common }, address: { address: public, default: https://login.example.com }, plan: { enum: [free, paid], default: free } }'
const nowMs = Date.parse('2026-03-01T08:00:00Z')

async function sent(
  connection: string,
  skill = '',
  settings: object = {},
  token: string | null = 'test-token',
) {
  const { requests } = await runSkill(
    skillOf({
      connection: `${fields}
${connection}`,
      skill,
    }),
    {},
    {
      settings: { api_key: secret, ...settings },
      now: nowMs,
      token,
      replies: ({ url }) =>
        url.includes('/token')
          ? { json: { access_token: 'fresh', token_type: 'bearer', expires_in: 60 } }
          : { json: {} },
    },
  )
  return requests
}

const decoded = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())

describe('credentials of a declarative plugin', () => {
  it('sends an API key in the query', async () => {
    const [request] = await sent('auth: { query: apikey, value: "${{ settings.api_key }}" }')
    expect(request!.path).to.equal(`/it?apikey=${secret}`)
  })

  it('sends the client of OAuth 2.0 in a Basic header', async () => {
    const oauth2 = `{ grant: client_credentials, token: /token, client_id: "a b", client_secret: "\${{ settings.api_key }}", send: basic, fields: { resource: x } }`
    const [request] = await sent(`auth: { oauth2: ${oauth2} }`, '', { api_key: 'a-long+secret' }, null)
    expect(request!.headers['authorization']).to.equal(
      `Basic ${Buffer.from('a%20b:a-long%2Bsecret').toString('base64')}`,
    )
    expect(request!.body).to.equal('grant_type=client_credentials&resource=x')
  })

  it('fetches the token at an address with settings in it, each as one segment', async () => {
    const at = (token: string, settings: object = {}) =>
      sent(
        `other_origins: [https://login.example.com, "\${{ settings.address }}"]
auth: { oauth2: { grant: client_credentials, token: "${token}", client_id: a, client_secret: "\${{ settings.api_key }}" } }`,
        '',
        settings,
        null,
      )
    const withTenant = 'https://login.example.com/${{ settings.tenant }}/oauth2/token'
    const urlOf = async (tenant: string) => (await at(withTenant, { tenant }))[0]!.url
    expect(await urlOf('contoso.com')).to.equal('https://login.example.com/contoso.com/oauth2/token')
    expect(await urlOf('a/b?c#d@e')).to.equal('https://login.example.com/a%2Fb%3Fc%23d%40e/oauth2/token')
    for (const tenant of ['..', '.', '%2e%2e', ' ']) {
      const error = await urlOf(tenant).catch((thrown: unknown) => thrown)
      expect(error, tenant).to.have.property('code', 'bad_path')
    }
    const [request] = await at('${{ settings.address }}/token', { address: 'https://login.example.com/eu' })
    expect(request!.url).to.equal('https://login.example.com/eu/token')
  })

  it('reports token endpoints that no request may reach', () => {
    const said = (token: string, more = '') =>
      saidOf(
        pluginWith({
          connection: `${fields}
${more}
auth: { oauth2: { grant: client_credentials, token: "${token}", client_id: a, client_secret: b } }`,
        }),
      ).join('\n')
    const listed = 'other_origins: [https://login.example.com]'
    expect(said('https://login.example.com/${{ settings.plan }}/token', listed)).to.equal('')
    expect(said('https://api.example.com/token')).to.equal('')
    for (const token of ['https://login.example.com/token', 'https://login.example.com/${{ settings.plan }}'])
      expect(said(token)).to.match(
        /E802 the origin of the token endpoint, .* \(make it a field, such as login_url: .* default: https:/,
      )
    expect(said('oauth/token')).to.include('E802 `token` must begin with / or https://')
    expect(said('/${{ settings.api_key }}/token')).to.include('E803')
  })

  it('signs requests in the query', async () => {
    const hmac = `
    key: "\${{ settings.api_key }}"
    text: "\${{ request.query }} \${{ now_ms }}"
    query: { time: "\${{ now_ms }}", sign: "\${{ signature }}" }`
    const [request] = await sent(`auth:\n  hmac:${hmac}`, 'request: { get: /it, query: { a: 1 } }')
    const expected = createHmac('sha256', secret).update(`a=1 ${nowMs}`).digest('hex')
    expect(request!.path).to.equal(`/it?a=1&time=${nowMs}&sign=${expected}`)
    const without = pluginWith({ connection: 'auth: { hmac: { key: a, text: b } }' })
    expect(saidOf(without).join()).to.include('E105 `hmac` needs `headers` or `query`')
  })

  it('signs the assertion of RFC 7523 with a private key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const oauth2 = `{ grant: jwt_bearer, token: /token, key: "\${{ settings.api_key }}", key_id: k1, claims: { iss: me, scope: [a] }, lifetime: 1h }`
    // Pasted into a one-line field.
    const [request] = await sent(
      `auth: { oauth2: ${oauth2} }`,
      '',
      { api_key: pem.trim().replaceAll('\n', String.raw`\n`) },
      null,
    )
    const form = new URLSearchParams(request!.body)
    expect(form.get('grant_type')).to.equal('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [header, claims, signature = ''] = form.get('assertion')!.split('.')
    expect(decoded(header)).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid: 'k1' })
    expect(decoded(claims)).to.deep.include({
      iss: 'me',
      scope: ['a'],
      iat: nowMs / 1000,
      exp: nowMs / 1000 + 3600,
    })
    const verify = createVerify('sha256').update(`${header}.${claims}`)
    expect(
      verify.verify(
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        signature,
        'base64url',
      ),
    ).to.equal(true)
  })

  it('signs requests with a shared key', async () => {
    const hmac = `
    key: "\${{ settings.api_key }}"
    text: "\${{ request.method }} \${{ request.path }}?\${{ request.query }} \${{ request.body }} \${{ now_ms }}"
    encoding: base64
    headers: { x-time: "\${{ now_ms }}", x-sign: "v1=\${{ signature }}" }`
    const skill = 'effect: write\nrepeat: never\nrequest: { post: /it, query: { a: 1 }, json: { b: 2 } }'
    const [request] = await sent(`auth:\n  hmac:${hmac}`, skill)
    const expected = createHmac('sha256', secret).update(`POST /it?a=1 {"b":2} ${nowMs}`).digest('base64')
    expect(request!.headers).to.include({ 'x-time': String(nowMs), 'x-sign': `v1=${expected}` })
  })

  // `get-vanilla-query-order-key-case` of AWS's test suite for Signature Version 4.
  it('signs as AWS does', () => {
    const headers = awsSignature(
      {
        method: 'GET',
        url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1',
        headers: {},
        body: new Uint8Array(),
        nowMs: Date.parse('2015-08-30T12:36:00Z'),
      },
      {
        accessKeyId: 'AKIDEXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        sessionToken: undefined,
        region: 'us-east-1',
        service: 'service',
      },
    )
    expect(headers).to.deep.equal({
      'x-amz-date': '20150830T123600Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    })
  })

  it('sends the signature of AWS', async () => {
    const aws =
      '{ access_key_id: AKID, secret_access_key: "${{ settings.api_key }}", region: eu-central-1, service: guardduty }'
    const [request] = await sent(`auth: { aws: ${aws} }`)
    expect(request!.headers['authorization']).to.match(
      /^AWS4-HMAC-SHA256 Credential=AKID\/20260301\/eu-central-1\/guardduty\/aws4_request/,
    )
  })

  const said = (oauth2: string) =>
    saidOf(pluginWith({ connection: `${fields}\nauth: { oauth2: ${oauth2} }` })).join('\n')

  it('reports keys of another grant, and missing ones', () => {
    expect(said('{ grant: jwt_bearer, token: /t, client_id: a }')).to.include(
      'E112 `client_id` belongs to `grant: client_credentials` or `grant: authorization_code`',
    )
    expect(said('{ grant: jwt_bearer, token: /t }')).to.include('E105 this grant needs `key`')
    expect(said('{ grant: client_credentials, token: /t, issuer: x }')).to.include('E112 `issuer` belongs to')
    const missing = said('{ grant: authorization_code, token: /t }')
    expect(missing).to.include('needs `authorize`').and.include('needs `client_id`')
  })

  it('declares the sign-in of a person', () => {
    const oauth2 = `{ grant: authorization_code, authorize: "https://login.example.com/\${{ settings.tenant }}/authorize", token: /token, revoke: /revoke,
  client_id: app, client_secret: "\${{ settings.api_key }}", send: basic, scope: "read \${{ settings.plan }}", parameters: { access_type: offline }, fields: { resource: x },
  issuer: https://login.example.com, refresh_token: reusable }`
    const { connection } = skillOf({ connection: `${fields}\nauth: { oauth2: ${oauth2} }` })
    const settings = { api_key: new Secret(secret), tenant: 'a/b', plan: 'free' }
    expect(connection!.signIn!(settings)).to.deep.equal({
      authorize: 'https://login.example.com/a%2Fb/authorize',
      token: '/token',
      revoke: '/revoke',
      clientId: 'app',
      clientSecret: secret,
      send: 'basic',
      scope: 'read free',
      parameters: { access_type: 'offline' },
      form: { resource: 'x' },
      issuer: 'https://login.example.com',
      refreshToken: 'reusable',
    })
    const publicClient = '{ grant: authorization_code, authorize: /authorize, token: /token, client_id: app }'
    const { connection: open } = skillOf({ connection: `auth: { oauth2: ${publicClient} }` })
    expect(open!.signIn!({})).to.deep.equal({
      authorize: '/authorize',
      token: '/token',
      clientId: 'app',
      send: 'form',
      parameters: {},
      form: {},
      refreshToken: 'single_use',
    })
  })

  it('reports invalid parameters and addresses of a sign-in', () => {
    const signIn = (more: string) =>
      said(`{ grant: authorization_code, authorize: /a, token: /t, client_id: app, ${more} }`)
    expect(signIn('parameters: { state: x }')).to.include("E107 Tocsin sets 'state' itself")
    expect(signIn('fields: { code_verifier: x }')).to.include("E107 Tocsin sets 'code_verifier' itself")
    expect(signIn('parameters: { key: "${{ settings.api_key }}" }')).to.include('E803')
    expect(signIn('scope: "${{ settings.api_key }}"')).to.include('E803')
    expect(signIn('revoke: https://other.example/revoke')).to.include(
      "E802 the origin of the revocation endpoint, 'https://other.example', is not listed",
    )
    expect(signIn('refresh_token: twice')).to.include('single_use')
    expect(
      said('{ grant: authorization_code, authorize: login.example.com/a, token: /t, client_id: app }'),
    ).to.include('E802 `authorize` must begin with / or https://')
  })
})

describe('the rate of a declarative plugin', () => {
  const rateOf = (connection: string) => {
    const { rate } = skillOf({ connection: `${fields}\n${connection}` }).connection!
    return (path: string, settings: object = {}, method = 'GET') => rate!({ method, path }, settings)
  }

  it('depends on a setting', () => {
    const rate = rateOf("rate: \"${{ settings.plan == 'free' ? '50/week' : '4/10s' }}\"")
    expect(rate('/it', { plan: 'free' })).to.deep.equal({
      bucket: '',
      limits: [{ requests: 50, perMs: 604_800_000 }],
    })
    expect(rate('/it', { plan: 'paid' })).to.deep.equal({
      bucket: '',
      limits: [{ requests: 4, perMs: 10_000 }],
    })
  })

  it('has budgets for some requests', () => {
    const rate = rateOf(`rate:
  - { methods: [post], path: /reports, bucket: reports, limits: 1000/day }
  - { limits: [4/s, 500/day] }`)
    expect(rate('/reports', {}, 'POST')?.bucket).to.equal('reports')
    expect(rate('/reports')).to.deep.equal({
      bucket: 'budget 2',
      limits: [
        { requests: 4, perMs: 1000 },
        { requests: 500, perMs: 86_400_000 },
      ],
    })
  })

  it('is checked even if an expression chooses it', () => {
    const connection = `${fields}\nrate: "\${{ settings.plan == 'free' ? '50 a week' : '4/s' }}"`
    expect(saidOf(pluginWith({ connection })).join()).to.include("E107 '50 a week' is not a rate")
  })
})
