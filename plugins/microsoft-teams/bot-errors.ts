import { textAt, valueAt, type ErrorAnswer, type ExplainedError, type TokenRefusal } from 'tocsin/plugin'

const notInstalled =
  'install the Teams app of the bot in the team, or for the person, and let an administrator allow it'

/** By the code of the bot service. A refusal by one person or channel does not break the connection. */
const byCode: Readonly<Record<string, Omit<ExplainedError, 'message'>>> = {
  BotNotInConversationRoster: { error: 'refused', effect: 'none', hint: notInstalled },
  ForbiddenOperationException: { error: 'refused', effect: 'none', hint: notInstalled },
  ConversationBlockedByUser: { error: 'refused', effect: 'none', hint: 'the person has blocked the bot' },
  MessageWritesBlocked: { error: 'refused', effect: 'none', hint: 'the person has blocked the bot, or left' },
  NotEnoughPermissions: {
    error: 'refused',
    effect: 'none',
    hint: 'the bot may not post there: check the settings of the channel',
  },
  ConversationNotFound: {
    error: 'refused',
    effect: 'none',
    hint: 'there is no such team, channel or chat, or the app of the bot was removed from it',
  },
  ActivityNotFoundInConversation: { error: 'refused', effect: 'none', hint: 'the message was deleted' },
  MessageSizeTooBig: { error: 'refused', effect: 'none', hint: 'shorten the text' },
  BotDisabledByAdmin: {
    error: 'credentials',
    effect: 'none',
    hint: 'an administrator of Teams blocks the app of the bot: ask for permission',
  },
  BotNotRegistered: {
    error: 'credentials',
    effect: 'none',
    hint: 'the app ID belongs to no Azure Bot with the channel Microsoft Teams',
  },
  InvalidBotApiHost: {
    error: 'credentials',
    effect: 'none',
    hint: 'the tenant is in another cloud: choose GCC or that of the tenant in the connection',
  },
}

/** Explains an error of the bot service. Its text can be JSON in JSON: `{"errorCode":209,"message":"{\"subCode\":…}"}`. */
export function explainBotError({ status, body }: ErrorAnswer): ExplainedError | undefined {
  const error = valueAt(body, 'error')
  const inner = parsed(textAt(body, 'message'))
  const code = textAt(error, 'code') ?? textAt(inner, 'subCode') ?? ''
  const message = textAt(error, 'message') ?? textAt(inner, 'details') ?? textAt(body, 'message')
  const shown = [code, message].filter((part) => part !== null && part !== '').join(': ')
  const said = shown === '' ? {} : { message: shown }
  if (Object.hasOwn(byCode, code)) return { ...said, ...byCode[code] }
  if (status === 401)
    return { ...said, hint: 'check app ID, secret, tenant and cloud of the bot in the connection' }
  if (status === 404) return { ...said, hint: byCode['ConversationNotFound']?.hint }
  if (status === 412) return { ...said, error: 'unavailable', effect: 'none' }
  if (status === 429)
    return { ...said, hint: 'a chat takes 7 messages a second and 1,800 an hour from all bots' }
  return shown === '' ? undefined : said
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** Hints by error number of the identity provider. */
const tokenHints: Readonly<Record<number, string>> = {
  7000215: 'the client secret is wrong: enter its value, not its ID',
  7000222: 'the client secret has expired: create a new one in the app registration of the bot',
  700016: 'the tenant has no such app: check app ID, tenant ID and cloud',
  90002: 'there is no such tenant in this cloud: check tenant ID and cloud',
}

export function explainNoToken({ body }: TokenRefusal): string | undefined {
  const codes = valueAt(body, 'error_codes')
  const known = (Array.isArray(codes) ? codes : []).find((code) => Object.hasOwn(tokenHints, Number(code)))
  return known === undefined ? undefined : tokenHints[Number(known)]
}
