import { randomBytes } from 'node:crypto'
import QuickLRU from 'quick-lru'
import type { Clock } from '../../core/ports/clock.ts'

/** Milliseconds within which the browser must answer a challenge. */
export const challengeMs = 5 * 60_000

/** The site that passkeys belong to: browsers use a passkey nowhere else. */
export interface PasskeySite {
  /** The RP ID of WebAuthn: a host name. */
  readonly id: string
  readonly origin: string
}

/** Undefined where browsers offer no passkeys: at an IP address, or without https except for localhost. */
export function passkeySite(publicUrl: string): PasskeySite | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  // URL writes IPv4 addresses in decimals.
  const isIpAddress = /^[\d.]+$|^\[/.test(hostname)
  return isIpAddress || (protocol !== 'https:' && !isLocal) ? undefined : { id: hostname, origin }
}

/** Random values that a passkey signs, kept in memory. Each is accepted once, within five minutes, for its purpose. */
export interface PasskeyChallenges {
  /** @param purpose the sign-in, or the session that adds a passkey; see `signInPurpose` */
  begin(purpose: string): Uint8Array<ArrayBuffer>
  /** Whether the challenge, in base64url, was open for this purpose. Uses it up. */
  take(challenge: string, purpose: string): boolean
}

/** The purpose of challenges of sign-ins, where no session exists yet. */
export const signInPurpose = 'sign_in'

/** Open challenges: of the sign-in, which strangers begin, and of sessions, one each. */
const maxOpen = 10_000

interface OpenChallenge {
  readonly purpose: string
  readonly endsAt: number
}

export function createPasskeyChallenges(clock: Pick<Clock, 'now'>): PasskeyChallenges {
  const ofSignIns = new QuickLRU<string, OpenChallenge>({ maxSize: maxOpen })
  const ofSessions = new QuickLRU<string, OpenChallenge & { readonly challenge: string }>({
    maxSize: maxOpen,
  })
  return {
    begin(purpose) {
      const bytes = new Uint8Array(randomBytes(32))
      const challenge = Buffer.from(bytes).toString('base64url')
      const open = { purpose, endsAt: clock.now() + challengeMs }
      if (purpose === signInPurpose) ofSignIns.set(challenge, open)
      else ofSessions.set(purpose, { ...open, challenge })
      return bytes
    },
    take(challenge, purpose) {
      if (purpose === signInPurpose) {
        const open = ofSignIns.get(challenge)
        ofSignIns.delete(challenge)
        return open !== undefined && clock.now() < open.endsAt
      }
      const open = ofSessions.get(purpose)
      if (open?.challenge !== challenge) return false
      ofSessions.delete(purpose)
      return clock.now() < open.endsAt
    },
  }
}
