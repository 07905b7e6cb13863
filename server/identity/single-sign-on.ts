import { hash, randomBytes } from 'node:crypto'
import type { LogoutNotice } from '../../core/identity/identity.ts'
import { requireAllowedDomain } from '../../core/identity/admission.ts'
import type { TocsinError } from '../../core/plugin/index.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { SingleSignOnStore } from '../../core/ports/access/single-sign-on-store.ts'
import type { OidcSettings } from '../config/oidc-settings.ts'
import { logoutTokenMs } from './logout-token.ts'
import type { OidcClient, SignedIn } from './oidc-client.ts'

/** How long a person may take at the identity provider, in milliseconds. */
const attemptMs = 10 * 60_000

export interface SingleSignOn {
  readonly settings: Pick<OidcSettings, 'label' | 'issuer' | 'roles' | 'recheckMs' | 'localSignIn'>
  readonly client: Pick<OidcClient, 'refresh' | 'endSessionUrl'>
  /** Begins a sign-in; `browserToken` is the value of a cookie that binds it to the browser. Rejects like the client. */
  begin(
    redirectUri: string,
    returnTo: string,
  ): Promise<{ readonly url: string; readonly browserToken: string; readonly expiresAt: number }>
  /**
   * Completes the sign-in of a browser, once. Undefined: there is none, or it has expired. Rejects like the client, and with ForbiddenError
   * `email_domain_refused`.
   *
   * @param parameters of the redirect
   */
  complete(
    browserToken: string,
    redirectUri: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<{ readonly person: SignedIn; readonly returnTo: string } | undefined>
  /** Warns if the provider does not answer: the server works without it, and sign-ins say why they fail. */
  checkProvider(log: Log): Promise<void>
  /** The notice in a logout token; undefined if it was sent before. Rejects like the client. */
  acceptLogout(token: string): Promise<LogoutNotice | undefined>
}

export interface SingleSignOnOptions {
  readonly settings: OidcSettings
  readonly client: OidcClient
  readonly store: SingleSignOnStore
  readonly clock: Pick<Clock, 'now'>
}

export function createSingleSignOn({ settings, client, store, clock }: SingleSignOnOptions): SingleSignOn {
  return {
    settings,
    client,
    async begin(redirectUri, returnTo) {
      const { url, challenge } = await client.begin(redirectUri)
      const browserToken = randomBytes(32).toString('base64url')
      const expiresAt = clock.now() + attemptMs
      await store.begin({ ...challenge, browserHash: hashOf(browserToken), returnTo, expiresAt })
      return { url, browserToken, expiresAt }
    },
    async complete(browserToken, redirectUri, parameters) {
      // Taken first: whatever the answer is, it is the only one.
      const attempt = await store.take(hashOf(browserToken))
      if (attempt === undefined) return undefined
      const answer = new URL(redirectUri)
      for (const [name, value] of Object.entries(parameters)) answer.searchParams.set(name, value)
      const person = await client.complete(answer, attempt)
      requireAllowedDomain(person.identity, settings.emailDomains)
      return { person, returnTo: attempt.returnTo }
    },
    async checkProvider(log) {
      try {
        await client.check()
      } catch (error) {
        const { message, hint } = error as TocsinError
        log.warn({ reason: message }, `single sign-on does not work yet: ${hint ?? 'see the reason'}`)
      }
    },
    async acceptLogout(token) {
      const notice = await client.verifyLogout(token)
      const isNew = await store.claim(
        hashOf(`${notice.issuer} ${notice.tokenId}`),
        clock.now() + logoutTokenMs,
      )
      return isNew ? notice : undefined
    },
  }
}

/** Tokens are looked up by hash, so that the time of a comparison reveals nothing about a token. */
const hashOf = (token: string): Uint8Array => hash('sha256', token, 'buffer')
