import { expect } from 'chai'
import { readBlocks } from '../support/guide-page.ts'
import { startApi, type Api } from './support/api.ts'
import { readCurl } from './support/curl.ts'
import { expectProblem } from './support/schemas.ts'

const source = (name: string, value = '1') =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - { id: a, set: { n: ${value} } }\n`

describe('drafts of playbooks over HTTP', () => {
  let api: Api
  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const put = (name: string, text: string, headers = {}) =>
    api.call('PUT', `/api/playbooks/${name}`, { body: { source: text }, headers })
  const save = (name: string, body: object, tag?: string | null, key?: string) =>
    api.call('PUT', `/api/playbooks/${name}/draft`, {
      body,
      ...(tag && { headers: { 'if-match': tag } }),
      ...(key !== undefined && { key }),
    })
  const get = (path: string, key?: string) => api.call('GET', `/api${path}`, key === undefined ? {} : { key })
  const publish = (name: string, tag: string | null, reason = 'fewer questions', key?: string) =>
    api.call('POST', `/api/playbooks/${name}/draft/publish`, {
      body: { reason },
      ...(tag && { headers: { 'if-match': tag } }),
      ...(key !== undefined && { key }),
    })

  it('saves a draft with errors of a playbook that does not exist yet', async () => {
    const saved = await save('fresh', { source: 'name: [', note: 'not done' })
    expect(saved.status, saved.text).to.equal(200)
    expect(saved.json).to.deep.include({
      name: 'fresh',
      source: 'name: [',
      base_hash: null,
      published_hash: null,
      note: 'not done',
      organization_code: null,
    })
    expect(saved.headers.get('etag')).to.equal(`"${saved.json.revision}"`)
    const read = await get('/playbooks/fresh/draft')
    expect(read.json).to.deep.equal(saved.json)
    expect((await get('/playbook-drafts')).json.data.map(({ name }: { name: string }) => name)).to.deep.equal(
      ['fresh'],
    )
    expectProblem(await get('/playbooks/fresh'), 404, 'playbook_not_found')
  })

  it('publishes a draft with a reason, once, and removes it', async () => {
    const first = await put('hello', source('hello'))
    const saved = await save('hello', { source: source('hello', '2'), base_hash: first.json.hash })
    expect((await get('/playbooks/hello')).json).to.deep.include({
      source: source('hello'),
      draft: {
        revision: saved.json.revision,
        changed_at: saved.json.changed_at,
        changed_by: saved.json.changed_by,
      },
    })
    const replies = await Promise.all([1, 2, 3].map(() => publish('hello', saved.headers.get('etag'))))
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses[0], replies.map(({ text }) => text).join('\n')).to.equal(200)
    for (const status of statuses.slice(1)) expect(status).to.be.oneOf([404, 409, 412])
    const live = await get('/playbooks/hello')
    expect(live.json).to.deep.include({
      source: source('hello', '2'),
      put_in_force_reason: 'fewer questions',
      draft: null,
    })
    expectProblem(await get('/playbooks/hello/draft'), 404, 'draft_not_found')
    const versions = await get('/playbooks/hello/versions')
    expect(
      versions.json.data.map((each: { put_in_force_reason: string | null }) => each.put_in_force_reason),
    ).to.deep.equal(['fewer questions', null])
    const audit = await get('/audit?action=playbook.put_in_force')
    expect(audit.json.data).to.have.length(2)
    expect(audit.json.data[0].details).to.include({ reason: 'fewer questions' })
  })

  it('needs a reason with visible text', async () => {
    const saved = await save('hello', { source: source('hello') })
    for (const reason of ['', ' ', '\u200b', 'x'.repeat(1_001)])
      expect((await publish('hello', saved.headers.get('etag'), reason)).status, reason).to.equal(400)
    expect((await publish('hello', saved.headers.get('etag'))).status).to.equal(200)
  })

  it('names who changed a draft meanwhile, and loses nothing', async () => {
    const first = await save('hello', { source: 'a' })
    const tag = first.headers.get('etag')
    const second = await save('hello', { source: 'b' }, tag)
    const stale = await save('hello', { source: 'c' }, tag)
    expectProblem(stale, 412, 'precondition_failed')
    expect(stale.json.detail).to.match(/admin saved a draft of 'hello' at \d{4}-/)
    expectProblem(await save('hello', { source: 'c' }), 428, 'precondition_required')
    expectProblem(await save('hello', { source: 'c' }, '"x"'), 412, 'precondition_failed')
    expectProblem(await save('other', { source: 'c' }, '*'), 412, 'precondition_failed')
    expectProblem(await publish('hello', tag), 412, 'precondition_failed')
    expectProblem(await publish('hello', null), 428, 'precondition_required')
    const discard = (ifMatch: string | null) =>
      api.call('DELETE', '/api/playbooks/hello/draft', ifMatch ? { headers: { 'if-match': ifMatch } } : {})
    expectProblem(await discard(tag), 412, 'precondition_failed')
    expectProblem(await discard(null), 428, 'precondition_required')
    expect((await get('/playbooks/hello/draft')).json.source).to.equal('b')
    const gone = await discard(second.headers.get('etag'))
    expect(gone.json.source).to.equal('b')
    expectProblem(await discard('*'), 404, 'draft_not_found')
    // A new draft never has an earlier ETag.
    await save('hello', { source: 'd' })
    expectProblem(
      await save('hello', { source: 'c' }, second.headers.get('etag')),
      412,
      'precondition_failed',
    )
  })

  it('refuses to publish over a version that the draft does not know, until it is based on it', async () => {
    const first = await put('hello', source('hello'))
    const saved = await save('hello', { source: source('hello', '3'), base_hash: first.json.hash })
    const second = await put('hello', source('hello', '2'), { 'if-match': first.headers.get('etag') ?? '' })
    const reply = await publish('hello', saved.headers.get('etag'))
    expectProblem(reply, 409, 'draft_outdated')
    const read = await get('/playbooks/hello/draft')
    expect(read.json).to.include({ base_hash: first.json.hash, published_hash: second.json.hash })
    const based = await save(
      'hello',
      { source: source('hello', '3'), base_hash: second.json.hash },
      read.headers.get('etag'),
    )
    expect((await publish('hello', based.headers.get('etag'))).status).to.equal(200)
  })

  it('refuses a base that is no version of the playbook', async () => {
    const other = await put('other', source('other'))
    for (const base_hash of ['x', 'a'.repeat(64), other.json.hash])
      expectProblem(await save('hello', { source: 'a', base_hash }), 400, 'value_invalid')
  })

  it('keeps the draft when it cannot be published', async () => {
    const saved = await save('hello', { source: `${source('hello')}  - { uses: no.such }\n` })
    const tag = saved.headers.get('etag')
    expectProblem(await publish('hello', tag), 422, 'playbook_invalid')
    const renamed = await save('hello', { source: source('else') }, tag)
    expectProblem(await publish('hello', renamed.headers.get('etag')), 400, 'playbook_renamed')
    expect((await get('/playbooks/hello/draft')).json.source).to.equal(source('else'))
  })

  it('refuses names that are no names of playbooks, and sources beyond the limit', async () => {
    for (const name of ['..%2f..%2fetc', '.hidden', 'a b', 'A', 'x'.repeat(201), '%3Cscript%3E', '%00'])
      expect((await save(name, { source: 'a' })).status, name).to.be.oneOf([400, 404])
    expect((await save('big', { source: 'x'.repeat(1_000_001) })).status).to.be.oneOf([400, 413])
    expect((await get('/playbook-drafts')).json.data).to.deep.equal([])
  })

  it('lets analysts save and readers read drafts, and only authors publish them', async () => {
    const [reader, analyst, scoped] = await Promise.all([
      api.newKey('reader'),
      api.newKey('analyst'),
      api.newKey('admin', ['acme']),
    ])
    const saved = await save('hello', { source: source('hello') }, null, analyst)
    const tag = saved.headers.get('etag')
    expect(saved.status, saved.text).to.equal(200)
    expect((await get('/playbooks/hello/draft', reader)).json.source).to.equal(source('hello'))
    expect((await get('/playbooks/hello/draft', scoped)).status).to.equal(200)
    expectProblem(await save('hello', { source: 'a' }, tag, reader), 403, 'role_insufficient')
    expectProblem(await save('hello', { source: 'a' }, tag, scoped), 403, 'key_is_scoped')
    expectProblem(await publish('hello', tag, 'x', analyst), 403, 'role_insufficient')
    expectProblem(await publish('hello', tag, 'x', scoped), 403, 'key_is_scoped')
    expect((await publish('hello', tag)).status).to.equal(200)
  })

  it('lets people of one organization save, publish and discard drafts of its playbooks only', async () => {
    const [own, foreign] = await Promise.all([api.newKey('admin', ['acme']), api.newKey('admin', ['globex'])])
    const text = (code: string, value = '1') =>
      source('triage-acme', value).replace('\non:', `\norganization: ${code}\non:`)
    expectProblem(
      await save('triage-acme', { source: source('triage-acme') }, null, own),
      403,
      'key_is_scoped',
    )
    expectProblem(await save('triage-acme', { source: text('globex') }, null, own), 403, 'playbook_moved')
    const saved = await save('triage-acme', { source: text('acme') }, null, own)
    expect(saved.json, saved.text).to.include({ organization_code: 'acme' })
    expectProblem(await get('/playbooks/triage-acme/draft', foreign), 404, 'draft_not_found')
    expect((await get('/playbook-drafts', foreign)).json.data).to.deep.equal([])
    const taken = await save('triage-acme', { source: text('globex') }, null, foreign)
    expectProblem(taken, 409, 'playbook_name_taken')
    expectProblem(await publish('triage-acme', '*', 'x', foreign), 404, 'draft_not_found')
    const published = await publish('triage-acme', saved.headers.get('etag'), 'ready', own)
    expect(published.json, published.text).to.include({ organization_code: 'acme', in_force: true })
    // The draft of a published playbook belongs to its organization, whatever its text says.
    const base_hash = published.json.hash
    const next = await save('triage-acme', { source: 'name: [', base_hash }, null, own)
    expect(next.json).to.include({ organization_code: 'acme' })
    const shared = await save('shared', { source: source('shared') })
    const discard = (of: string, key: string) =>
      api.call('DELETE', `/api/playbooks/${of}/draft`, { key, headers: { 'if-match': '*' } })
    expectProblem(await discard('shared', own), 403, 'key_is_scoped')
    expectProblem(
      await save('shared', { source: text('acme') }, shared.headers.get('etag'), own),
      403,
      'key_is_scoped',
    )
    expect((await discard('triage-acme', own)).status).to.equal(200)
  })

  it('does not show which version another organization published under the name', async () => {
    const [own, foreign] = await Promise.all([api.newKey('admin', ['acme']), api.newKey('admin', ['globex'])])
    const text = (code: string) => source('triage').replace('\non:', `\norganization: ${code}\non:`)
    await save('triage', { source: text('acme') }, null, own)
    const body = { source: text('globex') }
    const { json, status } = await api.call('PUT', '/api/playbooks/triage', { key: foreign, body })
    expect([status, json.draft]).to.deep.equal([200, null])
    const hashes = async (key: string) =>
      [
        (await get('/playbooks/triage/draft', key)).json,
        (await get('/playbook-drafts', key)).json.data[0],
      ].map((each: { readonly published_hash: string | null }) => each.published_hash)
    expect(await hashes(own)).to.deep.equal([null, null])
    expect(await hashes(api.adminKey)).to.deep.equal([json.hash, json.hash])
    expectProblem(await publish('triage', '*', 'x', own), 409, 'playbook_name_taken')
  })

  it('publishes a draft of a deleted playbook again, once it is based on nothing', async () => {
    const kept = { name: 'gone', hash: 'e'.repeat(64), source: source('gone'), organizationUuid: null }
    await api.stores.playbooks.put({ ...kept, origin: 'file' }, { ...actor, requestId: null })
    const saved = await save('gone', { source: source('gone', '2'), base_hash: kept.hash })
    const refused = await publish('gone', saved.headers.get('etag'))
    expectProblem(refused, 409, 'draft_outdated')
    expect(refused.json.detail).to.include('was deleted')
    const based = await save(
      'gone',
      { source: source('gone', '2'), base_hash: null },
      saved.headers.get('etag'),
    )
    expect((await publish('gone', based.headers.get('etag'))).status).to.equal(200)
  })

  it('are saved and published as docs/how-to/work-on-a-draft.md shows', async () => {
    const [block, ...others] = readBlocks('docs/how-to/work-on-a-draft.md').filter(
      ({ kind }) => kind === 'sh',
    )
    expect(others).to.have.length(0)
    const requests = readCurl(block?.text ?? '', { TOCSIN_URL: api.url, TOCSIN_KEY: api.adminKey })
    expect(requests).to.have.length(2)
    for (const { method, url, body, headers } of requests) {
      const reply = await api.call(method, url.slice(api.url.length), { body, headers })
      expect(reply.status, reply.text).to.equal(200)
    }
    expect((await get('/playbooks/greet')).json.put_in_force_reason).to.equal('a first greeting')
  })

  it('takes a reason when a version is published directly, and marks the return to an earlier one', async () => {
    const first = await put('hello', source('hello'))
    const second = await put('hello', source('hello', '2'), { 'if-match': first.headers.get('etag') ?? '' })
    const back = await api.call('PUT', '/api/playbooks/hello', {
      body: { source: source('hello'), reason: 'missed a phishing mail' },
      headers: { 'if-match': second.headers.get('etag') ?? '' },
    })
    expect(back.json).to.include({ hash: first.json.hash, put_in_force_reason: 'missed a phishing mail' })
    const [entry] = (await get('/audit?action=playbook.put_in_force')).json.data
    expect(entry.details).to.include({ reason: 'missed a phishing mail', is_earlier_version: true })
  })
})

const actor = { kind: 'api_key', id: 'x', name: 'admin' } as const
