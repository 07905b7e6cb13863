import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import type { OidcSettings } from '../../../server/config/oidc-settings.ts'

export interface ProviderPerson {
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly groups?: readonly string[]
  readonly hd?: string
}

export interface ProviderOptions {
  /** Address of the client; `register` may give it later. */
  readonly clientUrl?: string
  /** Claims of a scope only in userinfo, as by the standard. Default: in the ID token. */
  readonly hasThinTokens?: boolean
  /** Default: none are given. */
  readonly refreshTokens?: boolean
  readonly clientSecret?: string
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A real OpenID Connect provider (`oidc-provider`) on a free port, which signs in `current` without asking. */
export interface TestProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Registers the client with its address, which has the paths of Tocsin. */
  register(clientUrl: string): Promise<void>
  /** By subject. A person who is removed can no longer sign in or refresh. */
  readonly people: Map<string, ProviderPerson>
  /** Who signs in at the provider; undefined: the person refuses. */
  current: string | undefined
  /** Answers in place of the provider, by path. */
  readonly overrides: Map<string, Handler>
  /** Paths of the requests so far. */
  readonly requests: readonly string[]
  /** Failed deliveries of logout tokens. */
  readonly undelivered: readonly string[]
  /** Opens an authorization URL as a browser would, and gives the address to which the browser is sent back. */
  visit(url: string): Promise<URL>
  /** Deletes the cookies of the provider, as another browser has them. */
  forgetBrowser(): void
  /** Ends the session of the provider, which tells the client over the back channel. */
  endSession(): Promise<void>
  /** Signs claims as the provider would, or with another key or header. */
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>
  rotateKeys(): Promise<void>
  /** Stops listening; `restart` uses the same port. */
  stop(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export interface SignOptions {
  /** Default: the current key. `foreign`: a key that is not published. */
  readonly key?: 'foreign'
  readonly header?: Readonly<Record<string, unknown>>
}

const clientId = 'tocsin'

export async function startProvider(given: ProviderOptions = {}): Promise<TestProvider> {
  let options = given
  const { clientSecret = 'a secret of the client' } = options
  const people = new Map<string, ProviderPerson>()
  const overrides = new Map<string, Handler>()
  const requests: string[] = []
  const undelivered: string[] = []
  const cookies = new Map<string, string>()
  let handle: Handler
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    requests.push(path)
    const override = overrides.get(path)
    if (override !== undefined) override(request, response)
    else handle(request, response)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const foreign = await keyOf(0, 'foreign')
  let rotations = 0
  let key: JWK

  const provider: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    people,
    current: undefined,
    overrides,
    requests,
    undelivered,
    visit,
    forgetBrowser: () => cookies.clear(),
    async endSession() {
      const page = await send(`${issuer}/session/end`)
      const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? []
      await send(`${issuer}/session/end/confirm`, new URLSearchParams({ xsrf, logout: 'yes' }))
    },
    async sign(claims, { key: which, header = {} } = {}) {
      const used = which === 'foreign' ? foreign : key
      const signer = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: used.kid!, ...header })
      return await signer.sign(await importJWK(used, 'RS256'))
    },
    async register(clientUrl) {
      options = { ...options, clientUrl }
      handle = await providerWith(key)
    },
    async rotateKeys() {
      key = await keyOf(++rotations, `key-${Date.now()}-${Math.random()}`)
      handle = await providerWith(key)
    },
    stop,
    restart: () => listen(port),
    close: stop,
  }
  await provider.rotateKeys()
  return provider

  /** Follows redirects within the provider, with its cookies. */
  async function visit(url: string): Promise<URL> {
    let next = new URL(url)
    for (let hops = 0; hops < 10; hops++) {
      const answer = await send(next.href)
      const location = answer.headers.get('location')
      if (location === null)
        throw new Error(`the provider answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`)
      next = new URL(location, next)
      if (next.origin !== issuer) return next
    }
    throw new Error('too many redirects')
  }

  async function send(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(form && { method: 'POST', body: form }),
    })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  async function providerWith(signingKey: JWK): Promise<Handler> {
    const real = new Provider(issuer, configurationOf(options, clientSecret, people, signingKey))
    real.on('backchannel.error', (_context, error: Error) => void undelivered.push(error.message))
    const callback = real.callback()
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response)
      const login = provider.current
      const result =
        login === undefined
          ? { error: 'access_denied', error_description: '<b>no</b>' }
          : { login: { accountId: login } }
      void real.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    }
  }
}

function configurationOf(
  { clientUrl = 'http://127.0.0.1:9', hasThinTokens = false, refreshTokens = false }: ProviderOptions,
  clientSecret: string,
  people: TestProvider['people'],
  key: JWK,
): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${clientUrl}/sign-in/callback`],
        post_logout_redirect_uris: [`${clientUrl}/`],
        grant_types: ['authorization_code', 'refresh_token'],
        backchannel_logout_uri: `${clientUrl}/api/session/single-sign-on/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for the cookies of the tests'] },
    conformIdTokenClaims: hasThinTokens,
    claims: {
      openid: ['sub'],
      profile: ['name'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
      hd: ['hd'],
    },
    scopes: ['openid', 'offline_access', 'profile', 'email', 'groups', 'hd'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    issueRefreshToken: () => Promise.resolve(refreshTokens),
    async findAccount(_context, sub) {
      const person = people.get(sub)
      return person && { accountId: sub, claims: () => Promise.resolve({ sub, ...person }) }
    },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid offline_access profile email groups hd')
      await grant.save()
      return grant
    },
    // By default it refuses to send a logout token to this machine.
    fetch(url, given: (RequestInit & { dispatcher?: unknown }) | undefined = {}) {
      const { dispatcher: _dispatcher, ...init } = given
      return fetch(url, init)
    },
    ttl: {
      Session: 3_600,
      Grant: 3_600,
      Interaction: 600,
      IdToken: 600,
      AccessToken: 600,
      RefreshToken: 3_600,
    },
  }
}

/** Of all providers of this process: making one takes 0.1 s of processor time. */
const keys: Promise<JWK>[] = []

/** @param nth the same keys for each provider */
async function keyOf(nth: number, kid: string): Promise<JWK> {
  keys[nth] ??= generateKeyPair('RS256', { extractable: true }).then(({ privateKey }) =>
    exportJWK(privateKey),
  )
  return { ...(await keys[nth]), kid, use: 'sig', alg: 'RS256' }
}

/** The settings of a client of the provider. */
export const settingsOf = ({
  issuer,
  clientId,
}: Pick<TestProvider, 'issuer' | 'clientId'>): OidcSettings => ({
  issuer,
  clientId,
  clientSecret: undefined,
  clientAuth: 'client_secret_basic',
  scopes: 'openid profile email groups',
  groupsClaim: 'groups',
  roles: [],
  emailDomains: [],
  label: 'Single sign-on',
  recheckMs: 3_600_000,
  localSignIn: 'on',
})
