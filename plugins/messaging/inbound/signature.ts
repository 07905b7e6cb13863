import { verifyHmac, verifyRecent, type InboundRequest, type Secret } from 'tocsin/plugin'

/** Input of the signature check. */
export interface SigningSettings {
  readonly signing_secret?: Secret | undefined
}

/**
 * Checks that the messaging system sent the request recently: `x-slack-signature` is `v0=` and the
 * HMAC-SHA256, in hex, of
 * `v0:<timestamp>:<body>` over the raw bytes; see
 * https://docs.slack.dev/authentication/verifying-requests-from-slack.
 *
 * @throws SkillError `signing_secret_missing`, `signature_missing`, `signature_stale`, `signature_invalid`
 */
export function verifySignature(
  { headers, body, nowMs }: InboundRequest,
  { signing_secret: secret }: SigningSettings,
): void {
  const timestamp = headers['x-slack-request-timestamp'] ?? ''
  const [, signature] = /^v0=([0-9a-f]{64})$/.exec(headers['x-slack-signature'] ?? '') ?? []
  verifyRecent(timestamp, nowMs)
  verifyHmac({ secret, signed: [`v0:${timestamp}:`, body], signature })
}
