import { objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxCall, SandboxHandler, SandboxReply, SandboxRoutes } from 'tocsin/plugin/testing'
import { parseObject } from '../parse-object.ts'
import { okReply, refusalReply } from './answer.ts'
import { messageProblem } from './messages/check-message.ts'
import { botUser, type WorkspaceUser } from './people.ts'
import { rates } from './rates.ts'
import { toMessage } from './messages/to-message.ts'
import { checkToken } from './tokens.ts'
import { botId, teamId, type Workspace } from './workspace.ts'
import type { SandboxMessage } from './messages/show-message.ts'

interface Method {
  readonly scope?: string
  /** Methods that accept arguments in the query or a form only. */
  readonly reads?: true
  readonly answer: (args: JsonObject) => SandboxReply
}

/** The methods of the Web API that the plugin uses, at `/api/<method>`. */
export function webApiRoutes(workspace: Workspace): SandboxRoutes {
  const refuse = rates()
  const handlers = Object.entries(methods(workspace)).flatMap(([name, method]) => {
    const handler = serve(name, method, refuse)
    return [[`POST /api/${name}`, handler] as const, [`GET /api/${name}`, handler] as const]
  })
  return Object.fromEntries(handlers)
}

function methods(workspace: Workspace): Readonly<Record<string, Method>> {
  return {
    'auth.test': {
      answer: () =>
        okReply({
          url: 'https://sandbox.slack.example/',
          team: 'Sandbox',
          user: botUser.name,
          team_id: teamId,
          user_id: botUser.id,
          bot_id: botId,
          is_enterprise_install: false,
        }),
    },
    'users.lookupByEmail': {
      scope: 'users:read.email',
      reads: true,
      answer: (args) => {
        const person = workspace.byEmail(textAt(args, 'email') ?? '')
        return person === undefined || person.deleted
          ? refusalReply('users_not_found')
          : okReply({ user: toUser(person) })
      },
    },
    'conversations.open': { scope: 'im:write', answer: (args) => open(workspace, textAt(args, 'users')) },
    'conversations.history': {
      scope: 'im:history',
      reads: true,
      answer: (args) => history(workspace, args),
    },
    'chat.postMessage': { scope: 'chat:write', answer: (args) => post(workspace, args) },
    'chat.update': { scope: 'chat:write', answer: (args) => update(workspace, args) },
  }
}

function serve(
  name: string,
  { scope, reads, answer }: Method,
  refuse: ReturnType<typeof rates>,
): SandboxHandler {
  return (call) => {
    const granted = checkToken(call.headers['authorization'], scope)
    if (typeof granted !== 'string') return granted
    const type = call.headers['content-type'] ?? ''
    const isJson = type.startsWith('application/json')
    if (reads === true && isJson) return refusalReply('invalid_arguments')
    const args = isJson ? parseObject(call.body) : formOf(call)
    if (args === undefined) return refusalReply('invalid_json')
    const channel = name === 'chat.postMessage' ? (textAt(args, 'channel') ?? '') : undefined
    const tooMany = refuse(name, channel)
    if (tooMany !== undefined) return tooMany
    const reply = answer(args)
    const warning = isJson && !/charset=utf-8/i.test(type) ? { warning: 'missing_charset' } : {}
    return {
      ...reply,
      headers: { 'x-oauth-scopes': granted },
      json: { ...(reply.json as JsonObject), ...warning },
    }
  }
}

/** The vendor's clients send lists as JSON inside a form. */
function formOf(call: SandboxCall): JsonObject {
  const pairs = [...call.query, ...call.form()].map(([name, value]) => {
    if (name !== 'blocks') return [name, value]
    const list = parseObject(`{"blocks":${value}}`)
    return [name, valueAt(list, 'blocks')]
  })
  return Object.fromEntries(pairs) as JsonObject
}

function open(workspace: Workspace, users: string | null): SandboxReply {
  if (users === null) return refusalReply('users_list_not_supplied')
  const person = workspace.byId(users)
  if (person === undefined) return refusalReply('user_not_found')
  if (person.deleted) return refusalReply('user_disabled')
  if (person.is_bot) return refusalReply('cannot_dm_bot')
  return okReply({ no_op: true, already_open: true, channel: { id: workspace.conversationWith(person.id) } })
}

function post(workspace: Workspace, args: JsonObject): SandboxReply {
  const channel = textAt(args, 'channel') ?? ''
  if (workspace.personIn(channel) === undefined) return refusalReply('channel_not_found')
  const problem = messageProblem(args)
  if (problem !== undefined) return problem
  const thread = textAt(args, 'thread_ts')
  const message = workspace.post({
    channel,
    text: textAt(args, 'text') ?? '',
    blocks: objectsAt(args, 'blocks'),
    ...(valueAt(args, 'mrkdwn') === false ? { mrkdwn: false } : {}),
    ...(thread === null ? {} : { thread_ts: thread }),
    ...(isTrue(valueAt(args, 'reply_broadcast')) ? { reply_broadcast: true } : {}),
  })
  return okReply({ channel, ts: message.ts, message: toMessage(message) })
}

function update(workspace: Workspace, args: JsonObject): SandboxReply {
  const channel = textAt(args, 'channel') ?? ''
  const ts = textAt(args, 'ts') ?? ''
  if (workspace.personIn(channel) === undefined) return refusalReply('channel_not_found')
  const message = workspace.find(channel, ts)
  if (message === undefined) return refusalReply('message_not_found')
  if (message.user !== botUser.id) return refusalReply('cant_update_message')
  const problem = messageProblem({ text: message.text, ...args })
  if (problem !== undefined) return problem
  const blocks = valueAt(args, 'blocks') === undefined ? message.blocks : objectsAt(args, 'blocks')
  const updated: SandboxMessage = { ...message, text: textAt(args, 'text') ?? '', blocks, edited: true }
  workspace.put(updated)
  return okReply({ channel, ts, text: updated.text, message: toMessage(updated) })
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'

function toUser({ id, name, email, deleted, is_bot }: WorkspaceUser): JsonObject {
  return {
    id,
    team_id: teamId,
    name,
    deleted,
    is_bot,
    real_name: name,
    tz: 'Europe/Lisbon',
    profile: { email },
  }
}

const prefix = 'next_ts:'

/** The messages of a conversation without those in threads, newest first, in pages. */
function history(workspace: Workspace, args: JsonObject): SandboxReply {
  const channel = textAt(args, 'channel') ?? ''
  if (workspace.personIn(channel) === undefined) return refusalReply('channel_not_found')
  const cursor = Buffer.from(textAt(args, 'cursor') ?? '', 'base64').toString()
  if (cursor !== '' && !cursor.startsWith(prefix)) return refusalReply('invalid_cursor')
  const limit = Number(valueAt(args, 'limit') ?? 100)
  if (!(limit >= 1 && limit <= 999)) return refusalReply('invalid_limit')
  const there = workspace.messages
    .filter((message) => message.channel === channel && message.thread_ts === undefined)
    .toReversed()
  const from = cursor === '' ? 0 : there.findIndex(({ ts }) => ts <= cursor.slice(prefix.length))
  const rest = from === -1 ? [] : there.slice(from)
  const next = rest[limit]
  const messages = rest.slice(0, limit).map(toMessage)
  if (next === undefined) return okReply({ messages, has_more: false })
  const next_cursor = Buffer.from(prefix + next.ts).toString('base64')
  return okReply({ messages, has_more: true, response_metadata: { next_cursor } })
}
