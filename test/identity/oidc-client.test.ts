import { expect } from 'chai'
import type { ServerResponse } from 'node:http'
import { loopbackEgress } from '../../core/plugin/testing/index.ts'
import { Secret, TocsinError } from '../../core/plugin/index.ts'
import type { OidcSettings } from '../../server/config/oidc-settings.ts'
import { createEgress } from '../../server/egress/egress.ts'
import { createOidcClient, type Challenge, type OidcClient } from '../../server/identity/oidc-client.ts'
import { settingsOf, startProvider, type ProviderOptions, type TestProvider } from './support/provider.ts'

const redirectUri = 'http://127.0.0.1:9/sign-in/callback'

describe('an OpenID Connect client', () => {
  let provider: TestProvider
  let client: OidcClient

  const start = async (options: Partial<ProviderOptions> = {}, settings: Partial<OidcSettings> = {}) => {
    provider = await startProvider(options)
    const anna = { name: 'Anna', email: 'anna@example.com', email_verified: true, groups: ['soc'] }
    provider.people.set('anna-1', anna)
    provider.current = 'anna-1'
    client = clientOf(settings)
  }
  const clientOf = (settings: Partial<OidcSettings> = {}, more: object = {}) =>
    createOidcClient({
      settings: { ...settingsOf(provider), ...settings },
      egress: loopbackEgress,
      clock: { now: Date.now },
      readSecret: () => Promise.resolve(new Secret(provider.clientSecret)),
      ...more,
    })
  afterEach(() => provider.close())

  const visited = async () => {
    const { url, challenge } = await client.begin(redirectUri)
    return { answer: await provider.visit(url), challenge }
  }
  const signedIn = async () => {
    const { answer, challenge } = await visited()
    return await client.complete(answer, challenge)
  }
  const failure = async (work: Promise<unknown>): Promise<TocsinError> => {
    try {
      await work
    } catch (error) {
      if (error instanceof TocsinError) return error
      throw error
    }
    throw new Error('accepted')
  }
  const expectFailure = async (work: Promise<unknown>, code: string, text = '') => {
    const { code: actual, message, hint } = await failure(work)
    expect(actual, message).to.equal(code)
    expect(message).to.include(text)
    expect(hint).to.be.a('string')
  }

  it('signs a person in with code, PKCE, state and nonce', async () => {
    await start()
    const { url, challenge } = await client.begin(redirectUri)
    const asked = Object.fromEntries(new URL(url).searchParams)
    expect(asked).to.include({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
    })
    expect(asked['state']).to.equal(challenge.state)
    expect(asked['nonce']).to.equal(challenge.nonce)
    const { identity, sessionId, refreshToken } = await client.complete(await provider.visit(url), challenge)
    expect(identity).to.deep.equal({
      issuer: provider.issuer,
      subject: 'anna-1',
      name: 'Anna',
      email: 'anna@example.com',
      isEmailVerified: true,
      hostedDomain: null,
      groups: ['soc'],
    })
    expect(sessionId).to.be.a('string')
    expect(refreshToken).to.equal(null)
  })

  it('asks userinfo for groups that are not in the ID token', async () => {
    await start({ hasThinTokens: true })
    expect((await signedIn()).identity.groups).to.deep.equal(['soc'])
    expect(provider.requests).to.include('/me')
  })

  it('asks for the configuration of the provider once for all sign-ins', async () => {
    await start()
    await signedIn()
    await signedIn()
    expect(provider.requests.filter((path) => path.includes('.well-known'))).to.have.length(1)
  })

  describe('given a forged answer, it refuses', () => {
    beforeEach(() => start())

    const refusesWith = async (changes: Record<string, string | undefined>, text: string) => {
      const { answer, challenge } = await visited()
      for (const [name, value] of Object.entries(changes))
        if (value === undefined) answer.searchParams.delete(name)
        else answer.searchParams.set(name, value)
      await expectFailure(client.complete(answer, challenge), 'single_sign_on_refused', text)
    }

    it('another state', () => refusesWith({ state: 'x'.repeat(43) }, 'oauth_invalid_response'))
    it('no state', () => refusesWith({ state: undefined }, 'oauth_invalid_response'))
    it('another issuer', () => refusesWith({ iss: 'https://evil.example' }, 'oauth_invalid_response'))
    it('no issuer, though the provider always names itself', () =>
      refusesWith({ iss: undefined }, 'oauth_invalid_response'))
    it('a made-up code', () => refusesWith({ code: 'made-up' }, 'invalid_grant'))
    it('no code', () => refusesWith({ code: undefined }, 'invalid'))
    it('an error with a text, which it does not repeat', async () => {
      const { answer, challenge } = await visited()
      answer.searchParams.delete('code')
      answer.searchParams.set('error', '<script>')
      answer.searchParams.set('error_description', 'call 555-0100')
      const { message } = await failure(client.complete(answer, challenge))
      expect(message).to.equal('the identity provider refused the request (unknown error)')
    })

    it('a code that was used before', async () => {
      const { answer, challenge } = await visited()
      await client.complete(answer, challenge)
      await expectFailure(client.complete(answer, challenge), 'single_sign_on_refused', 'invalid_grant')
    })

    it('the code of another sign-in, which has another verifier and nonce', async () => {
      const [first, second] = [await visited(), await visited()]
      first.answer.searchParams.set('code', second.answer.searchParams.get('code')!)
      await expectFailure(
        client.complete(first.answer, first.challenge),
        'single_sign_on_refused',
        'invalid_grant',
      )
    })

    it('an answer at an address that was not registered', async () => {
      const { answer, challenge } = await visited()
      answer.pathname = '/elsewhere'
      await expectFailure(client.complete(answer, challenge), 'single_sign_on_refused', 'invalid_grant')
    })

    it('the refusal of the person', async () => {
      provider.current = undefined
      const { answer, challenge } = await visited()
      await expectFailure(client.complete(answer, challenge), 'single_sign_on_refused', 'access_denied')
    })
  })

  describe('given a forged ID token, it refuses', () => {
    beforeEach(() => start())

    interface Forged {
      readonly claims?: object
      readonly sign?: Parameters<TestProvider['sign']>[1]
      readonly token?: (token: string) => string
    }
    const answersWith = async ({ claims = {}, sign, token = (made) => made }: Forged) => {
      const { answer, challenge } = await visited()
      const made = token(await provider.sign({ ...goodClaims(challenge), ...claims }, sign))
      provider.overrides.set('/token', (_request, response) =>
        sendJson(response, { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: made }),
      )
      return client.complete(answer, challenge)
    }
    const goodClaims = ({ nonce }: Challenge) => {
      const now = Math.floor(Date.now() / 1_000)
      const groups = ['soc']
      return {
        iss: provider.issuer,
        aud: provider.clientId,
        sub: 'anna-1',
        nonce,
        iat: now,
        exp: now + 60,
        groups,
      }
    }
    const refuses = (forged: Forged) => expectFailure(answersWith(forged), 'single_sign_on_refused')
    const unsigned = (token: string) => {
      const [, payload] = token.split('.')
      return `${Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')}.${payload}.`
    }

    it('but accepts the same one without the forgery', async () => {
      expect((await answersWith({})).identity.subject).to.equal('anna-1')
    })
    it('of another sign-in', () => refuses({ claims: { nonce: 'another' } }))
    it('without a nonce', () => refuses({ claims: { nonce: undefined } }))
    it('of another issuer', () => refuses({ claims: { iss: 'https://evil.example' } }))
    it('for another client', () => refuses({ claims: { aud: 'another' } }))
    it('for several clients, issued to another', () =>
      refuses({ claims: { aud: ['tocsin', 'x'], azp: 'x' } }))
    it('that has expired', () => refuses({ claims: { exp: Math.floor(Date.now() / 1_000) - 120 } }))
    it('without a subject', () => refuses({ claims: { sub: undefined } }))
    it('that nobody signed', () => refuses({ token: unsigned }))
    it('signed with a key that is not published', () => refuses({ sign: { key: 'foreign' } }))
    it('signed with a foreign key under a published name', () =>
      refuses({ sign: { key: 'foreign', header: { kid: undefined } } }))
    it('that was changed', () =>
      refuses({
        token: (made) => made.replace(/\.([^.]+)\./, (_all, payload: string) => `.${changed(payload)}.`),
      }))
    const changed = (payload: string) => {
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
      return Buffer.from(JSON.stringify({ ...claims, groups: ['admins'] })).toString('base64url')
    }
    it('whose groups were left out because there are too many', () =>
      expectFailure(
        answersWith({ claims: { groups: undefined, _claim_names: { groups: 'src1' } } }),
        'groups_incomplete',
      ))
    it('whose groups are no strings', () =>
      expectFailure(answersWith({ claims: { groups: [{ id: 1 }] } }), 'identity_invalid'))
  })

  it('tolerates a clock that differs by some seconds', async () => {
    await start()
    const { answer, challenge } = await visited()
    const soon = Math.floor(Date.now() / 1_000) + 20
    const claims = { iss: provider.issuer, aud: provider.clientId, sub: 'anna-1', nonce: challenge.nonce }
    const made = await provider.sign({ ...claims, groups: ['soc'], iat: soon, exp: soon - 30 })
    provider.overrides.set('/token', (_request, response) =>
      sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token: made }),
    )
    expect((await client.complete(answer, challenge)).identity.groups).to.deep.equal(['soc'])
  })

  it('accepts new keys at once after the provider has rotated them', async () => {
    await start()
    await signedIn()
    await provider.rotateKeys()
    expect((await signedIn()).identity.subject).to.equal('anna-1')
  })

  it('reads a thousand groups, one group as a string, and groups at a path', async () => {
    await start({}, { groupsClaim: 'realm_access.roles' })
    const groups = Array.from({ length: 1_000 }, (_, at) => `group-${at}`)
    for (const [given, expected] of [
      [groups, groups],
      ['soc', ['soc']],
      [undefined, []],
    ] as const) {
      provider.overrides.delete('/token')
      const { answer, challenge } = await visited()
      const now = Math.floor(Date.now() / 1_000)
      const claims = { iss: provider.issuer, aud: provider.clientId, sub: 'anna-1', nonce: challenge.nonce }
      const token = await provider.sign({
        ...claims,
        iat: now,
        exp: now + 60,
        realm_access: { roles: given },
      })
      provider.overrides.set('/token', (_request, response) =>
        sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token: token }),
      )
      provider.overrides.set('/me', (_request, response) => sendJson(response, { sub: 'anna-1' }))
      expect((await client.complete(answer, challenge)).identity.groups).to.deep.equal(expected)
    }
  })

  describe('while the provider', () => {
    beforeEach(() => start())
    const unavailable = (work: Promise<unknown>, text = '') =>
      expectFailure(work, 'identity_provider_unavailable', text)

    it('is down, it says so, and works when the provider is back', async () => {
      await provider.stop()
      const { message } = await failure(client.begin(redirectUri))
      const { host } = new URL(provider.issuer)
      expect(message).to.match(new RegExp(`^the identity provider ${host} is not available: .*ECONNREFUSED`))
      expect(message.match(/not available/g), 'said once').to.have.length(1)
      await provider.restart()
      client = clientOf()
      await signedIn()
    })

    it('goes down during a sign-in, it says so', async () => {
      const { answer, challenge } = await visited()
      await provider.stop()
      await unavailable(client.complete(answer, challenge))
      await provider.restart()
      await signedIn()
    })

    it('sends an HTML page instead of tokens, it says so', async () => {
      const { answer, challenge } = await visited()
      provider.overrides.set('/token', (_request, response) => {
        response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>maintenance</h1>')
      })
      await unavailable(client.complete(answer, challenge), '503')
    })

    it('sends broken JSON, it says so', async () => {
      provider.overrides.set('/.well-known/openid-configuration', (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":')
      })
      await unavailable(client.begin(redirectUri))
    })

    it('answers with a redirect, it does not follow it', async () => {
      provider.overrides.set('/.well-known/openid-configuration', (_request, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end()
      })
      await unavailable(client.begin(redirectUri), '302')
    })

    it('sends a huge answer, it stops reading', async () => {
      provider.overrides.set('/.well-known/openid-configuration', (_request, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"x":"${'x'.repeat(2_000_000)}"}`)
      })
      await expectFailure(client.begin(redirectUri), 'identity_provider_invalid')
    })

    it('does not answer, it gives up', async () => {
      provider.overrides.set('/.well-known/openid-configuration', () => undefined)
      client = clientOf({}, { timeoutSeconds: 0.2 })
      await unavailable(client.begin(redirectUri))
    })

    it('does not send its keys, it gives up', async () => {
      provider.overrides.set('/jwks', () => undefined)
      client = clientOf({}, { timeoutSeconds: 0.5 })
      await unavailable(signedIn())
      await unavailable(client.verifyLogout(await provider.sign({})))
    })

    it('calls itself by another name, it refuses it', async () => {
      provider.overrides.set('/.well-known/openid-configuration', (_request, response) =>
        sendJson(response, {
          issuer: 'https://evil.example',
          authorization_endpoint: 'https://evil.example/a',
        }),
      )
      await expectFailure(client.begin(redirectUri), 'identity_provider_invalid')
    })

    it('knows another secret of the client, it names what to check', async () => {
      const { answer, challenge } = await visited()
      client = clientOf({}, { readSecret: () => Promise.resolve(new Secret('another')) })
      await expectFailure(client.complete(answer, challenge), 'identity_provider_invalid', 'client secret')
    })

    it('is at a private address that is not allowed, it names the variable', async () => {
      const egress = createEgress({ allowPrivate: [] })
      client = clientOf({}, { egress })
      const { code, hint } = await failure(client.begin(redirectUri))
      expect(code).to.equal('identity_provider_invalid')
      expect(hint).to.include('TOCSIN_ALLOW_PRIVATE_EGRESS')
      egress.close()
    })
  })

  describe('with a refresh token', () => {
    beforeEach(() => start({ refreshTokens: true }))

    it('learns the current groups of a person', async () => {
      const { refreshToken } = await signedIn()
      provider.people.set('anna-1', { name: 'Anna', groups: [] })
      const again = await client.refresh(refreshToken!, 'anna-1')
      expect(again?.identity.groups).to.deep.equal([])
      expect(again?.refreshToken).to.be.a('string')
    })

    it('learns that a person was removed', async () => {
      const { refreshToken } = await signedIn()
      provider.people.delete('anna-1')
      expect(await client.refresh(refreshToken!, 'anna-1')).to.equal(undefined)
    })

    it('tells a provider that is down from a person who was removed', async () => {
      const { refreshToken } = await signedIn()
      await provider.stop()
      await expectFailure(client.refresh(refreshToken!, 'anna-1'), 'identity_provider_unavailable')
    })

    it('refuses an answer for another person', async () => {
      const { refreshToken } = await signedIn()
      await expectFailure(client.refresh(refreshToken!, 'bert-1'), 'single_sign_on_refused', 'another person')
    })
  })

  it('knows where the session of the provider ends', async () => {
    await start()
    const { idToken } = await signedIn()
    const url = new URL((await client.endSessionUrl(idToken, 'http://127.0.0.1:9/'))!)
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      client_id: 'tocsin',
      id_token_hint: idToken,
      post_logout_redirect_uri: 'http://127.0.0.1:9/',
    })
  })

  describe('given a logout token', () => {
    beforeEach(() => start())
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const good = () => {
      const iat = Math.floor(Date.now() / 1_000)
      return {
        iss: provider.issuer,
        aud: 'tocsin',
        sub: 'anna-1',
        sid: 's-1',
        jti: 'j-1',
        iat,
        exp: iat + 60,
        events: event,
      }
    }
    const verify = async (
      changes: object,
      sign: Parameters<TestProvider['sign']>[1] = { header: { typ: 'logout+jwt' } },
    ) => await client.verifyLogout(await provider.sign({ ...good(), ...changes }, sign))
    const refuses = (changes: object, sign?: Parameters<TestProvider['sign']>[1]) =>
      expectFailure(verify(changes, sign), 'single_sign_on_refused')

    it('gives the person and the session', async () => {
      const notice = { issuer: provider.issuer, subject: 'anna-1', sessionId: 's-1', tokenId: 'j-1' }
      expect(await verify({})).to.deep.equal(notice)
      expect(await verify({ sub: undefined })).to.deep.equal({ ...notice, subject: null })
      expect(await verify({ sid: undefined }, { header: {} }), 'without a type').to.deep.equal({
        ...notice,
        sessionId: null,
      })
    })
    it('refuses one of another issuer', () => refuses({ iss: 'https://evil.example' }))
    it('refuses one for another client', () => refuses({ aud: 'another' }))
    it('refuses an old one', () => refuses({ iat: Math.floor(Date.now() / 1_000) - 600 }))
    it('refuses one that names nobody', () => refuses({ sub: undefined, sid: undefined }))
    it('refuses one without an id', () => refuses({ jti: undefined }))
    it('refuses an ID token', () => refuses({ events: undefined, nonce: 'n' }))
    it('refuses one with a nonce', () => refuses({ nonce: 'n' }))
    it('refuses another event', () => refuses({ events: { other: {} } }))
    it('refuses another type', () => refuses({}, { header: { typ: 'at+jwt' } }))
    it('refuses a foreign signature', () => refuses({}, { key: 'foreign' }))
    it('refuses what is no token', () =>
      expectFailure(client.verifyLogout('x.y.z'), 'single_sign_on_refused'))
  })
})

const sendJson = (response: ServerResponse, body: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
