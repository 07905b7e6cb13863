import { textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { ok, refusal } from '../answer.ts'
import { toMessage } from './to-message.ts'
import type { Workspace } from '../workspace.ts'

const prefix = 'next_ts:'

/** What was said in a conversation, newest first, without what was said in threads; page by page. */
export function history(workspace: Workspace, args: JsonObject): SandboxReply {
  const channel = textAt(args, 'channel') ?? ''
  if (workspace.personIn(channel) === undefined) return refusal('channel_not_found')
  const cursor = Buffer.from(textAt(args, 'cursor') ?? '', 'base64').toString()
  if (cursor !== '' && !cursor.startsWith(prefix)) return refusal('invalid_cursor')
  const limit = Number(valueAt(args, 'limit') ?? 100)
  if (!(limit >= 1 && limit <= 999)) return refusal('invalid_limit')
  const there = workspace.messages
    .filter((message) => message.channel === channel && message.thread_ts === undefined)
    .toReversed()
  const from = cursor === '' ? 0 : there.findIndex(({ ts }) => ts <= cursor.slice(prefix.length))
  const rest = from === -1 ? [] : there.slice(from)
  const next = rest[limit]
  const messages = rest.slice(0, limit).map(toMessage)
  if (next === undefined) return ok({ messages, has_more: false })
  const next_cursor = Buffer.from(prefix + next.ts).toString('base64')
  return ok({ messages, has_more: true, response_metadata: { next_cursor } })
}
