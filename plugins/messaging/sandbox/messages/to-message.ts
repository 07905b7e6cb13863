import type { JsonObject } from 'tocsin/plugin'
import { botUser } from '../people.ts'
import { appId, botId, teamId } from '../workspace.ts'
import type { SandboxMessage } from './show-message.ts'

/** A message as the vendor shows it. */
export function toMessage({ channel: _, edited, mrkdwn: _mrkdwn, ...message }: SandboxMessage): JsonObject {
  return {
    type: 'message',
    team: teamId,
    ...message,
    ...(message.user === botUser.id ? { bot_id: botId, app_id: appId } : {}),
    ...(edited === true ? { edited: { user: botUser.id, ts: message.ts } } : {}),
  }
}
