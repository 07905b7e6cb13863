import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import {
  hasGroups,
  readIdentity,
  type Claims,
  type PersonIdentity,
  type LogoutNotice,
} from '../../core/identity/identity.ts'
import type { Secret } from '../../core/plugin/index.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Egress } from '../../core/ports/egress.ts'
import type { OidcSettings } from '../config/oidc-settings.ts'
import { egressFetch } from './egress-fetch.ts'
import { explainFailure, refused } from './failures.ts'
import { createLogoutTokens, type VerifyLogoutToken } from './logout-token.ts'
import { createProviderMetadata, type ProviderMetadata } from './provider-metadata.ts'

/** What a browser was sent to the provider with. */
export interface Challenge {
  readonly state: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
}

export interface SignedIn {
  readonly identity: PersonIdentity
  /** Of the provider's session; null: it has none. */
  readonly sessionId: string | null
  readonly idToken: string
  /** Null: the provider gave none. */
  readonly refreshToken: string | null
}

/** One identity provider. All methods reject with RetryableError, ConnectionError or ForbiddenError; see `explainFailure`. */
export interface OidcClient {
  /** Where to send the browser, and what to keep until it comes back. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly challenge: Challenge }>
  /** @param answer the redirect URI with the parameters that the provider added */
  complete(answer: URL, challenge: Challenge): Promise<SignedIn>
  /** The person as the provider knows them now; undefined: it does not accept the token any more. */
  refresh(refreshToken: string, subject: string): Promise<SignedIn | undefined>
  /** Where the browser ends the provider's session; undefined: nowhere. */
  endSessionUrl(idToken: string, returnTo: string): Promise<string | undefined>
  verifyLogout(token: string): Promise<LogoutNotice>
  /** Reads the configuration of the provider. */
  check(): Promise<{ readonly issuer: string; readonly hasBackChannelLogout: boolean }>
}

export interface OidcClientOptions {
  readonly settings: OidcSettings
  readonly egress: Egress
  readonly clock: Pick<Clock, 'now'>
  /** Reads the client secret, or the secret that it refers to; undefined: a public client. */
  readonly readSecret: () => Promise<Secret | undefined>
  /** Until the provider must have answered a request. Default 10. */
  readonly timeoutSeconds?: number
}

const defaultTimeoutSeconds = 10

export const createOidcClient = (options: OidcClientOptions): OidcClient => new Client(options)

class Client implements OidcClient {
  readonly #options: OidcClientOptions
  readonly #fetch: ReturnType<typeof egressFetch>
  readonly #provider: ProviderMetadata
  readonly #verifyLogout: VerifyLogoutToken

  constructor(options: OidcClientOptions) {
    const { settings, egress, clock, timeoutSeconds = defaultTimeoutSeconds } = options
    this.#options = options
    this.#fetch = egressFetch(egress)
    this.#provider = createProviderMetadata({
      issuer: settings.issuer,
      fetch: this.#fetch,
      clock,
      timeoutSeconds,
    })
    this.#verifyLogout = createLogoutTokens(this.#fetch, timeoutSeconds)
  }

  begin(redirectUri: string) {
    return this.#explained(async () => {
      const challenge = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(await this.#configured(), {
        redirect_uri: redirectUri,
        scope: this.#options.settings.scopes,
        state: challenge.state,
        nonce: challenge.nonce,
        code_challenge: await calculatePKCECodeChallenge(challenge.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, challenge }
    })
  }

  complete(answer: URL, { state, nonce, verifier }: Challenge) {
    return this.#explained(async () => {
      const config = await this.#configured()
      const checks = {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }
      return await this.#signedIn(config, await authorizationCodeGrant(config, answer, checks))
    })
  }

  refresh(refreshToken: string, subject: string) {
    return this.#explained(async () => {
      const config = await this.#configured()
      try {
        const now = await this.#signedIn(config, await refreshTokenGrant(config, refreshToken))
        if (now.identity.subject !== subject)
          throw refused('the identity provider answered for another person')
        return { ...now, refreshToken: now.refreshToken ?? refreshToken }
      } catch (error) {
        if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return undefined
        throw error
      }
    })
  }

  endSessionUrl(idToken: string, returnTo: string) {
    return this.#explained(async () => {
      const { end_session_endpoint: endpoint } = await this.#provider.get()
      if (endpoint === undefined) return undefined
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnTo }
      return buildEndSessionUrl(await this.#configured(), parameters).href
    })
  }

  verifyLogout(token: string) {
    const { clientId } = this.#options.settings
    return this.#explained(async () => await this.#verifyLogout(token, await this.#provider.get(), clientId))
  }

  check() {
    return this.#explained(async () => {
      const metadata = await this.#provider.get()
      await this.#options.readSecret()
      return {
        issuer: metadata.issuer,
        hasBackChannelLogout: metadata['backchannel_logout_supported'] === true,
      }
    })
  }

  /** Made for each use: keys and secret are then the current ones. */
  async #configured(): Promise<Configuration> {
    const { settings, readSecret } = this.#options
    const { issuer, clientId, clientAuth } = settings
    const [metadata, secret] = [await this.#provider.get(), (await readSecret())?.reveal()]
    const send = clientAuth === 'client_secret_basic' ? ClientSecretBasic : ClientSecretPost
    const config = new Configuration(metadata, clientId, {}, secret === undefined ? None() : send(secret))
    config[customFetch] = this.#fetch
    config.timeout = this.#options.timeoutSeconds ?? defaultTimeoutSeconds
    // TLS already vouches for a token from the provider; its signature is checked as well (ASVS 6.8.2).
    enableNonRepudiationChecks(config)
    if (issuer.startsWith('http:')) allowInsecureRequests(config)
    return config
  }

  async #signedIn(
    config: Configuration,
    tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  ): Promise<SignedIn> {
    const { groupsClaim } = this.#options.settings
    const claims = tokens.claims() as Claims | undefined
    if (claims === undefined || tokens.id_token === undefined)
      throw refused('the identity provider sent no ID token')
    const isThin = !hasGroups(claims, groupsClaim) && config.serverMetadata().userinfo_endpoint !== undefined
    const more = isThin ? await fetchUserInfo(config, tokens.access_token, String(claims['sub'])) : {}
    const { sid } = claims
    return {
      // The signed claims win.
      identity: readIdentity({ ...more, ...claims }, groupsClaim),
      sessionId: typeof sid === 'string' && sid !== '' && sid.length <= 255 ? sid : null,
      idToken: tokens.id_token,
      refreshToken: tokens.refresh_token ?? null,
    }
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const failure = explainFailure(error, this.#options.settings.issuer, 'sign-in')
      // An endpoint may have moved.
      if (failure.code !== 'single_sign_on_refused') this.#provider.forget()
      throw failure
    }
  }
}
