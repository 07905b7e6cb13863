import { expect } from 'chai'
import { openDeclaredPlugin, testFailures, type CannedReply } from 'tocsin/plugin/testing'

const settings = {
  base_url: 'https://misp.example',
  api_key: 'a'.repeat(40),
  webhook_secret: 'a-secret-in-a-header',
}
const misp = await openDeclaredPlugin(import.meta.dirname, settings)

const refused = (status: number, message: string, more = {}, headers = {}): CannedReply => ({
  status,
  headers,
  json: { name: message, message, url: '/x', ...more },
})
const row = (value: string, more = {}) => ({
  id: '7',
  event_id: '12',
  type: 'url',
  value,
  to_ids: true,
  ...more,
})
const found = (...rows: object[]): CannedReply => ({ json: { response: { Attribute: rows } } })
const uuid = '5f6b2c3d-1a2b-4c3d-8e4f-0123456789ab'

describe('misp on a bad day', () => {
  testFailures(misp, 'add_attribute', { event_id: '12', type: 'ip-dst', value: '203.0.113.7' }, [
    [
      'a wrong key',
      refused(403, 'Authentication failed. Please make sure you pass the API key'),
      'ConnectionError',
      /the auth key is wrong/,
    ],
    ['an expired key', refused(403, 'Auth key is expired'), 'ConnectionError', /the auth key has expired/],
    [
      'a key for other addresses',
      refused(403, 'It is not possible to use this Auth key from your IP address'),
      'ConnectionError',
      /may not be used from the address of Tocsin/,
    ],
    [
      'a role without the permission',
      refused(403, 'You do not have permission to do that.'),
      'ConnectionError',
      /lacks the permission/,
    ],
    [
      'an input that MISP refuses, also with 403',
      refused(403, 'Could not add Attribute', {
        saved: false,
        errors: { value: ['IP address has an invalid format.'] },
      }),
      'SkillError',
      /Could not add Attribute: .*invalid format/,
    ],
    [
      'an attribute that the event has',
      refused(403, 'Could not add Attribute', {
        errors: { value: ['A similar attribute already exists for this event.'] },
      }),
      'SkillError',
      /the event has this attribute already/,
    ],
    ['an event that the user may not see', refused(404, 'Invalid event'), 'SkillError', /may not see it/],
    [
      'a role that may not search',
      refused(405, 'API searches are not allowed for this user role.'),
      'ConnectionError',
      /limit of searches of the role is 0/,
    ],
    [
      'too many searches',
      refused(429, 'API searches exceeded', {}, { 'x-rate-limit-reset': '300' }),
      'RetryableError',
      /no more searches in these 15 minutes/,
    ],
    [
      'an internal error',
      refused(500, 'An Internal Error Has Occurred.'),
      'RetryableError',
      /Internal Error/,
    ],
    [
      'a maintenance page',
      { status: 503, text: '<html><title>MISP is being updated</title></html>' },
      'RetryableError',
      /being updated/,
    ],
    ['a page instead of JSON', { text: '<html>Login</html>' }, 'SkillError', /JSON/],
  ])

  it('fails where 200 contains a refusal', async () => {
    const tag = { id: '12', tag: 'tlp:amber' }
    const reply = { json: { saved: false, errors: 'Invalid Tag.' } }
    const failure = await misp.failureOf('add_tag', tag, { replies: [reply] })
    expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
    expect(failure.text).to.match(/Invalid Tag.; the role needs perm_tagger/)
    const message = 'Could not add the Sighting. Reason: No valid attributes found that match the criteria.'
    const sighting = await misp.failureOf(
      'add_sighting',
      { value: 'x' },
      { replies: [{ json: { message } }] },
    )
    expect(sighting.text).to.contain('No valid attributes found')
  })

  it('fails where an answer is cut off', async () => {
    const replies = [{ text: '{"response": {"Attribute": [{"id": "1", "val' }]
    expect((await misp.failureOf('search_attributes', {}, { replies })).code).to.equal('bad_response')
  })
})

describe('misp.lookup', () => {
  const lookup = async (value: string, reply: CannedReply, kind = 'url') =>
    await misp.run('lookup', { kind, value }, { replies: [reply] })
  const riskOf = async (...rows: object[]) =>
    ((await lookup('198.51.100.7', found(...rows), 'ip')).output['risk'] as { score: number | null }).score

  it('asks for one value, whatever it contains', async () => {
    const value = 'https://a.example/?q="]}&&!b'
    const { requests } = await lookup(value, found())
    expect(JSON.parse(requests[0]!.body)).to.deep.include({ value: { OR: [value] }, limit: 200 })
    const plain = await lookup('https://a.example/x', found())
    expect(JSON.parse(plain.requests[0]!.body)).to.deep.include({ value: 'https://a.example/x' })
  })

  it('counts only rows with this value: % at an end matches anything in MISP', async () => {
    expect((await lookup('%', found(row('https://bank.example')))).output).to.include({ found: false })
    expect((await lookup('A.example', found(row('a.example')), 'domain')).output).to.include({ found: true })
    expect((await lookup('203.0.113.7', found(row('a.example|203.0.113.7')), 'ip')).output).to.include({
      found: true,
    })
  })

  it('scores by the purpose of attributes, and lets warninglists override it', async () => {
    expect(await riskOf(row('198.51.100.7'))).to.equal(80)
    expect(await riskOf(row('198.51.100.7', { to_ids: '1' }))).to.equal(80)
    expect(await riskOf(row('198.51.100.7', { to_ids: '0' }))).to.equal(40)
    expect(await riskOf(row('198.51.100.7', { warnings: [{ name: 'x' }] }))).to.equal(10)
    expect(await riskOf()).to.equal(null)
  })

  it('survives old versions, nulls and missing fields', async () => {
    expect((await lookup('a', { json: { response: [] } })).output).to.include({ found: false })
    const bare = { id: '1', event_id: '2', type: 'new-type', value: 'a', comment: null, first_seen: null }
    expect((await lookup('a', found(bare))).output).to.deep.include({
      attributes: [{ id: '1', type: 'new-type', event_id: '2', for_detection: false, tags: [] }],
    })
  })
})

describe('misp', () => {
  it('never asks for everything, and says when there is more', async () => {
    const rows = Array.from({ length: 998 }, (_, at) => row(`v${at}`))
    const headers = { 'x-skipped-elements-count': '2' }
    const { output, requests } = await misp.run(
      'search_attributes',
      { limit: 1000 },
      { replies: [{ json: { response: { Attribute: rows } }, headers }] },
    )
    expect(output['complete']).to.equal(false)
    expect(JSON.parse(requests[0]!.body)).to.deep.equal({
      returnFormat: 'json',
      includeEventTags: true,
      page: 1,
      limit: 1000,
    })
    const last = await misp.run('search_attributes', { limit: 1000 }, { replies: [found(...rows)] })
    expect(last.output['complete']).to.equal(true)
  })

  it('refuses inputs that MISP would understand as something else', async () => {
    for (const input of [
      { value: '%evil' },
      { value: 'evil%' },
      { value: '%' },
      { changed_within: 'yesterday' },
    ])
      expect((await misp.failureOf('search_attributes', input)).text).to.match(/must/)
    const { requests } = await misp.run('get_event', { event_id: '1/../2' }, { replies: [{ status: 404 }] })
    expect(requests[0]?.path).to.equal('/events/view/1%2F..%2F2')
  })

  it('finds its event or attribute by UUID after an interruption', async () => {
    const options = { run: { id: 'run-1' } }
    const input = { info: 'a', attributes: [{ type: 'ip-dst', value: '203.0.113.7' }] }
    const Event = { id: '13', uuid, Attribute: [{}] }
    const sent = await misp.run('create_event', input, { ...options, replies: [{ json: { Event } }] })
    const sentUuid = (JSON.parse(sent.requests[0]!.body) as { uuid: string }).uuid
    const asked = await misp.run('create_event', input, {
      ...options,
      purpose: 'verify',
      replies: [{ json: { Event } }],
    })
    expect(asked.requests[0]?.path).to.equal(`/events/view/${sentUuid}`)
    expect(asked.output).to.deep.equal({ id: '13', uuid, refused_attributes: 0 })
    const replies = [{ status: 404, json: { message: 'Invalid event' } }]
    expect(
      (await misp.run('create_event', input, { ...options, purpose: 'verify', replies })).output,
    ).to.equal(undefined)
  })

  it('takes the page of a proxy for no success', async () => {
    for (const [skill, input] of [
      ['delete_event', { event_id: '12' }],
      ['delete_attribute', { attribute_id: '77' }],
      ['remove_tag', { uuid, tag: 'tlp:red' }],
      ['publish_event', { event_id: '12' }],
    ] as const)
      expect(
        (await misp.failureOf(skill, input, { replies: [{ text: '<html>Sign in</html>' }] })).code,
      ).to.equal('bad_response')
  })

  it('leaves the outcome of an interrupted sighting open', async () => {
    const failure = await misp.failureOf(
      'add_sighting',
      { value: 'x' },
      { replies: [{ status: 504, text: 'Gateway Timeout' }] },
    )
    expect(failure.effect).to.not.equal('none')
  })
})

describe('misp webhooks', () => {
  const text = JSON.stringify({ Event: { uuid, timestamp: '1763625600', info: 'x' } })
  const receive = (secret?: string) =>
    misp.receive('events', text, { headers: secret === undefined ? {} : { 'x-tocsin-secret': secret } })

  it('makes an alert of an event, once for each version', () => {
    const [alert] = receive(settings.webhook_secret).alerts ?? []
    expect(alert).to.deep.include({ provider: 'misp', type: 'misp_event', dedupeKey: `${uuid} 1763625600` })
  })

  it('refuses a wrong or missing secret, and everything without one', async () => {
    for (const secret of [undefined, '', 'another-secret-in-header']) expect(() => receive(secret)).to.throw()
    const { webhook_secret: _, ...open } = settings
    const unset = await openDeclaredPlugin(import.meta.dirname, open)
    expect(() => unset.receive('events', text, { headers: { 'x-tocsin-secret': '' } })).to.throw()
  })
})
