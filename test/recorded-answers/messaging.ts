import { createHmac } from 'node:crypto'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { isObject, objectsAt, Secret, textAt, valueAt, type InboundResult } from '../../core/plugin/index.ts'
import { checkConnection, loopbackEgress, runSkill, webhookRequest } from '../../core/plugin/testing/index.ts'
import { connection } from '../../plugins/messaging/connection.ts'
import sandbox from '../../plugins/messaging/sandbox.ts'
import { messagingFixture } from '../../plugins/messaging/sandbox/fixture.ts'
import { urlsIn } from '../../plugins/messaging/sandbox/messages/callbacks.ts'
import { checkpoint } from '../../plugins/messaging/skills/checkpoint.ts'
import { checks, failureOf, type Row, type Rows } from './row.ts'

const secret = '0123456789abcdef0123456789abcdef'
const nowMs = 1_767_225_600_000
const settings = {
  channel_name: '#security-alerts',
  bot_token: 'xoxb-1234567890-abc',
  signing_secret: secret,
  webhook_url: 'https://hooks.slack.com/services/T1/B1/x',
}
const question = {
  user: 'ana.silva@example.com',
  message: 'Was this you?',
  checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
  answers: ['mine', 'not_mine'],
}

/** The result of a route's handler for a signed body. */
function receive(route: string, body: string, using = secret, timestamp = nowMs / 1000): InboundResult {
  const hmac = createHmac('sha256', using).update(`v0:${timestamp}:${body}`).digest('hex')
  const headers = { 'x-slack-request-timestamp': String(timestamp), 'x-slack-signature': `v0=${hmac}` }
  const request = webhookRequest(body, { headers, nowMs: timestamp * 1000 })
  const known = { channel_name: '#x', signing_secret: new Secret(using) }
  return connection.inbound![route]!(request, known)
}
const onEvent = (event: unknown) => receive('events', JSON.stringify(event))
const onInteraction = (payload: unknown) =>
  receive('interactions', new URLSearchParams({ payload: JSON.stringify(payload) }).toString())

const event = (judge: (result: InboundResult) => unknown): Row => checks((json) => judge(onEvent(json)))
const nobodysAnswer = event((result) => expect(result).to.have.all.keys('dedupeKey', 'dedupeMs'))

/** The message part of a callback, wrapped in a callback. */
const inner = (judge: (result: InboundResult) => unknown): Row =>
  checks((json) => judge(onEvent({ type: 'event_callback', event_id: 'Ev1', event: json })))

/**
 * A press of a foreign button is ignored; a press of ours, in the same payload, is an answer of the person
 * who pressed it.
 */
const interaction = checks(async (json) => {
  expect(onInteraction(json)).to.deep.equal({})
  const ours = await askedButton()
  expect(onInteraction({ ...(json as object), actions: [ours] }).answers).to.deep.equal([
    { checkpointId: question.checkpoint_id, value: 'mine', by: textAt(valueAt(json, 'user'), 'id') },
  ])
})

/** The first button that the skill posts, as the system returns it. */
async function askedButton(): Promise<object> {
  const running = await sandbox.start()
  await runSkill(checkpoint, question, { settings: running.settings, egress: loopbackEgress })
  const blocks = running.controls.workspace.messages[0]?.blocks ?? []
  await running.close()
  return { ...objectsAt({ list: blocks.flatMap((block) => objectsAt(block, 'elements')) }, 'list')[0] }
}

const shape = (name: string): object => ({ ...(messagingFixture(name) as object), ok: true })

/**
 * The values of the shapes are blank, so a shape of a call is completed with the required values of a whole
 * question.
 */
const asked = async () => {
  const post = { ...shape('shape-chat-post-message'), ts: '1767225600.000100' }
  const answers = [shape('shape-users-lookup-by-email'), shape('shape-conversations-open'), post]
  const replies = answers.map((json) => ({ json }))
  return (await runSkill(checkpoint, question, { settings, replies })).output
}
const ofQuestion = checks(async () => {
  expect(await asked()).to.deep.equal({
    asked: 'U00000000',
    asked_name: 'ana.silva@example.com',
    channel: 'D00000000',
    ts: '1767225600.000100',
    truncated: false,
  })
})

/** A refusal of the first call of a question. */
const refusal = (code: string): Row =>
  checks(async (json) => {
    const error = await failureOf(runSkill(checkpoint, question, { settings, replies: [{ json }] }))
    expect(error).to.include({ code })
  })

const schemaOf = (version: string) =>
  new Ajv({ strict: false, validateFormats: false }).compile(
    messagingFixture(`app-manifest-schema-${version}`) as object,
  )
const ownManifest = () =>
  connection.manifest?.({
    name: 'chat',
    inboundUrl: (route) => `https://tocsin.example.com/${route}?token=x`,
  })

/** The generated manifest of a connection matches the vendor's schema. */
const schema = (version: string, more: object = {}): Row =>
  checks(() => {
    const fits = schemaOf(version)
    expect(fits({ ...(ownManifest() as object), ...more }), JSON.stringify(fits.errors)).to.equal(true)
    expect(fits({ display_information: {} })).to.equal(false)
  })

const signatureVector = checks((json) => {
  const [text = '', given = '', timestamp = '', using = ''] = [
    'raw_body',
    'signature',
    'timestamp',
    'signing_secret',
  ].map((name) => textAt(json, name) ?? '')
  const request = webhookRequest(text, {
    headers: { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': given },
    nowMs: Number(timestamp) * 1000,
  })
  const known = { channel_name: '#x', signing_secret: new Secret(using) }
  const route = text.startsWith('{') ? 'events' : 'interactions'
  // A slash command has a valid signature, and is ignored.
  const outcome = () => connection.inbound![route]!(request, known)
  if (route === 'events') expect(outcome()).to.be.an('object')
  else expect(outcome).to.throw('not a form with a payload')
  const altered = { ...request, body: Buffer.from(`${text} `) }
  expect(() => connection.inbound![route]!(altered, known))
    .to.throw()
    .with.property('code', 'signature_invalid')
})

/** The sandbox also accepts what others post to such a webhook. */
const webhookBody = checks(async (json) => {
  const running = await sandbox.start()
  const answer = await loopbackEgress.send({
    method: 'POST',
    url: String(running.settings['webhook_url']),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
    signal: AbortSignal.timeout(30_000),
  })
  const { posts } = running.controls.workspace
  await running.close()
  expect({ status: answer.status, body: answer.body, posts }).to.deep.equal({
    status: 200,
    body: 'ok',
    posts: [json],
  })
})

export const messaging: Rows = {
  'app-manifest-example-v1-invalid': checks((json) => expect(schemaOf('v1')(json)).to.equal(false)),
  'app-manifest-example-v1-valid': checks((json) => expect(schemaOf('v1')(json)).to.equal(true)),
  'app-manifest-example-v2-valid': checks((json) => expect(schemaOf('v2')(json)).to.equal(true)),
  'app-manifest-schema-v1': schema('v1'),
  'app-manifest-schema-v2': schema('v2', { _metadata: { major_version: 2 } }),
  'auth-test-ok': checks(async (json) => {
    const { warning, requests } = await checkConnection(connection, { settings, replies: [{ json }] })
    expect({ warning, paths: requests.map(({ path }) => path) }).to.deep.equal({
      warning: undefined,
      paths: ['/api/auth.test'],
    })
  }),
  'error-channel-not-found': refusal('messaging_channel_not_found'),
  'error-invalid-auth': refusal('messaging_invalid_auth'),
  'error-missing-scope': refusal('messaging_missing_scope'),
  'error-ratelimited-429': refusal('rate_limited'),
  'error-users-not-found': refusal('messaging_users_not_found'),
  'event-app-rate-limited': event(({ warning }) => expect(warning).to.match(/dropped events/)),
  'event-app-uninstalled': event(({ broken }) => expect(broken).to.match(/removed/)),
  'event-bot-token-revoked': event(({ broken }) => expect(broken).to.match(/revoked/)),
  'event-message-channel': nobodysAnswer,
  'event-message-im': event(({ answers }) =>
    expect(answers).to.deep.equal([
      { by: 'U2147483697', text: 'Yes, that login was me', message: { channel: 'D024BE91L' } },
    ]),
  ),
  'event-message-shared-channel': nobodysAnswer,
  'event-message-slack-connect': nobodysAnswer,
  'event-url-verification': checks((json) =>
    expect(onEvent(json)).to.deep.equal({ reply: { json: { challenge: textAt(json, 'challenge') } } }),
  ),
  'inner-event-bot-message': inner((result) => expect(result).not.to.have.property('answers')),
  'inner-event-message-changed': inner((result) => expect(result).not.to.have.property('answers')),
  'inner-event-message-deleted': inner((result) => expect(result).not.to.have.property('answers')),
  'inner-event-message-im': inner(({ answers }) => expect(answers).to.have.length(1)),
  'interaction-block-actions-button': interaction,
  'interaction-block-actions-confirm': interaction,
  'interaction-block-actions-state': interaction,
  'interaction-block-actions-thread': interaction,
  'interaction-block-actions-view': interaction,
  'interaction-survey-submit': interaction,
  // The addresses of an app are where the sandbox expects them.
  'shape-apps-manifest-export': checks((json) => {
    const manifest = valueAt(json, 'manifest')
    expect(() => urlsIn(manifest)).to.throw('no addresses')
    const filled = structuredClone(manifest) as { settings: Record<string, object> }
    for (const part of ['event_subscriptions', 'interactivity'])
      filled.settings[part] = { ...filled.settings[part], request_url: `https://x.example/${part}` }
    expect(urlsIn(filled).events).to.equal('https://x.example/event_subscriptions')
  }),
  'shape-chat-post-message': ofQuestion,
  'shape-chat-update': checks(async (json) => {
    const output = await asked()
    const outcome = { state: 'timed_out' as const }
    const replies = [{ json: { ...(json as object), ok: true } }]
    const { requests } = await runSkill(checkpoint, question, {
      settings,
      replies,
      purpose: 'settle',
      asked: { output, outcome },
    })
    expect(requests.map(({ path }) => path)).to.deep.equal(['/api/chat.update'])
  }),
  'shape-conversations-open': ofQuestion,
  // No skill looks people up by id; the object is the same as in the lookup by address.
  'shape-users-info': checks(async (json) => {
    const user = valueAt(json, 'user')
    expect(isObject(user)).to.equal(true)
    const replies = [
      { json: { ok: true, user } },
      { json: shape('shape-conversations-open') },
      { json: { ok: true, ts: '1767225600.000100' } },
    ]
    const { output } = await runSkill(checkpoint, question, { settings, replies })
    expect(output.asked).to.equal(textAt(user, 'id'))
  }),
  'shape-users-lookup-by-email': ofQuestion,
  'signature-vector-event-json': signatureVector,
  'signature-vector-slash-command': signatureVector,
  'webhook-body-attachments': webhookBody,
  'webhook-body-blocks': webhookBody,
}
