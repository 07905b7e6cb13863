import { loopbackEgress } from '../../../core/plugin/testing/index.ts'
import { Secret } from '../../../core/plugin/index.ts'
import type { OidcSettings } from '../../../server/config/oidc-settings.ts'
import { createOidcClient } from '../../../server/identity/oidc-client.ts'
import { createSingleSignOn, type SingleSignOn } from '../../../server/identity/single-sign-on.ts'
import type { Api } from '../../http/support/api.ts'
import { settingsOf, type TestProvider } from './provider.ts'

/** Single sign-on of a test server with a provider. */
export function singleSignOnOf(
  provider: TestProvider,
  { stores, clock }: Pick<Api, 'stores' | 'clock'>,
  changes: Partial<OidcSettings> = {},
): SingleSignOn {
  const settings = { ...settingsOf(provider), ...changes }
  const client = createOidcClient({
    settings,
    egress: loopbackEgress,
    clock,
    readSecret: () => Promise.resolve(new Secret(provider.clientSecret)),
  })
  return createSingleSignOn({ settings, client, store: stores.singleSignOn, clock })
}

/** Single sign-on that confirms one person without a provider. */
export function acceptedSignOn({ clock }: Pick<Api, 'clock'>): SingleSignOn {
  const issuer = 'https://login.example.com'
  const settings = settingsOf({ issuer, clientId: 'tocsin' })
  const identity = {
    issuer,
    subject: 'anna-1',
    name: 'Anna',
    email: 'anna@login.example.com',
    isEmailVerified: true,
    hostedDomain: null,
    groups: [],
  }
  return {
    settings: { ...settings, roles: [{ group: '*', role: 'reader', organizationCodes: undefined }] },
    client: {
      refresh: () => Promise.resolve(undefined),
      endSessionUrl: () => Promise.resolve(undefined),
    },
    checkProvider: () => Promise.resolve(),
    begin: () =>
      Promise.resolve({ url: `${issuer}/authorize`, browserToken: 'x', expiresAt: clock.now() + 600_000 }),
    complete: () =>
      Promise.resolve({
        person: { identity, sessionId: null, idToken: 'x', refreshToken: null },
        returnTo: '/',
      }),
    acceptLogout: () => Promise.resolve({ issuer, subject: 'bert-1', sessionId: null, tokenId: '1' }),
  }
}

/** A browser with the cookies of a test server. */
export interface Browser {
  readonly cookies: Map<string, string>
  call(method: string, path: string, body?: unknown): ReturnType<Api['call']>
  /** Begins a sign-in, visits the provider, and gives the parameters with which it sends the browser back. */
  visit(provider: TestProvider, body?: object): Promise<Record<string, string>>
  /** Signs in as the current person of the provider. */
  signIn(provider: TestProvider, body?: object): ReturnType<Api['call']>
}

export function newBrowser(api: Pick<Api, 'call'>): Browser {
  const cookies = new Map<string, string>()
  const browser: Browser = {
    cookies,
    async call(method, path, body) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const reply = await api.call(method, path, {
        key: null,
        body,
        headers: cookie === '' ? {} : { cookie },
      })
      for (const set of reply.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return reply
    },
    async visit(provider, body = {}) {
      const begun = await browser.call('POST', '/api/session/single-sign-on', body)
      if (begun.status !== 200) throw new Error(begun.text)
      const back = await provider.visit(begun.json.authorize_url as string)
      return Object.fromEntries(back.searchParams)
    },
    async signIn(provider, body) {
      const answer = await browser.visit(provider, body)
      return await browser.call('POST', '/api/session/single-sign-on/callback', answer)
    },
  }
  return browser
}
