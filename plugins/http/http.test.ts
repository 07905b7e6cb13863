import { expect } from 'chai'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox from './sandbox.ts'
import { get } from './skills/get.ts'
import { saveFile } from './skills/save-file.ts'
import { send } from './skills/send.ts'

async function refusal(work: Promise<unknown>): Promise<{ code?: string; message: string; hint?: string }> {
  return work.then(
    () => expect.fail('it should have been refused'),
    (error: Error) => error,
  )
}

describe('http.get', () => {
  it('fetches an absolute URL without a connection and without credentials', async () => {
    const { output, requests } = await runSkill(
      get,
      { url: 'https://example.com/feed?page=1', query: { tag: ['a', 'b c'] } },
      { replies: [{ text: 'hello' }] },
    )
    expect(output).to.include({ status: 200, text: 'hello', truncated: false }).and.not.have.property('json')
    expect(requests[0]?.url).to.equal('https://example.com/feed?page=1&tag=a&tag=b%20c')
    expect(requests[0]?.headers).not.to.have.property('authorization')
  })

  it('parses a JSON response and keeps malformed JSON as text', async () => {
    const read = async (text: string): Promise<unknown> =>
      (await runSkill(get, { url: 'https://example.com/' }, { replies: [{ text }] })).output.json
    expect(await read('[1]')).to.deep.equal([1])
    expect(await read('{"a":')).to.equal(undefined)
    expect(await read('["'.repeat(2_000))).to.equal(undefined)
  })

  it('truncates a long body and reports it', async () => {
    const { output } = await runSkill(
      get,
      { url: 'https://example.com/' },
      { replies: [{ text: 'x'.repeat(70_000) }] },
    )
    expect(output.text).to.have.length(65_536)
    expect(output.truncated).to.equal(true)
  })

  it('requires either url or path, and a connection for path', async () => {
    const settings = { base_url: 'https://api.example.com' }
    expect(await refusal(runSkill(get, {}))).to.include({ code: 'bad_address' })
    expect(await refusal(runSkill(get, { url: 'https://a.example', path: '/b' }))).to.include({
      code: 'bad_address',
    })
    expect(await refusal(runSkill(get, { path: '/b' }))).to.include({ code: 'bad_address' })
    expect(await refusal(runSkill(get, { url: 'https://a.example' }, { settings }))).to.include({
      code: 'bad_address',
    })
  })

  const settings = { base_url: 'https://api.example.com/v1' }
  const urlFor = async (input: Parameters<typeof get.run>[0]): Promise<string | undefined> =>
    (await runSkill(get, input, { settings, replies: [{ text: '' }] })).requests[0]?.url

  it('accepts path segments and query values as data', async () => {
    expect(
      await urlFor({ path: ['devices', 'a/b?c#d;e', 7], query: { q: 'x&y', tag: ['a', 'b'] } }),
    ).to.equal('https://api.example.com/v1/devices/a%2Fb%3Fc%23d%3Be/7?q=x%26y&tag=a&tag=b')
    expect(await urlFor({ path: '/devices/7%20a' })).to.equal('https://api.example.com/v1/devices/7%20a')
  })

  for (const id of [
    '..%2f..%2fbeta%2fadmin',
    '%2e%2e/admin',
    '..;/x',
    '..%5c',
    '7?admin=true',
    '7#a',
    '%252e%252e',
    '../x',
    'a//b',
    '．．',
  ]) {
    it(`refuses the id ${id} in a path string`, async () => {
      const refused = await refusal(runSkill(get, { path: `/devices/${id}` }, { settings }))
      expect(refused.code).to.be.oneOf(['value_invalid', 'bad_path'])
    })
  }

  for (const id of [
    '..',
    '../admin',
    '..%2f..%2fbeta%2fadmin',
    '%2e%2e/admin',
    '..;/x',
    '..%5c',
    '%252e%252e',
    '',
    'a\nb',
    '．．',
  ]) {
    it(`refuses the id ${JSON.stringify(id)} as a segment`, async () => {
      expect(await refusal(runSkill(get, { path: ['devices', id] }, { settings }))).to.include({
        code: 'bad_path',
      })
    })
  }

  it('tests a connection at a path with a query', async () => {
    const asked: string[] = []
    const http = {
      get: async (path: string, { query }: { query: object }) =>
        void asked.push(`${path} ${JSON.stringify(query)}`),
    }
    const test_path = '/me?a=b%20c&a=d+e&empty'
    await connection.authenticate({ settings: { ...settings, test_path }, http } as never)
    expect(asked).to.deep.equal(['/me {"a":["b c","d e"],"empty":[""]}'])
  })

  it('returns an expected error status as a response', async () => {
    const reply = { status: 404, json: { error: 'none' } }
    const { output } = await runSkill(
      get,
      { url: 'https://example.com/', accept_statuses: [404] },
      { replies: [reply] },
    )
    expect(output).to.deep.include({ status: 404, json: { error: 'none' } })
    expect(await refusal(runSkill(get, { url: 'https://example.com/' }, { replies: [reply] }))).to.include({
      code: 'http_404',
      message: 'GET https://example.com/ answered 404: none',
    })
  })

  it('sends the credentials of its connection in the configured header', async () => {
    const { requests } = await runSkill(
      get,
      { path: '/x', headers: { 'X-Key': 'from the playbook' } },
      {
        settings: {
          base_url: 'https://api.example.com/v1/',
          header_name: 'X-Key',
          header_value: 'secret-key',
        },
        replies: [{ text: '' }],
      },
    )
    expect(requests[0]?.url).to.equal('https://api.example.com/v1/x')
    expect(requests[0]?.headers['x-key']).to.equal('secret-key')
  })

  it('redacts credentials that the other system echoes', async () => {
    const running = await sandbox.start()
    try {
      const { output } = await runSkill(
        get,
        { path: '/echo' },
        { settings: running.settings, egress: loopbackEgress },
      )
      expect(output.text).to.equal('[redacted]')
    } finally {
      await running.close()
    }
  })
})

describe('http.send', () => {
  it('sends JSON or text with the given method', async () => {
    const { requests } = await runSkill(
      send,
      { method: 'PUT', url: 'https://example.com/a', json: { n: 1 } },
      { replies: [{ status: 204 }] },
    )
    expect(requests[0]).to.include({ method: 'PUT', body: '{"n":1}' })
    const text = await runSkill(
      send,
      { method: 'POST', url: 'https://example.com/a', text: 'a=b', headers: { 'content-type': 'text/x' } },
      { replies: [{ status: 200 }] },
    )
    expect(text.requests[0]?.body).to.equal('a=b')
    expect(text.requests[0]?.headers['content-type']).to.equal('text/x')
  })

  it('refuses two bodies and read-only methods', async () => {
    const url = 'https://example.com/a'
    expect(await refusal(runSkill(send, { method: 'POST', url, json: 1, text: 'x' }))).to.include({
      code: 'bad_body',
    })
    expect(await refusal(runSkill(send, { method: 'GET' as 'POST', url }))).to.include({
      code: 'value_invalid',
    })
  })

  it('refuses headers that control the message framing', async () => {
    for (const headers of [
      { Host: 'evil' },
      { 'content-length': '1' },
      { 'x-a': 'b\r\nx-c: d' },
      { 'x a': 'b' },
    ]) {
      const input = { method: 'POST', url: 'https://example.com/a', headers } as const
      expect(await refusal(runSkill(send, input, { replies: [{ text: '' }] }))).to.include({
        code: 'bad_header',
      })
    }
  })

  it('is never repeated automatically', () => {
    expect(send).to.include({ effect: 'write', repeat: 'never' })
  })
})

describe('http.save_file', () => {
  const bytes = Buffer.from([0, 255, 128, 10])
  const save = (input: Parameters<typeof saveFile.run>[0], more: object = {}) =>
    runSkill(saveFile, input, {
      replies: [{ bytes, headers: { 'content-type': 'application/pdf; x=y' } }],
      ...more,
    })

  it('attaches the file to the case, under the name in the address or a given one', async () => {
    const { output, cases } = await save({ url: 'https://example.com/a%20b.pdf?x=1' })
    expect(output).to.include({
      case_id: 'DEMO-1',
      name: 'a b.pdf',
      content_type: 'application/pdf',
      size: 4,
    })
    const file = await cases.files.open('all', 'DEMO-1', output.sha256)
    for await (const piece of file?.content() ?? []) expect(Buffer.from(piece).equals(bytes)).to.equal(true)
    expect((await save({ url: 'https://example.com/', name: 'c.pdf' })).output.name).to.equal('c.pdf')
    expect((await save({ url: 'https://example.com/' })).output.name).to.equal('file')
  })

  it('refuses a file of another type, a larger one, and a run without a case', async () => {
    const url = 'https://example.com/a'
    expect(await refusal(save({ url, content_types: ['image/*'] }))).to.include({ code: 'bad_response' })
    expect(await refusal(save({ url }, { caseId: null }))).to.include({ code: 'no_case' })
    const running = await sandbox.start()
    const large = save(
      { path: '/devices/7/photo', max_bytes: 6 },
      { settings: running.settings, egress: loopbackEgress, replies: undefined },
    )
    expect(await refusal(large)).to.include({ code: 'response_too_large' })
    await running.close()
  })
})
