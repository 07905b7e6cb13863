import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  defineConnection,
  definePlugin,
  defineSkill,
  SkillError,
  type InboundAlert,
  type InboundRequest,
  type InboundResult,
  type Secret,
} from '../../../core/plugin/index.ts'

/** Events of the other system of `doorbell`: one kind of event. */
export interface DoorbellEvent {
  readonly type: 'challenge' | 'click' | 'text' | 'revoked' | 'busy' | 'bug' | 'alarms'
  readonly event_id?: string
  readonly user?: string
  readonly checkpoint_id?: string
  readonly value?: string
  readonly text?: string
  /** Of the message that is answered. */
  readonly ref?: Readonly<Record<string, string>>
  readonly challenge?: string
  /** Of alarms. */
  readonly count?: number
}

/** Signed like the other system: HMAC-SHA256 over the time and the raw body. */
export function sign(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

const longestAgeMs = 300_000

function prove(
  { headers, body, nowMs }: InboundRequest,
  settings: { readonly signing_secret?: Secret | undefined },
): void {
  if (settings.signing_secret === undefined)
    throw new SkillError('no_signing_secret', 'nothing to prove it with')
  const timestamp = headers['x-doorbell-time'] ?? ''
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1_000) > longestAgeMs) {
    throw new SkillError('stale', 'signed too long ago')
  }
  const expected = Buffer.from(sign(settings.signing_secret.reveal(), timestamp, body))
  const given = Buffer.from(headers['x-doorbell-signature'] ?? '')
  if (given.length === expected.length && timingSafeEqual(given, expected)) return
  throw new SkillError('bad_signature', 'the signature is another one')
}

const alarm = (id: string): InboundAlert => ({
  provider: 'doors',
  type: 'door_forced',
  content: id,
  dedupeKey: id,
})

function receive(
  request: InboundRequest,
  settings: { readonly signing_secret?: Secret | undefined },
): InboundResult {
  prove(request, settings)
  const event = JSON.parse(request.text) as DoorbellEvent
  const { type, event_id: dedupeKey, user: by = '', checkpoint_id: checkpointId, value, text, ref } = event
  switch (type) {
    case 'challenge':
      return { reply: { text: event.challenge ?? '' } }
    case 'click':
      return { dedupeKey, answers: [{ checkpointId, by, value }] }
    case 'text':
      return { dedupeKey, answers: [{ message: ref, by, text }] }
    case 'revoked':
      return { dedupeKey, broken: 'the token was revoked' }
    case 'busy':
      return { dedupeKey, warning: 'the doorbell rings too often' }
    case 'alarms':
      return { alerts: Array.from({ length: event.count ?? 0 }, (_, index) => alarm(String(index))) }
    case 'bug':
      throw new TypeError(`a mistake of the plugin: ${settings.signing_secret?.reveal()}`)
  }
}

const connection = defineConnection({
  title: 'Doorbell',
  description: 'Rings at people and hears what they say.',
  settings: {
    type: 'object',
    additionalProperties: false,
    required: ['base_url', 'api_key'],
    properties: {
      base_url: { type: 'string', format: 'uri' },
      api_key: { type: 'string', 'x-secret': true },
      signing_secret: { type: 'string', 'x-secret': true },
    },
  },
  baseUrl: ({ base_url }) => base_url,
  headers: ({ api_key }) => ({ authorization: `Bearer ${api_key.reveal()}` }),
  authenticate: async ({ http }) => void (await http.post('/me')),
  inbound: { events: receive },
  manifest: ({ name, inboundUrl }) => ({ name, events: inboundUrl('events') }),
})

const text = { type: 'string' } as const

const ring = defineSkill({
  name: 'ring',
  title: 'Ring',
  description: 'Asks somebody at their door.',
  effect: 'write',
  repeat: 'never',
  asks: true,
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['door', 'checkpoint_id', 'answers'],
    properties: {
      door: text,
      checkpoint_id: text,
      answers: { type: 'array', items: text },
      remind_after: text,
    },
  },
  output: {
    type: 'object',
    required: ['asked', 'ring'],
    properties: { asked: text, ring: text, door: text },
  },
  examples: [
    {
      title: 'One',
      input: { door: 'kim', checkpoint_id: 'c', answers: ['yes'] },
      output: { asked: 'U-kim', ring: '1', door: 'kim' },
    },
  ],
  async run(input, { http }) {
    const { ring: id } = (await http.post('/ring', { json: input })).json() as { ring: string }
    return { asked: `U-${input.door}`, ring: id, door: input.door }
  },
  async settle({ output, outcome }, { http }) {
    await http.post('/settle', { json: { ...output, ...outcome } })
  },
  async remind({ output }, { http }) {
    await http.post('/remind', { json: output })
  },
  async refuse({ output }, answer, { http }) {
    await http.post('/refuse', { json: { ...output, ...answer } })
  },
})

export default definePlugin({
  name: 'door_bell',
  title: 'Doorbell',
  description: 'Asks people at their door.',
  connection,
  skills: [ring],
})
