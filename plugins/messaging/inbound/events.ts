import {
  objectsAt,
  SkillError,
  textAt,
  valueAt,
  type InboundAnswer,
  type InboundRequest,
  type InboundResult,
  type JsonObject,
} from 'tocsin/plugin'
import { unescapeText } from '../message-text.ts'
import { parseObject } from '../parse-object.ts'
import { verifySignature, type SigningSettings } from './signature.ts'

/** The vendor repeats events for about six minutes and advises to remember them for an hour. */
const dedupeMs = 2 * 3_600_000

/** Subtypes of messages by people; all other subtypes report changes, joins and bots. */
const humanSubtypes: ReadonlySet<string | null> = new Set([null, 'file_share', 'thread_broadcast'])

/** Requests of the Events API: https://docs.slack.dev/apis/events-api. */
export function readEvent(request: InboundRequest, settings: SigningSettings): InboundResult {
  verifySignature(request, settings)
  const body = parseObject(request.text)
  if (body === undefined) throw new SkillError('bad_request', 'the body is not a JSON object')
  switch (textAt(body, 'type')) {
    case 'url_verification':
      return { reply: { json: { challenge: challengeOf(body) } } }
    case 'event_callback':
      return readCallback(body)
    case 'app_rate_limited':
      return { warning: 'The messaging system dropped events: there were more than 30,000 in an hour.' }
    default:
      return {}
  }
}

function challengeOf(body: JsonObject): string {
  const challenge = textAt(body, 'challenge')
  if (challenge !== null && challenge.length <= 1_000) return challenge
  throw new SkillError('bad_request', 'the address verification has no challenge')
}

function readCallback(body: JsonObject): InboundResult {
  const eventId = textAt(body, 'event_id')
  if (eventId === null) throw new SkillError('bad_request', 'the event has no id')
  const event = valueAt(body, 'event')
  const once = { dedupeKey: `event ${eventId}`, dedupeMs }
  switch (textAt(event, 'type')) {
    case 'message': {
      const answer = readReply(event, body)
      return answer === undefined ? once : { ...once, answers: [answer] }
    }
    case 'app_uninstalled':
      return {
        ...once,
        broken: 'The app was removed from the workspace: install it again and enter its new token.',
      }
    case 'tokens_revoked':
      return revokesBotTokens(event)
        ? { ...once, broken: 'The bot token was revoked: install the app again and enter its new token.' }
        : once
    default:
      return once
  }
}

/**
 * The text of a person's direct message; `undefined` for everything else, in particular the bot's own
 * messages.
 */
function readReply(event: unknown, body: JsonObject): InboundAnswer | undefined {
  const [user, text, channel] = ['user', 'text', 'channel'].map((key) => textAt(event, key))
  if (!user || !text || !channel) return undefined
  if (textAt(event, 'channel_type') !== 'im' || valueAt(event, 'hidden') === true) return undefined
  if (textAt(event, 'bot_id') !== null || botUsers(body).includes(user)) return undefined
  if (!humanSubtypes.has(textAt(event, 'subtype'))) return undefined
  const thread = textAt(event, 'thread_ts')
  return {
    by: user,
    text: unescapeText(text),
    message: thread === null ? { channel } : { channel, ts: thread },
  }
}

/** User ids under which the app itself receives the event. */
const botUsers = (body: JsonObject): readonly unknown[] =>
  objectsAt(body, 'authorizations').flatMap((one) =>
    valueAt(one, 'is_bot') === true ? [valueAt(one, 'user_id')] : [],
  )

function revokesBotTokens(event: unknown): boolean {
  const bots = valueAt(valueAt(event, 'tokens'), 'bot')
  return Array.isArray(bots) && bots.length > 0
}
