import type { JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'

export const okReply = (fields: JsonObject = {}): SandboxReply => ({ json: { ok: true, ...fields } })

/** With status 200, as all refusals of the Web API. */
export const refusalReply = (error: string, more: JsonObject = {}): SandboxReply => ({
  json: { ok: false, error, ...more },
})

/** A refusal that names the invalid part of a message. */
export const invalidBlocks = (message: string): SandboxReply =>
  refusalReply('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${message}`] } })
