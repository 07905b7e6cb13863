import { expect } from 'chai'
import {
  brotliCompressSync,
  createGzip,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  type InputType,
} from 'node:zlib'
import type { EgressResponse } from '../../core/ports/egress.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { serveHttp, type TestServer } from './servers.ts'

const text = '{"verdict":"clean","ü":1}'

describe('egress: an encoded response', () => {
  let egress: ClosableEgress
  let server: TestServer | undefined

  beforeEach(() => {
    egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  })
  afterEach(async () => {
    egress.close()
    await server?.close()
    server = undefined
  })

  async function answerTo(encoding: string, bytes: InputType, method = 'GET'): Promise<EgressResponse> {
    server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'set-cookie': ['a=1', 'b=2'] }).end(bytes)
    })
    const signal = AbortSignal.timeout(30_000)
    return egress.send({ method, url: server.url, headers: {}, body: undefined, isConnection: true, signal })
  }

  for (const [encoding, bytes] of Object.entries({
    gzip: gzipSync(text),
    GZip: gzipSync(text),
    'x-gzip': gzipSync(text),
    deflate: deflateSync(text),
    br: brotliCompressSync(text),
    zstd: zstdCompressSync(text),
    'gzip, br': brotliCompressSync(gzipSync(text)),
    'identity, gzip': gzipSync(text),
    identity: Buffer.from(text),
    unheard_of: Buffer.from(text),
  })) {
    it(`is decoded from '${encoding}'`, async () => {
      const answer = await answerTo(encoding, bytes)
      expect(answer).to.deep.include({ status: 200, body: text })
      expect(answer.headers).to.include({ 'set-cookie': 'a=1, b=2' })
    })
  }

  it('is decoded with its charset', async () => {
    server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xfc]))
    })
    const signal = AbortSignal.timeout(30_000)
    const request = {
      method: 'GET',
      url: server.url,
      headers: {},
      body: undefined,
      isConnection: true,
      signal,
    }
    expect((await egress.send(request)).body).to.equal('ü')
  })

  it('may be empty', async () => {
    expect(await answerTo('gzip', '')).to.deep.include({ status: 200, body: '' })
  })

  it('has no body for HEAD', async () => {
    expect(await answerTo('br', '', 'HEAD')).to.deep.include({ status: 200, body: '' })
  })

  for (const [what, bytes] of Object.entries({
    'cut off': gzipSync(text.repeat(100)).subarray(0, 30),
    'not what its header says': Buffer.from(text),
  })) {
    it(`fails as a bad response if it is ${what}`, async () => {
      const error: unknown = await answerTo('gzip', bytes).catch((reason: unknown) => reason)
      expect(error).to.include({ name: 'RetryableError', code: 'network_error' })
      expect(String(error)).to.include('no complete response')
    })
  }

  it('is refused as too large if either layer is a decompression bomb', async () => {
    const zeros = createGzip({ level: 9 })
    for (let megabytes = 0; megabytes < 20; megabytes++) zeros.write(Buffer.alloc(1_048_576))
    zeros.end()
    const packed = gzipSync(Buffer.concat((await zeros.toArray()) as Buffer[]))
    const error: unknown = await answerTo('gzip, gzip', packed).catch((reason: unknown) => reason)
    expect(error).to.include({ code: 'response_too_large' })
  })
})
