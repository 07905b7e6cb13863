import type { JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'

export const ok = (fields: JsonObject = {}): SandboxReply => ({ json: { ok: true, ...fields } })

/** With status 200, as refusals are. */
export const refusal = (error: string, more: JsonObject = {}): SandboxReply => ({
  json: { ok: false, error, ...more },
})

/** A refusal that says which part of a message was wrong. */
export const invalidBlocks = (message: string): SandboxReply =>
  refusal('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${message}`] } })
