import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { largeFile, sha256 } from '../contract/case-file-store.ts'
import { exchange } from './support/exchange.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('an upload of a file to a case', () => {
  let api: Api
  let caseId: string
  let analyst: string
  beforeEach(async () => {
    api = await startApi()
    analyst = await api.newKey('analyst')
    const run = theRun('run-1', 'triage')
    caseId = (await api.stores.cases.create(api.organizations['acme']!, { title: 'One' }, run, 'a')).id
  })
  afterEach(() => api.close())

  interface Upload {
    readonly name?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly key?: string
  }
  async function upload(
    body: Uint8Array | string,
    { name = 'a.txt', headers = {}, key = analyst }: Upload = {},
  ) {
    const response = await fetch(`${api.url}/api/cases/${caseId}/files?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: Buffer.from(body),
    })
    const text = await response.text()
    const { status, headers: answered } = response
    return { status, headers: answered, text, json: JSON.parse(text) } as Reply
  }
  const list = async () => (await api.call('GET', `/api/cases/${caseId}/files`, { key: analyst })).json
  const download = (path: string) =>
    fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${analyst}` } })

  it('keeps its bytes, and is downloaded as an attachment that no browser shows', async () => {
    const page = '<script>alert(1)</script>'
    const { status, json, headers } = await upload(page, {
      name: 'page.html',
      headers: { 'content-type': 'text/html' },
    })
    expect(status).to.equal(201)
    expect(json).to.deep.include({
      sha256: sha256(page),
      name: 'page.html',
      content_type: 'text/html',
      size: page.length,
      deleted_at: null,
    })
    const response = await download(headers.get('location') ?? '')
    expect(await response.text()).to.equal(page)
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="page.html"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const { data, limits } = await list()
    expect(data).to.deep.equal([json])
    expect(limits).to.deep.equal({
      file_bytes: 32 * 1_048_576,
      case_bytes: 512 * 1_048_576,
      organization_bytes: 1024 * 1_048_576,
    })
  })

  it('takes contents of any size, from nothing to the limit', async () => {
    for (const size of [0, 1, 1_048_576, 3_000_000, 32 * 1_048_576]) {
      const { status, json } = await upload(Buffer.alloc(size, 'x'))
      expect([status, json.size, json.sha256]).to.deep.equal([201, size, sha256(Buffer.alloc(size, 'x'))])
    }
    const refused = await upload(Buffer.alloc(32 * 1_048_576 + 1))
    expectProblem(refused, 413, 'file_too_large')
    expect(refused.json.hint).to.include('attach a smaller file')
    expect((await list()).data).to.have.length(5)
  })

  it('keeps names of attackers as text that is no path and is read as it is', async () => {
    const names: Readonly<Record<string, string>> = {
      '../../etc/passwd': '.._.._etc_passwd',
      'C:\\Windows\\x.exe': 'C:_Windows_x.exe',
      'invoice\u202Efdp.exe': 'invoice_fdp.exe',
      'a\r\nset-cookie: x=1': 'a__set-cookie: x=1',
      'nul\u0000.txt': 'nul_.txt',
      '..': 'file',
      '   ': 'file',
      '<img src=x onerror=alert(1)>.png': '<img src=x onerror=alert(1)>.png',
      '"; rm -rf ~': '"; rm -rf ~',
      [`${'x'.repeat(996)}.pdf`]: `${'x'.repeat(251)}.pdf`,
      ['😀'.repeat(500)]: `${'😀'.repeat(127)}_`,
    }
    for (const [name, kept] of Object.entries(names)) {
      const { status, json, headers } = await upload(name, { name })
      expect([status, json.name]).to.deep.equal([201, kept])
      const { headers: answered } = await download(headers.get('location') ?? '')
      expect(answered.get('content-disposition')).to.match(/^attachment; /)
      expect(answered.get('set-cookie')).to.equal(null)
    }
    expect((await upload('x', { name: 'x'.repeat(5_000) })).status).to.equal(400)
  })

  it('keeps two files with the same name, and a content once', async () => {
    const [first, second, again] = [
      await upload('one'),
      await upload('two'),
      await upload('one', { name: 'b' }),
    ]
    expect([first.status, second.status, again.status]).to.deep.equal([201, 201, 200])
    expect(again.json).to.deep.equal(first.json)
    expect((await list()).data.map(({ name }: { name: string }) => name)).to.deep.equal(['a.txt', 'a.txt'])
  })

  it('is replayed if another node has been first while its content arrived', async () => {
    const headers = { 'idempotency-key': 'k' }
    const first = await upload(largeFile, { headers })
    const { requests } = api.stores
    const once = requests.once.bind(requests)
    // The store tells it only in the last write.
    requests.once = async (request, work, recall) => {
      await work()
      return await once(request, work, recall)
    }
    const second = await upload(largeFile, { headers })
    expect([second.status, second.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true'])
    expect(second.json).to.deep.equal(first.json)
    expectProblem(
      await upload(Buffer.concat([largeFile, largeFile]), { headers }),
      422,
      'idempotency_key_reused',
    )
  })

  it('takes effect once for an Idempotency-Key, which belongs to its content', async () => {
    const headers = { 'idempotency-key': 'k' }
    const first = await upload(largeFile, { headers })
    const withdrawn = await api.call('POST', `/api/cases/${caseId}/files/${sha256(largeFile)}/withdraw`, {
      key: analyst,
      body: { reason: 'not needed' },
    })
    expect(withdrawn.json).to.include({ deleted_reason: 'not needed' })
    const again = await upload(largeFile, { headers })
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true'])
    expect(again.json).to.deep.equal(first.json)
    expect((await list()).data[0].deleted_at, 'it is not attached again').not.to.equal(null)
    expectProblem(await upload('other', { headers }), 422, 'idempotency_key_reused')
    expectProblem(await upload(largeFile, { headers, name: 'b' }), 422, 'idempotency_key_reused')
  })

  it('that is cut off leaves nothing, and can be repeated with its key', async () => {
    const head = [
      `POST /api/cases/${caseId}/files?name=x HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${analyst}`,
      'idempotency-key: k',
      `content-length: ${largeFile.length}`,
    ]
    const bytes = Buffer.concat([
      Buffer.from(`${head.join('\r\n')}\r\n\r\n`),
      largeFile.subarray(1, 1_500_000),
    ])
    await exchange(api.url, { bytes, isCut: true })
    expect((await list()).data).to.deep.equal([])
    const { status, json } = await upload(largeFile, { name: 'x', headers: { 'idempotency-key': 'k' } })
    expect([status, json.sha256]).to.deep.equal([201, sha256(largeFile)])
  })

  it('without an announced size is limited while it arrives', async () => {
    const megabyte = Buffer.alloc(1_048_576)
    const response = await fetch(`${api.url}/api/cases/${caseId}/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${analyst}` },
      duplex: 'half',
      body: new ReadableStream({
        async start(controller) {
          for (let n = 0; n < 33; n++) controller.enqueue(megabyte)
          controller.close()
        },
      }),
    }).catch((error: unknown) => error)
    // The server may have closed the connection before the sender reads the answer.
    if (response instanceof Response) expect(response.status).to.equal(413)
    expect((await list()).data).to.deep.equal([])
  })

  it('is refused without the permission, compressed, and for an unknown case', async () => {
    expectProblem(await upload('x', { key: await api.newKey('reader') }), 403, 'role_insufficient')
    const compressed = await upload('x', { headers: { 'content-encoding': 'gzip' } })
    expectProblem(compressed, 415, 'content_encoding_unsupported')
    const cross = await upload('x', { headers: { 'sec-fetch-site': 'cross-site' } })
    expectProblem(cross, 403, 'cross_site_request')
    caseId = 'acme-999'
    expectProblem(await upload('x'), 404, 'case_not_found')
  })

  it('is withdrawn only with a reason, and then not downloaded', async () => {
    const { json } = await upload('secret')
    const path = `/api/cases/${caseId}/files/${json.sha256}`
    const refused = await api.call('POST', `${path}/withdraw`, { key: analyst, body: { reason: '' } })
    expectProblem(refused, 400, 'value_invalid')
    const { status, json: withdrawn } = await api.call('POST', `${path}/withdraw`, {
      key: analyst,
      body: { reason: 'personal data' },
    })
    expect([status, withdrawn.deleted_reason, withdrawn.name]).to.deep.equal([200, 'personal data', 'a.txt'])
    expect((await download(path)).status).to.equal(404)
    const report = await api.call('GET', `/api/cases/${caseId}/export?format=markdown`, { key: analyst })
    expect(report.text).to.include('personal data')
  })
})
