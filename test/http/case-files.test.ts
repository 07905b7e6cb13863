import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { largeFile, sha256 } from '../contract/case-file-store.ts'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

describe('files of cases over HTTP', () => {
  let api: Api
  let caseId: string
  let reader: string
  const run = theRun('run-1', 'triage')
  beforeEach(async () => {
    api = await startApi()
    reader = await api.newKey('reader')
    const { id } = await api.stores.cases.create(api.organizations['acme']!, { title: 'One' }, run, 'a')
    caseId = id
  })
  afterEach(() => api.close())

  const attach = (name: string, bytes: Uint8Array, contentType?: string) =>
    api.stores.cases.files.attach(api.organizations['acme']!, caseId, { name, bytes, contentType }, run)
  const pathOf = (hash: string) => `/api/cases/${caseId}/files/${hash}`
  const download = (hash: string, method = 'GET') =>
    fetch(`${api.url}${pathOf(hash)}`, { method, headers: { authorization: `Bearer ${reader}` } })

  it('are listed in the case', async () => {
    const { sha256: hash } = await attach('mail.eml', Buffer.from('x'), 'message/rfc822')
    const { json } = await api.call('GET', `/api/cases/${caseId}`, { key: reader })
    expectFits('case', json)
    expect(json.files).to.deep.equal([
      {
        sha256: hash,
        name: 'mail.eml',
        content_type: 'message/rfc822',
        detected_type: null,
        size: 1,
        added_at: api.clock.time,
        added_by: { kind: 'run', id: 'run-1', name: 'triage' },
        deleted_at: null,
        deleted_by: null,
        deleted_reason: null,
      },
    ])
    expect(json.timeline.at(-1)).to.include({ kind: 'file' })
    const report = await api.call('GET', `/api/cases/${caseId}/export?format=markdown`, { key: reader })
    expect(report.text).to.include(`\`mail.eml\`, 1 byte, SHA-256 \`${hash}\``)
  })

  it('are saved and never shown, whatever they are', async () => {
    const page = Buffer.from('<script>alert(1)</script>')
    await attach('€ "a"; b=c.html', page, 'text/html')
    await attach('large.bin', largeFile)
    const response = await download(sha256(page))
    expect(response.status).to.equal(200)
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'application/octet-stream',
      'content-length': String(page.length),
      'content-disposition': `attachment; filename="? \\"a\\"; b=c.html"; filename*=UTF-8''%E2%82%AC%20%22a%22%3B%20b%3Dc.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(page)).to.equal(true)
    const large = await (await download(sha256(largeFile))).arrayBuffer()
    expect(Buffer.from(large).equals(largeFile)).to.equal(true)
    const head = await download(sha256(largeFile), 'HEAD')
    expect(head.headers.get('content-length')).to.equal(String(largeFile.length))
  })

  it('are downloaded on record', async () => {
    const { sha256: hash } = await attach('a.txt', Buffer.from('x'))
    await download(hash)
    const { data } = await api.stores.audit.list('all', {}, { limit: 10 })
    const entry = data.find(({ action }) => action === 'case.file_downloaded')
    expect(entry?.details).to.deep.equal({ file: 'a.txt', sha256: hash, size: '1 byte' })
    expect(entry?.subject).to.include({ kind: 'case', id: caseId })
  })

  it('are not found under another hash, or after their retention', async () => {
    const { sha256: hash } = await attach('a.txt', Buffer.from('x'))
    const missing = await api.call('GET', pathOf('0'.repeat(64)), { key: reader })
    expectProblem(missing, 404, 'file_not_found')
    const edit = { status: 'closed' } as const
    await api.stores.cases.edit(api.organizations['acme']!, caseId, edit, run, undefined)
    await api.stores.retention.pruneFiles({ before: Infinity, setting: 'x=1' }, undefined)
    expectProblem(await api.call('GET', pathOf(hash), { key: reader }), 404, 'file_not_found')
    const { json } = await api.call('GET', `/api/cases/${caseId}`, { key: reader })
    expect(json.files[0]).to.include({ sha256: hash, deleted_at: api.clock.time })
  })
})
