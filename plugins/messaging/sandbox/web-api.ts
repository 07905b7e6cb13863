import { objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxCall, SandboxHandler, SandboxReply, SandboxRoutes } from 'tocsin/plugin/testing'
import { parseObject } from '../parse-object.ts'
import { ok, refusal } from './answer.ts'
import { checkMessage } from './messages/check-message.ts'
import { history } from './messages/history.ts'
import { botUser, type Person } from './people.ts'
import { rates } from './rates.ts'
import { toMessage } from './messages/to-message.ts'
import { checkToken } from './tokens.ts'
import { botId, teamId, type Workspace } from './workspace.ts'
import type { SandboxMessage } from './messages/show-message.ts'

interface Method {
  readonly scope?: string
  /** Takes its arguments in the query or as a form only. */
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
        ok({
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
          ? refusal('users_not_found')
          : ok({ user: toUser(person) })
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
    if (reads === true && isJson) return refusal('invalid_arguments')
    const args = isJson ? parseObject(call.body) : formOf(call)
    if (args === undefined) return refusal('invalid_json')
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

/** Clients of the vendor send lists as JSON inside a form. */
function formOf(call: SandboxCall): JsonObject {
  const pairs = [...call.query, ...call.form()].map(([name, value]) => {
    if (name !== 'blocks') return [name, value]
    const list = parseObject(`{"blocks":${value}}`)
    return [name, valueAt(list, 'blocks')]
  })
  return Object.fromEntries(pairs) as JsonObject
}

function open(workspace: Workspace, users: string | null): SandboxReply {
  if (users === null) return refusal('users_list_not_supplied')
  const person = workspace.byId(users)
  if (person === undefined) return refusal('user_not_found')
  if (person.deleted) return refusal('user_disabled')
  if (person.is_bot) return refusal('cannot_dm_bot')
  return ok({ no_op: true, already_open: true, channel: { id: workspace.conversationWith(person.id) } })
}

function post(workspace: Workspace, args: JsonObject): SandboxReply {
  const channel = textAt(args, 'channel') ?? ''
  if (workspace.personIn(channel) === undefined) return refusal('channel_not_found')
  const problem = checkMessage(args)
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
  return ok({ channel, ts: message.ts, message: toMessage(message) })
}

function update(workspace: Workspace, args: JsonObject): SandboxReply {
  const channel = textAt(args, 'channel') ?? ''
  const ts = textAt(args, 'ts') ?? ''
  if (workspace.personIn(channel) === undefined) return refusal('channel_not_found')
  const message = workspace.find(channel, ts)
  if (message === undefined) return refusal('message_not_found')
  if (message.user !== botUser.id) return refusal('cant_update_message')
  const problem = checkMessage({ text: message.text, ...args })
  if (problem !== undefined) return problem
  const blocks = valueAt(args, 'blocks') === undefined ? message.blocks : objectsAt(args, 'blocks')
  const updated: SandboxMessage = { ...message, text: textAt(args, 'text') ?? '', blocks, edited: true }
  workspace.put(updated)
  return ok({ channel, ts, text: updated.text, message: toMessage(updated) })
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'

function toUser({ id, name, email, deleted, is_bot }: Person): JsonObject {
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
