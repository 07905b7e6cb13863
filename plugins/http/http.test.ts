import { expect } from 'chai'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'
import { get } from './skills/get.ts'
import { send } from './skills/send.ts'

async function refusal(work: Promise<unknown>): Promise<{ code?: string; message: string; hint?: string }> {
  return work.then(
    () => expect.fail('it should have been refused'),
    (error: Error) => error,
  )
}

describe('http.get', () => {
  it('fetches an absolute address without a connection and without credentials', async () => {
    const { output, requests } = await runSkill(
      get,
      { url: 'https://example.com/feed?page=1', query: { tag: ['a', 'b c'] } },
      { replies: [{ text: 'hello' }] },
    )
    expect(output).to.include({ status: 200, text: 'hello', truncated: false }).and.not.have.property('json')
    expect(requests[0]?.url).to.equal('https://example.com/feed?page=1&tag=a&tag=b%20c')
    expect(requests[0]?.headers).not.to.have.property('authorization')
  })

  it('reads JSON where the answer is JSON, and leaves broken JSON as text', async () => {
    const read = async (text: string): Promise<unknown> =>
      (await runSkill(get, { url: 'https://example.com/' }, { replies: [{ text }] })).output.json
    expect(await read('[1]')).to.deep.equal([1])
    expect(await read('{"a":')).to.equal(undefined)
    expect(await read('["'.repeat(2_000))).to.equal(undefined)
  })

  it('shortens a long body and says so', async () => {
    const { output } = await runSkill(
      get,
      { url: 'https://example.com/' },
      { replies: [{ text: 'x'.repeat(70_000) }] },
    )
    expect(output.text).to.have.length(65_536)
    expect(output.truncated).to.equal(true)
  })

  it('wants either url or path, and path only with a connection', async () => {
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

  it('takes a status for an answer when it is told to', async () => {
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

  it('sends the credentials of its connection in the header the operator named', async () => {
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

  it('never shows credentials that the other system sends back', async () => {
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
  it('sends JSON or text with the method it is given', async () => {
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

  it('refuses two bodies, and methods that change nothing', async () => {
    const url = 'https://example.com/a'
    expect(await refusal(runSkill(send, { method: 'POST', url, json: 1, text: 'x' }))).to.include({
      code: 'bad_body',
    })
    expect(await refusal(runSkill(send, { method: 'GET' as 'POST', url }))).to.include({
      code: 'value_invalid',
    })
  })

  it('refuses headers that would change the message itself', async () => {
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

  it('is never repeated by itself', () => {
    expect(send).to.include({ effect: 'write', repeat: 'never' })
  })
})
