import { createHmac } from 'node:crypto'
import { objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { loopbackEgress } from 'tocsin/plugin/testing'
import { botUser } from '../people.ts'
import { toMessage } from './to-message.ts'
import { appId, teamId, type Workspace } from '../workspace.ts'
import type { SandboxMessage } from './show-message.ts'

/** Where an app wants to be told: the addresses of its manifest. */
export interface CallbackUrls {
  readonly events: string
  readonly interactions: string
}

export interface CallbackReply {
  readonly status: number
  readonly body: string
}

/** How a delivery is to be wrong, or be a repeat. */
export interface DeliveryOptions {
  /** Epoch milliseconds of the signature. Default: now. */
  readonly nowMs?: number
  /** Default: that of the sandbox. */
  readonly signingSecret?: string
  /** 1 to 3 for a repeat of what was not answered in time. */
  readonly retry?: number
  /** Changes the body after it was signed. */
  readonly alter?: (body: string) => string
}

export const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5'

/** Calls an app as the messaging system does: signed, an event as JSON, an interaction as a form. */
export class Callbacks {
  readonly #workspace: Workspace
  #urls: CallbackUrls | undefined
  #events = 0

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /**
   * Takes the addresses of an app, from now on. As the vendor does, it first asks the address of the events for its challenge.
   *
   * @throws Error when the challenge does not come back
   */
  async subscribe(urls: CallbackUrls): Promise<void> {
    this.#urls = urls
    const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'
    const { status, body } = await this.send('events', { type: 'url_verification', token: 'old', challenge })
    if (status !== 200 || !body.includes(challenge)) {
      throw new Error(
        `the address of the events did not answer with the challenge, but with ${status} ${body}`,
      )
    }
  }

  /**
   * Presses a button of a message, as it was when the person saw it.
   *
   * @param label what the button says
   * @param by user id. Default: the person whose conversation it is
   */
  click(
    message: SandboxMessage,
    label: string,
    by?: string,
    options?: DeliveryOptions,
  ): Promise<CallbackReply> {
    const user = by ?? this.#workspace.personIn(message.channel)?.id ?? ''
    const row = message.blocks.find((block) => buttonOf(block, label) !== undefined)
    const button = row && buttonOf(row, label)
    if (button === undefined) throw new Error(`the message has no button '${label}'`)
    const ts = this.#workspace.nextTs()
    return this.send(
      'interactions',
      press(message, { ...button, block_id: valueAt(row, 'block_id'), action_ts: ts }, user),
      options,
    )
  }

  /**
   * Writes a text to the bot.
   *
   * @param place the message to reply to, in its thread; or the id of who writes, in their direct conversation
   */
  reply(place: SandboxMessage | string, text: string, options?: DeliveryOptions): Promise<CallbackReply> {
    const inThread = typeof place === 'object'
    const channel = inThread ? place.channel : this.#workspace.conversationWith(place)
    const user = inThread ? (this.#workspace.personIn(channel)?.id ?? '') : place
    const thread = inThread ? { thread_ts: place.thread_ts ?? place.ts } : {}
    return this.tell(this.#workspace.post({ channel, text, blocks: [], ...thread }, user), options)
  }

  /** Tells the app of a message: also of its own, since these come back to it too. */
  tell(message: SandboxMessage, options?: DeliveryOptions): Promise<CallbackReply> {
    const { channel } = message
    return this.event({ ...toMessage(message), channel, channel_type: 'im', event_ts: message.ts }, options)
  }

  event(event: JsonObject, options?: DeliveryOptions): Promise<CallbackReply> {
    if (options?.retry === undefined) this.#events++
    const callback = {
      token: 'old',
      team_id: teamId,
      api_app_id: appId,
      event,
      type: 'event_callback',
      event_id: `Ev0SANDBOX${this.#events}`,
      event_time: 1_767_225_600,
      authorizations: [
        {
          enterprise_id: null,
          team_id: teamId,
          user_id: botUser.id,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
    }
    return this.send('events', callback, options)
  }

  /** Sends any payload, signed. */
  async send(
    route: keyof CallbackUrls,
    payload: JsonObject,
    { nowMs = Date.now(), signingSecret: secret = signingSecret, retry, alter }: DeliveryOptions = {},
  ): Promise<CallbackReply> {
    const url = this.#urls?.[route]
    if (url === undefined) throw new Error('subscribe first: the sandbox does not know where to call')
    const json = JSON.stringify(payload)
    const isForm = route === 'interactions'
    const body = isForm ? new URLSearchParams({ payload: json }).toString() : json
    const timestamp = String(Math.floor(nowMs / 1000))
    const hmac = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
    const answer = await loopbackEgress.send({
      method: 'POST',
      url,
      headers: {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${hmac}`,
        ...(retry === undefined
          ? {}
          : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' }),
      },
      body: alter === undefined ? body : alter(body),
      signal: AbortSignal.timeout(10_000),
    })
    return { status: answer.status, body: answer.body }
  }
}

function buttonOf(block: JsonObject, label: string): JsonObject | undefined {
  return objectsAt(block, 'elements').find((element) => textAt(valueAt(element, 'text'), 'text') === label)
}

function press(message: SandboxMessage, action: JsonObject, user: string): JsonObject {
  const { channel, ts } = message
  return {
    type: 'block_actions',
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: teamId },
    api_app_id: appId,
    token: 'old',
    container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
    trigger_id: '111.222.sandbox',
    team: { id: teamId, domain: 'sandbox' },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel, name: 'directmessage' },
    message: toMessage(message),
    state: { values: {} },
    response_url: 'https://hooks.slack.example/actions/T0SANDBOX/1/sandbox',
    actions: [action],
  }
}
