import {
  allowInsecureRequests,
  customFetch,
  discovery,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client'
import type { Clock } from '../../core/ports/clock.ts'
import { explainFailure, misconfigured } from './failures.ts'

export interface MetadataOptions {
  readonly issuer: string
  readonly fetch: CustomFetch
  readonly clock: Pick<Clock, 'now'>
  /** Until the provider must have answered. */
  readonly timeoutSeconds: number
}

/** The published configuration of the provider (OpenID Connect Discovery). */
export interface ProviderMetadata {
  /** Concurrent callers share one request. Rejects with RetryableError or ConnectionError. */
  get(): Promise<ServerMetadata>
  /** Asks again at the next use, because the provider behaved differently. */
  forget(): void
}

const maxAgeMs = 24 * 60 * 60_000
/** A failure is repeated for this long instead of asking again. */
const pauseMs = 5_000

/** Asks at the first use, so that a server starts without its provider; then once a day. An old answer is used while the provider fails. */
export function createProviderMetadata(options: MetadataOptions): ProviderMetadata {
  const { issuer, clock } = options
  let known: { readonly metadata: ServerMetadata; at: number } | undefined
  let failed: { readonly error: unknown; readonly until: number } | undefined
  let active: Promise<ServerMetadata> | undefined

  async function ask(): Promise<ServerMetadata> {
    try {
      const metadata = await discover(options)
      known = { metadata, at: clock.now() }
      failed = undefined
      return metadata
    } catch (error) {
      const explained = explainFailure(error, issuer, 'setup')
      failed = { error: explained, until: clock.now() + pauseMs }
      if (known === undefined) throw explained
      return known.metadata
    }
  }

  return {
    get() {
      const now = clock.now()
      if (known !== undefined && now - known.at < maxAgeMs) return Promise.resolve(known.metadata)
      if (failed !== undefined && now < failed.until)
        return known === undefined ? Promise.reject(failed.error) : Promise.resolve(known.metadata)
      active ??= ask().finally(() => (active = undefined))
      return active
    },
    forget() {
      if (known !== undefined) known.at = -Infinity
    },
  }
}

async function discover({ issuer, fetch, timeoutSeconds }: MetadataOptions): Promise<ServerMetadata> {
  const found = await discovery(new URL(issuer), 'discovery', undefined, undefined, {
    timeout: timeoutSeconds,
    execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
    [customFetch]: fetch,
  })
  const metadata = found.serverMetadata()
  // The library lets Entra ID name a pattern instead of an issuer.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer))
    throw misconfigured(issuer, `it calls itself '${metadata.issuer.slice(0, 200)}'`)
  return { ...metadata }
}

const withoutSlash = (text: string): string => text.replace(/\/$/, '')
