import { expect } from 'chai'
import { closeAll, declaredWith, getIp, known, startedFor } from './sandbox-support.ts'

describe('the credentials of a declarative plugin in its sandbox', () => {
  afterEach(closeAll)

  for (const [what, field, login] of [
    ['a field', 'default: https://login.example.com', 'settings.login_url'],
    ['an optional field', 'optional: true', "settings.?login_url.orValue('https://login.example.com')"],
  ] as const)
    it(`issues tokens at another address, which is ${what}`, async () => {
      const connection = `fields:
  api_key: { secret: true }
  login_url: { address: public, ${field} }
other_origins: ["\${{ ${login} }}"]
auth:
  oauth2: { grant: client_credentials, token: "\${{ ${login} }}/token", client_id: kim, client_secret: "\${{ settings.api_key }}" }`
      const { run, running, code } = await startedFor(declaredWith({ connection, skill: getIp }, known))
      expect(await run({ ip: '192.0.2.1' })).to.deep.include({ score: 9 })
      expect(running.requests[0]?.path).to.equal('/token')
      expect(await code({ ip: '192.0.2.1' }, { api_key: 'another-secret' })).to.deep.equal({
        code: 'token_refused',
      })
    })

  it('lets a person sign in, allow or deny access, and sign out', async () => {
    const connection = `fields:
  login_url: { address: public, default: https://login.example.com }
other_origins: ["\${{ settings.login_url }}"]
auth:
  oauth2:
    grant: authorization_code
    authorize: "\${{ settings.login_url }}/authorize"
    token: "\${{ settings.login_url }}/token"
    revoke: "\${{ settings.login_url }}/revoke"
    client_id: kim
    issuer: https://login.example`
    const { running, run } = await startedFor(declaredWith({ connection, skill: getIp }, known))
    expect(await run({ ip: '192.0.2.1' })).to.deep.include({ score: 9 })
    expect(running.requests.map(({ path }) => path.split('?')[0])).to.deep.equal([
      '/authorize',
      '/token',
      '/ips/192.0.2.1',
    ])
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'kim',
      redirect_uri: 'https://tocsin.example/"><script>/callback',
      state: 's',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const page = await fetch(`${running.url}/authorize?${query.toString()}`)
    const html = await page.text()
    expect(page.headers.get('content-type')).to.include('text/html')
    expect(html).to.include('Allow access').and.not.include('<script>')
    const [, deny = ''] = /href="([^"]*consent=deny)"/.exec(html) ?? []
    const denied = await fetch(running.url + deny.replaceAll('&amp;', '&'), { redirect: 'manual' })
    const location = new URL(denied.headers.get('location') ?? '')
    expect(Object.fromEntries(location.searchParams)).to.deep.equal({
      error: 'access_denied',
      state: 's',
      iss: 'https://login.example',
    })
    query.delete('code_challenge')
    expect((await fetch(`${running.url}/authorize?${query.toString()}`)).status).to.equal(400)
    expect((await fetch(`${running.url}/token`)).status).to.equal(405)
    expect((await fetch(`${running.url}/revoke`, { method: 'POST' })).status).to.equal(200)
  })

  const secrets = 'api_key: { secret: true }'
  for (const [name, auth, fields = secrets] of [
    ['a header', '{ header: X-Key, value: "${{ settings.api_key }}" }'],
    ['the query', '{ query: key, value: "${{ settings.api_key }}" }'],
    ['Basic', '{ basic: { username: kim, password: "${{ settings.api_key }}" } }'],
    ['Bearer', '{ bearer: "${{ settings.api_key }}" }'],
    ...['form', 'basic'].map(
      (send) =>
        [
          `a token, with the client in ${send}`,
          `{ oauth2: { grant: client_credentials, token: /token, client_id: kim, client_secret: "\${{ settings.api_key }}", scope: all, send: ${send} } }`,
        ] as const,
    ),
    ...['RS256', 'PS256', 'ES256', 'HS256'].map(
      (algorithm) =>
        [
          `a token for an assertion with ${algorithm}`,
          `{ oauth2: { grant: jwt_bearer, token: /token, algorithm: ${algorithm}, key: "\${{ settings.api_key }}", claims: { iss: kim } } }`,
        ] as const,
    ),
    ...['form', 'basic'].map(
      (send) =>
        [
          `a sign-in, with the client in ${send}`,
          `{ oauth2: { grant: authorization_code, authorize: /authorize, token: /token, client_id: kim, client_secret: "\${{ settings.api_key }}", issuer: https://login.example, send: ${send} } }`,
        ] as const,
    ),
    [
      'AWS signatures',
      '{ aws: { access_key_id: kim, secret_access_key: "${{ settings.api_key }}", region: eu-central-1, service: guardduty } }',
    ],
    [
      'HMAC with a time in the query',
      '{ hmac: { key: "${{ settings.api_key }}", text: "${{ request.url }} ${{ now_ms }}", query: { time: "${{ now_ms }}", sign: "${{ signature }}" } } }',
    ],
    [
      'HMAC with a time in headers',
      '{ hmac: { key: "${{ settings.api_key }}", text: "${{ request.method }} ${{ request.path }} ${{ now_ms }}", headers: { x-time: "${{ now_ms }}", x-signature: "${{ signature }}" } } }',
    ],
  ] as const) {
    it(`accepts its own credentials only: ${name}`, async () => {
      const connection = `fields: { ${fields} }\nauth: ${auth}`
      const { running, run, code, check, call } = await startedFor(
        declaredWith({ connection, skill: getIp }, known),
      )
      expect(await run({ ip: '192.0.2.1' })).to.deep.equal({ found: true, score: 9 })
      expect(await check()).to.deep.equal({ account: undefined })
      // Each sandbox has its own private key.
      const other = (await startedFor(declaredWith({ connection, skill: getIp }, known))).running.settings
      const isKey = other['api_key'] !== running.settings['api_key']
      const wrong = isKey ? other['api_key'] : 'another-secret'
      expect((await code({ ip: '192.0.2.1' }, { api_key: wrong })).code).to.be.oneOf([
        'http_401',
        'token_refused',
      ])
      expect((await call('/ips/192.0.2.1', { headers: {} })).status).to.equal(401)
    })
  }
})
