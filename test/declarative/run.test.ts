import { expect } from 'chai'
import { compilePlugin, readPlugin } from '../../core/declarative/index.ts'
import { runSkill } from '../../core/plugin/testing/index.ts'
import { pluginWith, skillOf } from './support.ts'

type Parts = Parameters<typeof pluginWith>[0]

const settings = { api_key: 'a-long-secret' }
const withKey = 'fields: { api_key: { secret: true } }'

/** The first request of a skill, and its output. */
async function sent(parts: Parts, input: object = {}, replies: readonly object[] = [{ json: {} }]) {
  const run = await runSkill(skillOf(parts), input, { settings, replies: replies as never })
  return { ...run, request: run.requests[0]! }
}

describe('a declarative skill', () => {
  for (const [auth, header, value] of [
    ['{ header: X-Key, value: "${{ settings.api_key }}" }', 'x-key', 'a-long-secret'],
    ['{ bearer: "${{ settings.api_key }}" }', 'authorization', 'Bearer a-long-secret'],
    [
      '{ basic: { username: kim, password: "${{ settings.api_key }}" } }',
      'authorization',
      `Basic ${Buffer.from('kim:a-long-secret').toString('base64')}`,
    ],
  ] as const) {
    it(`authenticates by ${auth}`, async () => {
      const { request } = await sent({ connection: `${withKey}\nauth: ${auth}` })
      expect(request.headers[header]).to.equal(value)
    })
  }

  it('percent-encodes the segments of a path, and refuses one that leads up', async () => {
    const parts = {
      connection: withKey,
      skill: 'input: { ip: {} }\nrequest: { get: [v1, ips, "${{ input.ip }}"] }',
    }
    expect((await sent(parts, { ip: 'a/b c' })).request.path).to.equal('/v1/ips/a%2Fb%20c')
    const error: unknown = await sent(parts, { ip: '..' }).catch((caught: unknown) => caught)
    expect(error).to.include({ code: 'bad_path' })
  })

  it('ends a path with a slash where its last segment is written empty, never for an empty value', async () => {
    const withSegments = (segments: string) => ({
      connection: withKey,
      skill: `input: { id: {} }\nrequest: { get: [results, ${segments}] }`,
    })
    const inTheMiddle = withSegments('"${{ input.id }}", ""')
    expect((await sent(inTheMiddle, { id: '7' })).request.path).to.equal('/results/7/')
    for (const parts of [inTheMiddle, withSegments('"${{ input.id }}"')]) {
      const error: unknown = await sent(parts, { id: '' }).catch((caught: unknown) => caught)
      expect(error).to.include({ code: 'bad_path' })
    }
  })

  it('sends a word of OData in a path as it is, but percent-encodes the same as a value', async () => {
    const parts = {
      connection: withKey,
      skill: 'input: { id: {} }\nrequest: { get: [members, "${{ input.id }}", $ref] }',
    }
    expect((await sent(parts, { id: '$ref' })).request.path).to.equal('/members/%24ref/$ref')
  })

  it('leaves out parameters without a value, and repeats lists', async () => {
    const skill = `input: { a: { optional: true }, tags: { type: array, items: { type: string } } }
request:
  get: /it
  query: { a: "\${{ input.?a }}", none: null, tag: "\${{ input.tags }}", verbose: true, days: 30 }`
    const { request } = await sent({ connection: withKey, skill }, { tags: ['x', 'y'] })
    expect(request.path).to.equal('/it?tag=x&tag=y&verbose=true&days=30')
  })

  it('sends bodies as JSON, as a form and as text', async () => {
    const skill = (body: string) =>
      `effect: write\nrepeat: never\ninput: { a: { optional: true } }\nrequest: { post: /it, ${body} }`
    const json = await sent({
      connection: withKey,
      skill: skill('json: { a: "${{ input.?a }}", b: [1, null] }'),
    })
    expect(json.request.body).to.equal('{"b":[1,null]}')
    const form = await sent(
      {
        connection: withKey,
        skill: skill('form: { a: "${{ input.a }}", b: 2 }').replace('optional: true', ''),
      },
      { a: 'x y' },
    )
    expect(form.request.body).to.equal('a=x+y&b=2')
    const text = await sent({
      connection: withKey,
      skill: skill('body: "<a/>", headers: { content-type: text/xml }'),
    })
    expect(text.request).to.deep.include({ body: '<a/>' })
    expect(text.request.headers).to.include({ 'content-type': 'text/xml' })
  })

  it('maps the items of a list, without fields that are null or missing', async () => {
    const skill = `output:
  reports:
    each: "\${{ response.body.reports }}"
    item:
      at: { type: string, value: "\${{ item.at }}" }
      by: { type: string, optional: true, value: "\${{ item.?by }}" }`
    const replies = [{ json: { reports: [{ at: 'a', by: null }, { at: 'b', by: 'c' }, { at: 'd' }] } }]
    const { output } = await sent({ connection: withKey, skill }, {}, replies)
    expect(output).to.deep.equal({ reports: [{ at: 'a' }, { at: 'b', by: 'c' }, { at: 'd' }] })
  })

  it('tells an object that does not exist by status or by condition', async () => {
    const skill =
      'not_found: { status: 404, when: response.body.?gone.orValue(false) }\noutput: { n: "${{ response.body.n }}" }'
    const parts = { connection: withKey, skill }
    expect((await sent(parts, {}, [{ json: { n: 1 } }])).output).to.deep.equal({ found: true, n: 1 })
    expect((await sent(parts, {}, [{ json: { gone: true } }])).output).to.deep.equal({ found: false })
    expect((await sent(parts, {}, [{ status: 404, text: 'no' }])).output).to.deep.equal({ found: false })
  })

  it('reads pages by offset and by number', async () => {
    const paging = (how: string) => `paging:
  ${how}
  size: { parameter: limit, value: 2 }
  items: "\${{ response.body.data }}"
  total: "\${{ response.body.?total }}"
  limit: 3
output: { all: { type: array, value: "\${{ items }}" }, complete: "\${{ complete }}", total: "\${{ total }}" }`
    const pages = [{ json: { data: [1, 2], total: 3 } }, { json: { data: [3], total: 3 } }]
    const byOffset = await sent({ connection: withKey, skill: paging('offset: skip') }, {}, pages)
    expect(byOffset.requests.map(({ path }) => path)).to.deep.equal([
      '/it?limit=2&skip=0',
      '/it?limit=2&skip=2',
    ])
    expect(byOffset.output).to.deep.equal({ all: [1, 2, 3], complete: true, total: 3 })
    const byPage = await sent({ connection: withKey, skill: paging('page: p\n  first: 0') }, {}, pages)
    expect(byPage.requests.map(({ path }) => path)).to.deep.equal(['/it?limit=2&p=0', '/it?limit=2&p=1'])
  })

  it('explains errors by the first condition that holds', async () => {
    const connection = `${withKey}
errors:
  - { when: response.body.code == "quota", hint: buy more, message: "no \${{ response.body.what }} left", effect: none }
  - { when: response.status == 400, hint: check the input }`
    const fail = async (reply: object): Promise<unknown> =>
      sent({ connection }, {}, [reply]).catch((caught: unknown) => caught)
    const quota = await fail({ status: 400, json: { code: 'quota', what: 'lookups' } })
    expect(quota)
      .to.include({ code: 'http_400', hint: 'buy more' })
      .and.have.property('message')
      .that.includes('no lookups left')
    expect(await fail({ status: 400, text: 'x' })).to.include({ hint: 'check the input' })
  })

  it('fetches a token with client credentials', async () => {
    const connection = `fields: { id: {}, api_key: { secret: true } }
other_origins: [https://login.example.com]
auth:
  oauth2:
    grant: client_credentials
    token: https://login.example.com/token
    client_id: "\${{ settings.id }}"
    client_secret: "\${{ settings.api_key }}"
    scope: read`
    const { requests } = await runSkill(
      skillOf({ connection }),
      {},
      {
        settings: { ...settings, id: 'me' },
        token: null,
        replies: [
          { json: { access_token: 'fresh-token', token_type: 'Bearer', expires_in: 3600 } },
          { json: {} },
        ],
      },
    )
    expect(requests[0]).to.deep.include({
      url: 'https://login.example.com/token',
      body: 'grant_type=client_credentials&client_id=me&client_secret=a-long-secret&scope=read',
    })
    expect(requests[1]!.headers['authorization']).to.equal('Bearer fresh-token')
  })

  it('tells the catalogue which permissions it needs, and where its examples come from', () => {
    const example = { title: 'One', input: {}, responses: [{ body: {} }], output: { status: 200 } }
    const recorded = { ...example, title: 'Two', source: 'https://docs.example.com' }
    const texts = [JSON.stringify({ ...example, synthetic: true }), JSON.stringify(recorded)]
    const skill = 'permissions: [It.Read]\nexamples: [one.json, two.json]'
    const files = { read: (path: string) => ({ text: texts[path === 'one.json' ? 0 : 1]! }) }
    const { plugin, problems } = readPlugin(pluginWith({ skill }), { files })
    expect(problems).to.deep.equal([])
    const [made] = compilePlugin(plugin!).skills
    expect(made?.permissions).to.deep.equal(['It.Read'])
    expect(made?.examples).to.deep.equal([
      { title: 'One', synthetic: true, input: {}, output: { status: 200 } },
      { title: 'Two', source: 'https://docs.example.com', input: {}, output: { status: 200 } },
    ])
  })
})
