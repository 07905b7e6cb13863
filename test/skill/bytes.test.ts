import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { HttpRequest, HttpResponse } from '../../core/plugin/index.ts'
import {
  runSkill,
  serveSandbox,
  type SandboxCall,
  type ServedSandbox,
} from '../../core/plugin/testing/index.ts'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { connection, failure, skillThat } from './fixture.ts'

/** Every byte, so that a conversion to text would be noticed. */
const file = Buffer.from(Array.from({ length: 2_048 }, (_one, index) => index % 256))
const megabyte = 1_048_576

const files = serveSandbox(
  () => ({
    'GET /file': () => ({ bytes: file, headers: { 'content-type': 'Application/PDF; x=y' } }),
    'GET /zipped': () => ({ bytes: gzipSync(file), headers: { 'content-encoding': 'gzip' } }),
    'GET /bomb': () => ({
      bytes: gzipSync(Buffer.alloc(33 * megabyte)),
      headers: { 'content-encoding': 'gzip' },
    }),
    'GET /page': () => ({ text: '<title>Sign in</title>', headers: { 'content-type': 'text/html' } }),
    'GET /gone': () => ({ status: 404, json: { error: { message: 'no such file' } } }),
    'POST /upload': ({ bytes, headers }: SandboxCall) => ({
      json: { type: headers['content-type'], sha256: createHash('sha256').update(bytes).digest('hex') },
    }),
    async 'POST /form'({ bytes, headers }: SandboxCall) {
      const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData()
      const parts = [...form].map(async ([name, value]) =>
        typeof value === 'string'
          ? { name, value }
          : {
              name,
              filename: value.name,
              type: value.type,
              bytes: Buffer.from(await value.arrayBuffer()).toString('hex'),
            },
      )
      return { json: await Promise.all(parts) }
    },
  }),
  (url) => ({ base_url: url, key: 'sandbox-key' }),
)

describe('bytes in requests and answers', () => {
  let running: ServedSandbox
  let egress: ClosableEgress
  before(async () => {
    running = await files.start()
    egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  })
  after(async () => {
    egress.close()
    await running.close()
  })

  async function send(wanted: HttpRequest, effect: 'read' | 'write' = 'read'): Promise<HttpResponse> {
    let answer: HttpResponse | undefined
    const skill = skillThat(
      async (_input, { http }) => {
        answer = await http.request(wanted)
        return { text: '' }
      },
      { connection, effect, ...(effect === 'write' && { repeat: 'never' }) },
    )
    await runSkill(skill, {}, { settings: running.settings, egress })
    return answer!
  }

  it('reads a file byte by byte, also a compressed one, within a limit', async () => {
    const answer = await send({ path: '/file', bytes: { contentTypes: ['image/*', 'application/pdf'] } })
    expect(Buffer.from(answer.bytes).equals(file)).to.equal(true)
    expect(answer.text).to.equal('')
    expect(
      Buffer.from((await send({ path: '/zipped', bytes: { maxBytes: 2_048 } })).bytes).equals(file),
    ).to.equal(true)
    for (const path of ['/file', '/zipped']) {
      const error = await failure(send({ path, bytes: { maxBytes: 2_047 } }))
      expect(error).to.include({
        code: 'response_too_large',
        message: 'the answer is larger than 2047 bytes',
      })
    }
  })

  it('reads at most 32 MB, whatever the skill asks for', async () => {
    const error = await failure(send({ path: '/bomb', bytes: { maxBytes: 1e12 } }))
    expect(error).to.include({ code: 'response_too_large', message: 'the answer is larger than 32 MB' })
  })

  it('refuses a page in place of a file; after a write that tells nothing of its effect', async () => {
    const bytes = { contentTypes: ['application/pdf'] }
    const error = await failure(send({ path: '/page', bytes }))
    expect(error).to.include({ code: 'bad_response' })
    expect(error.message).to.match(/is text\/html, not application\/pdf$/)
    const write = await failure(send({ method: 'POST', path: '/upload', body: 'x', bytes }, 'write'))
    expect(mayHaveHappened(write)).to.equal(true)
  })

  it('gives the text of other answers', async () => {
    const error = await failure(send({ path: '/gone', bytes: {} }))
    expect(error.message).to.match(/answered 404: no such file$/)
    const answer = await send({ path: '/gone', bytes: { contentTypes: ['application/pdf'] }, accept: [404] })
    expect(answer.json()).to.deep.equal({ error: { message: 'no such file' } })
    expect(answer.bytes).to.have.length(0)
  })

  it('sends a file', async () => {
    const sha256 = createHash('sha256').update(file).digest('hex')
    const upload = { method: 'POST', path: '/upload', body: file } as const
    expect((await send(upload)).json()).to.deep.equal({ type: 'application/octet-stream', sha256 })
    const named = await send({ ...upload, headers: { 'Content-Type': 'image/png' } })
    expect(named.json()).to.deep.equal({ type: 'image/png', sha256 })
  })

  it('sends a form with files', async () => {
    const answer = await send({
      method: 'POST',
      path: '/form',
      multipart: [
        { name: 'comment', value: 'a "ü"\r\nb' },
        {
          name: 'file',
          value: file,
          filename: 'a "b"\r\nContent-Type: text/html.pdf',
          contentType: 'application/pdf',
        },
        { name: 'note', value: 'text', filename: 'note.txt' },
      ],
    })
    expect(answer.json()).to.deep.equal([
      { name: 'comment', value: 'a "ü"\r\nb' },
      {
        name: 'file',
        filename: 'a "b"\r\nContent-Type: text/html.pdf',
        type: 'application/pdf',
        bytes: file.toString('hex'),
      },
      {
        name: 'note',
        filename: 'note.txt',
        type: 'application/octet-stream',
        bytes: Buffer.from('text').toString('hex'),
      },
    ])
  })

  it('refuses what cannot be sent, before it is sent', async () => {
    const before = running.requests.length
    const post = { method: 'POST', path: '/form' } as const
    const large = Buffer.alloc(32 * megabyte + 1)
    for (const wanted of [{ body: large }, { multipart: [{ name: 'f', value: large, filename: 'f' }] }]) {
      const error = await failure(send({ ...post, ...wanted }, 'write'))
      expect(error).to.include({ code: 'request_too_large' })
      expect(mayHaveHappened(error)).to.equal(false)
    }
    const nameless = { ...post, multipart: [{ name: 'f', value: file }] }
    expect(await failure(send(nameless))).to.include({ code: 'bad_request' })
    expect(await failure(send({ ...post, multipart: [], form: {} }))).to.include({ code: 'bad_request' })
    expect(running.requests).to.have.length(before)
  })
})
