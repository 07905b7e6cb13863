import { expect } from 'chai'
import { exampleProblems } from '../../core/declarative/index.ts'
import { closeAll, declaredWith, getIp, known, startedFor, withKey, type Example } from './sandbox-support.ts'

describe('the sandbox of a declarative plugin', () => {
  afterEach(closeAll)

  it('answers as recorded, other values with 404 and other methods with 405', async () => {
    const { run, call } = await startedFor(declaredWith({ skill: getIp }, known))
    expect(await run({ ip: '192.0.2.1' })).to.deep.equal({ found: true, score: 9 })
    expect(await run({ ip: '192.0.2.2' })).to.deep.equal({ found: false })
    const missing = await call('/ips/192.0.2.2')
    expect(missing.status).to.equal(404)
    expect(await missing.text()).to.include('the sandbox answers GET /ips/192.0.2.1')
    const wrong = await call('/ips/192.0.2.1', { method: 'POST' })
    expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'GET'])
    expect((await call('/ips/192.0.2.1?more=1')).status).to.equal(404)
  })

  for (const [place, request] of [
    ['path', 'put: [blocks, "${{ idempotency_key }}", of], json: { ip: "${{ input.ip }}" }'],
    ['body', 'post: /blocks, json: { ip: "${{ input.ip }}", request: { id: "${{ idempotency_key }}" } }'],
  ] as const)
    it(`ignores the idempotency key, and no other part of a ${place}`, async () => {
      const write = `effect: write
repeat: safe
input: { ip: {} }
request: { ${request} }
output: { n: "\${{ response.body.n }}" }`
      const block = (ip: string, n: number) => ({
        input: { ip },
        responses: [{ body: { n } }],
        output: { n },
      })
      const { run, code } = await startedFor(
        declaredWith({ skill: write }, block('192.0.2.1', 1), block('192.0.2.2', 2)),
      )
      expect(await run({ ip: '192.0.2.2' })).to.deep.equal({ n: 2 })
      expect(await run({ ip: '192.0.2.1' }, { run: { id: 'other' } })).to.deep.equal({ n: 1 })
      expect(await code({ ip: '192.0.2.3' })).to.deep.equal({ code: 'http_404' })
    })

  it('limits rates on request', async () => {
    const { running, call } = await startedFor(declaredWith({ skill: getIp }, known))
    running.failNext(running.faults['rate_limited']!)
    const limited = await call('/ips/192.0.2.1')
    expect([limited.status, limited.headers.get('retry-after')]).to.deep.equal([429, '1'])
    expect((await call('/ips/192.0.2.1')).status).to.equal(200)
  })

  it('answers the check with every field that it reads', async () => {
    const connection = `${withKey}\ncheck: { get: /me, account: "\${{ response.body.user.name }} of \${{ response.body.org }}" }`
    const { check } = await startedFor(declaredWith({ connection, skill: getIp }, known))
    expect(await check()).to.deep.equal({ account: 'sandbox of sandbox' })
  })

  const left = `${withKey}\ncheck: { get: /me, account: "\${{ response.body.left > 5 ? 'many' : 'few' }}" }`
  const getMe = 'request: { get: /me }\noutput: { left: "${{ response.body.left }}" }'

  const nine = { responses: [{ body: { left: 9 } }], output: { left: 9 } }

  it('answers the check like an example of a skill that sends the same request', async () => {
    const { check } = await startedFor(declaredWith({ connection: left, skill: getMe }, nine))
    expect(await check()).to.deep.equal({ account: 'many' })
    const withoutExample = startedFor(declaredWith({ connection: left, skill: getIp }, known))
    const message = await withoutExample.then(String, String)
    expect(message).to.include('add an example to a skill that sends the same request')
  })

  it('needs no credentials for another origin, because skills never send them there', async () => {
    const connection = `fields: { api_key: { secret: true }, files: { address: public, default: https://files.example.com } }
other_origins: ["\${{ settings.files }}"]
auth: { header: X-Key, value: "\${{ settings.api_key }}" }`
    const skill = getMe.replace('/me', `'\${{ settings.files + "/list" }}'`)
    const { run } = await startedFor(declaredWith({ connection, skill }, nine))
    expect(await run()).to.deep.equal({ left: 9 })
  })

  it('gives pages by cursor, by link in the body and by Link header', async () => {
    const output = { names: ['a', 'b'] }
    const mapping = 'output: { names: { type: array, items: { type: string }, value: "${{ items }}" } }'
    const pages = (paging: string) =>
      `paging: { ${paging}, items: "\${{ response.body.items }}" }\n${mapping}`
    const base = 'https://api.example.com'
    for (const [paging, ...responses] of [
      [
        'cursor: after, value: "${{ response.body.?next }}"',
        { body: { items: ['a'], next: 'x' } },
        { body: { items: ['b'] } },
      ],
      [
        'next: "${{ response.body.?next }}"',
        { body: { items: ['a'], next: `${base}/it?page=2` } },
        { body: { items: ['b'], next: null } },
      ],
      [
        'link: true',
        { body: { items: ['a'] }, headers: { Link: `<${base}/it?page=2>; rel="next"` } },
        { body: { items: ['b'] } },
      ],
    ] as const) {
      const declared = declaredWith({ skill: pages(paging) }, { responses, output })
      const { run, running } = await startedFor(declared)
      expect(await run(), paging).to.deep.equal(output)
      expect(running.requests).to.have.length(2)
      expect(await exampleProblems(declared)).to.deep.equal([])
    }
  })

  it('gives the states of an operation in turn, each time anew', async () => {
    const skill = `request: { post: /scans }
effect: write
repeat: never
poll: { request: { get: [scans, "\${{ submitted.body.id }}"] }, until: response.body.done, every: 5m }
output: { result: "\${{ response.body.result }}" }`
    const responses = [
      { status: 202, body: { id: 7 } },
      { body: { done: false } },
      { body: { done: true, result: 'clean' } },
    ]
    const { run, running } = await startedFor(
      declaredWith({ skill }, { responses, output: { result: 'clean' } }),
    )
    for (const times of [1, 2]) {
      expect(await run()).to.deep.equal({ result: 'clean' })
      expect(running.requests).to.have.length(3 * times)
    }
  })

  it('confirms a write once it was made', async () => {
    const skill = `request: { put: /blocks/7 }
effect: write
repeat: verify
verify: { request: { get: /blocks/7 }, took_effect: response.body.active, output: { id: 7 } }
output: { id: "\${{ response.body.id }}" }`
    const example = { responses: [{ body: { id: 7 } }, { body: { active: true } }], output: { id: 7 } }
    const declared = declaredWith({ skill }, example)
    expect(await exampleProblems(declared)).to.deep.equal([])
    const { run, call } = await startedFor(declared)
    expect((await call('/blocks/7')).status).to.equal(404)
    await run()
    expect(await run({}, { purpose: 'verify' })).to.deep.equal({ id: 7 })
  })

  it('ignores the parts of a request that depend on the time', async () => {
    const skill = `request: { post: /it, query: { at: "\${{ now }}", kind: all }, multipart: { note: some } }
effect: write
repeat: never
output: { ok: "\${{ response.body.ok }}" }`
    const example = { responses: [{ body: { ok: true } }], output: { ok: true } }
    const { run, call } = await startedFor(declaredWith({ skill }, example))
    expect(await run()).to.deep.equal({ ok: true })
    expect((await call('/it?at=x&kind=some', { method: 'POST' })).status).to.equal(404)
  })

  it('keeps the base path, and makes up fields that fit', async () => {
    const connection = `fields:
  api_key: { secret: true, pattern: '^[0-9a-f]{40}$', patternErrorMessage: must be hexadecimal }
  tenant: { format: uuid }
  token: { secret: true, pattern: '^x-[a-z]+-7$', patternErrorMessage: must be x-…-7, examples: [x-invented-7] }
  notes: { optional: true }
base_url: https://api.example.com/api/v2
auth: { header: X-Key, value: "\${{ settings.api_key }}" }`
    const { run, running } = await startedFor(declaredWith({ connection, skill: getIp }, known))
    expect(await run({ ip: '192.0.2.1' })).to.deep.include({ score: 9 })
    const { api_key, ...settings } = running.settings
    expect(api_key).to.match(/^[0-9a-f]{40}$/)
    expect(settings).to.deep.equal({
      base_url: `${running.url}/api/v2`,
      tenant: '00000000-0000-4000-8000-000000000000',
      token: 'x-invented-7',
    })
  })

  it('says which field needs an invented value', async () => {
    const connection = `fields: { code: { secret: true, pattern: '^x-[a-z]+-7$', patternErrorMessage: must be x-…-7 } }
auth: { bearer: "\${{ settings.code }}" }`
    const error: unknown = await startedFor(declaredWith({ connection, skill: getIp }, known)).catch(String)
    expect(error).to.include("the field 'code' of the connection").and.include('examples:')
  })
})

describe('the examples of a declarative plugin', () => {
  const problems = async (example: Example) =>
    (await exampleProblems(declaredWith({ skill: getIp }, { ...known, ...example }))).map(
      ({ problem }) => problem,
    )

  it('are compared with what the skill does', async () => {
    expect(await problems({})).to.deep.equal([])
    expect(await problems({ output: { found: true, score: 8 } })).to.deep.equal([
      'the answers give a different `output`: {"found":true,"score":9}',
    ])
    expect(await problems({ responses: [{ body: { score: 9 } }, { body: {} }] })).to.deep.equal([
      'has 2 entries in `responses`, but the skill sends 1 request',
    ])
    expect(await problems({ responses: [{ body: {} }] })).to.deep.equal([
      'the answer cannot be read: response.body.score is missing',
    ])
  })
})
