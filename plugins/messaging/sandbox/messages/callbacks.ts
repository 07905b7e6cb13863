import { createHmac } from 'node:crypto'
import { objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { loopbackEgress } from 'tocsin/plugin/testing'
import { botUser } from '../people.ts'
import { toMessage } from './to-message.ts'
import { appId, teamId, type Workspace } from '../workspace.ts'
import type { SandboxMessage } from './show-message.ts'

/** Callback addresses of an app, from its manifest. */
export interface CallbackUrls {
  readonly events: string
  readonly interactions: string
}

export interface CallbackReply {
  readonly status: number
  readonly body: string
}

/** Faults of a delivery. */
export interface DeliveryOptions {
  /** Epoch milliseconds of the signature. Default: now. */
  readonly nowMs?: number
  /** Default: the sandbox's secret. */
  readonly signingSecret?: string
  /** 1 to 3 for a redelivery after a timeout. */
  readonly retry?: number
  /** Changes the body after signing. */
  readonly alter?: (body: string) => string
}

export const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5'

/** Delivers to an app as the messaging system does: signed, an event as JSON, an interaction as a form. */
export class Callbacks {
  readonly #workspace: Workspace
  #urls: CallbackUrls | undefined
  #events = 0

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /**
   * Sets the addresses of an app. As the vendor does, first sends a challenge to the address for events.
   *
   * @throws Error if the response does not contain the challenge
   */
  async subscribe(urls: CallbackUrls): Promise<void> {
    this.#urls = urls
    const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'
    const { status, body } = await this.send('events', { type: 'url_verification', token: 'old', challenge })
    if (status !== 200 || !body.includes(challenge)) {
      throw new Error(`the address for events answered ${status} ${body} instead of the challenge`)
    }
  }

  /**
   * Presses a button of a message as the person saw it.
   *
   * @param label the button's label
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
   * @param place the message to reply to in its thread, or the user id of the sender of a direct message
   */
  reply(place: SandboxMessage | string, text: string, options?: DeliveryOptions): Promise<CallbackReply> {
    const inThread = typeof place === 'object'
    const channel = inThread ? place.channel : this.#workspace.conversationWith(place)
    const user = inThread ? (this.#workspace.personIn(channel)?.id ?? '') : place
    const thread = inThread ? { thread_ts: place.thread_ts ?? place.ts } : {}
    return this.tell(this.#workspace.post({ channel, text, blocks: [], ...thread }, user), options)
  }

  /** Delivers a message to the app, its own messages included. */
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

/** The callback addresses in an app's manifest. */
export function urlsIn(manifest: unknown): CallbackUrls {
  const settings = valueAt(manifest, 'settings')
  const events = textAt(valueAt(settings, 'event_subscriptions'), 'request_url')
  const interactions = textAt(valueAt(settings, 'interactivity'), 'request_url')
  if (events === null || interactions === null)
    throw new Error('the manifest names no addresses for events and interactions')
  return { events, interactions }
}
