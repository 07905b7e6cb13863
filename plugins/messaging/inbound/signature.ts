import { createHmac, timingSafeEqual } from 'node:crypto'
import { SkillError, type InboundRequest, type Secret } from 'tocsin/plugin'

/** Maximum clock difference to the request's timestamp, in milliseconds. */
const maxAgeMs = 300_000

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
  { signing_secret }: SigningSettings,
): void {
  if (signing_secret === undefined) {
    throw new SkillError('signing_secret_missing', 'the connection has no signing secret', {
      hint: 'enter the one on the page "Basic Information" of the app',
    })
  }
  const timestamp = headers['x-slack-request-timestamp'] ?? ''
  const [, given] = /^v0=([0-9a-f]{64})$/.exec(headers['x-slack-signature'] ?? '') ?? []
  if (!/^\d{1,12}$/.test(timestamp) || given === undefined) {
    throw new SkillError('signature_missing', 'the request has no valid signature header')
  }
  if (!(Math.abs(nowMs - Number(timestamp) * 1000) <= maxAgeMs)) {
    throw new SkillError(
      'signature_stale',
      'the request was signed more than 300 seconds before or after now',
      {
        hint: 'check the clock of this machine',
      },
    )
  }
  const signed = createHmac('sha256', signing_secret.reveal())
    .update(`v0:${timestamp}:`)
    .update(body)
    .digest()
  if (timingSafeEqual(signed, Buffer.from(given, 'hex'))) return
  throw new SkillError('signature_invalid', 'the signature of the request is invalid', {
    hint: 'compare the signing secret of the connection with the one on the page "Basic Information" of the app',
  })
}
