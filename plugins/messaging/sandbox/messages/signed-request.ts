import { createHmac } from 'node:crypto'
import { Secret, type InboundRequest } from 'tocsin/plugin'
import { webhookRequest } from 'tocsin/plugin/testing'

export const signingSettings = { signing_secret: new Secret('0123456789abcdef0123456789abcdef') }
export const nowMs = 1_767_225_600_000

/** A request as the messaging system would send it at `nowMs`. */
export function signed(text: string): InboundRequest {
  const timestamp = String(nowMs / 1000)
  const hmac = createHmac('sha256', signingSettings.signing_secret.reveal()).update(`v0:${timestamp}:${text}`)
  const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${hmac.digest('hex')}` }
  return webhookRequest(text, { headers, nowMs })
}
