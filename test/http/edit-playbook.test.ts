import { expect } from 'chai'
import { nextTimes } from '../../core/trigger/schedule.ts'
import { somebody } from '../support/somebody.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const source = (name: string, more = '', value = '1') =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true, call: true }\n${more}steps:\n  - { id: a, set: { n: ${value} } }\n`

describe('editing playbooks over HTTP', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const put = (name: string, text: string, headers = {}) =>
    api.call('PUT', `/api/playbooks/${name}`, { body: { source: text }, headers })

  it('publishes a new playbook and writes its file', async () => {
    const reply = await put('fresh', source('fresh'))
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.json).to.include({ name: 'fresh', origin: 'file', source: source('fresh') })
    expect(reply.headers.get('etag')).to.equal(`"${reply.json.hash}"`)
    const started = await api.call('POST', '/api/playbooks/fresh/runs', {
      body: { organization_code: 'acme' },
    })
    expect(started.json.playbook_hash).to.equal(reply.json.hash)
  })

  it('accepts an edit with the current ETag and keeps all versions', async () => {
    const first = await put('twice', source('twice'))
    const second = await put('twice', source('twice', '', '2'), {
      'if-match': first.headers.get('etag') ?? '',
    })
    expect(second.status, second.text).to.equal(200)
    const { json } = await api.call('GET', '/api/playbooks/twice/versions')
    expect(json.data.map(({ hash }: { hash: string }) => hash)).to.deep.equal([
      second.json.hash,
      first.json.hash,
    ])
    const old = await api.call('GET', `/api/playbooks/${first.json.hash}`)
    expect(old.json.source).to.equal(source('twice'))
    expect(old.json).to.include({ in_force: false, put_in_force_by: 'admin' })
    expect(old.json.put_in_force_actor).to.include({ kind: 'api_key', name: 'admin' })
    expect(second.json).to.include({ in_force: true, put_in_force_at: api.clock.time })
    const restored = await put('twice', source('twice'), { 'if-match': `"${second.json.hash}"` })
    expect(restored.json).to.include({ hash: first.json.hash, in_force: true })
    const replaced = await api.call('GET', `/api/playbooks/${second.json.hash}`)
    expect(replaced.json.in_force).to.equal(false)
  })

  it('refuses `If-Match: *` for a new playbook, because the name may be mistyped', async () => {
    expectProblem(await put('mistyped', source('mistyped'), { 'if-match': '*' }), 412, 'precondition_failed')
    expectProblem(await api.call('GET', '/api/playbooks/mistyped'), 404, 'playbook_not_found')
    expect((await put('mistyped', source('mistyped'))).status).to.equal(200)
  })

  it('reports a playbook without a file as not live, and restores it without If-Match', async () => {
    const text = source('gone')
    const kept = { name: 'gone', hash: 'e'.repeat(64), source: text, organizationUuid: null }
    await api.stores.playbooks.put({ ...kept, origin: 'file' }, somebody())
    expect((await api.call('GET', '/api/playbooks/gone')).json.in_force).to.equal(false)
    expectProblem(await put('gone', text, { 'if-match': '*' }), 412, 'precondition_failed')
    expectProblem(await put('gone', text, { 'if-match': `"${kept.hash}"` }), 412, 'precondition_failed')
    expect((await put('gone', text)).json.in_force).to.equal(true)
  })

  it('refuses an edit with a stale or missing ETag', async () => {
    const first = await put('raced', source('raced'))
    const seen = { 'if-match': first.headers.get('etag') ?? '' }
    await put('raced', source('raced', '', '2'), seen)
    expectProblem(await put('raced', source('raced', '', '3'), seen), 412, 'precondition_failed')
    expectProblem(await put('raced', source('raced', '', '3')), 428, 'precondition_required')
    expectProblem(
      await put('raced', source('raced', '', '3'), { 'if-match': '"x"' }),
      412,
      'precondition_failed',
    )
    expectProblem(await put('raced', source('raced', '', '3'), { 'if-match': 'x' }), 400, 'header_invalid')
    expect((await put('raced', source('raced', '', '3'), { 'if-match': '*' })).status).to.equal(200)
  })

  it('accepts one of two concurrent edits', async () => {
    const first = await put('both', source('both'))
    const seen = { 'if-match': first.headers.get('etag') ?? '' }
    const replies = await Promise.all(
      ['2', '3', '4'].map((value) => put('both', source('both', '', value), seen)),
    )
    expect(replies.map(({ status }) => status)).to.have.members([200, 412, 412])
  })

  it('refuses an invalid playbook and locates each problem', async () => {
    const reply = await put(
      'wrong',
      `${source('wrong')}  - { id: b, set: { m: "\${{ steps.a.output.x }}" } }\n`,
    )
    expectProblem(reply, 422, 'playbook_invalid')
    expect(reply.json.errors[0].message).to.match(/^6:44 E205 /)
    expectProblem(await api.call('GET', '/api/playbooks/wrong'), 404, 'playbook_not_found')
  })

  it('refuses an invalid name and a name that differs from the path', async () => {
    expectProblem(await put('mine', source('yours')), 400, 'playbook_renamed')
    for (const name of ['..%2f..%2fetc', '.hidden', 'CON', 'a b'])
      expect((await put(name, source('x'))).status, name).to.be.oneOf([400, 404])
  })

  it('refuses an edit that breaks a calling playbook', async () => {
    const inner = source('inner', 'outputs: { n: "${{ steps.a.output.n }}" }\n')
    const first = await put('inner', inner)
    const outer = `apiVersion: tocsin/v1\nname: outer\non: { manual: true }\nsteps:\n  - { id: c, call: inner }\n  - { set: { x: "\${{ steps.c.output.n }}" } }\n`
    const made = await put('outer', outer)
    expect(made.status, made.text).to.equal(200)
    const reply = await put('inner', source('inner'), { 'if-match': first.headers.get('etag') ?? '' })
    expectProblem(reply, 409, 'playbook_in_use')
    expect(reply.json.detail).to.match(/'outer' calls it/)
    expect((await api.call('GET', '/api/playbooks/inner')).json.hash).to.equal(first.json.hash)
  })

  it('records the actor in the audit log', async () => {
    const { json } = await put('told', source('told'))
    const { data } = (await api.call('GET', '/api/audit')).json
    const entry = data.find((each: { subject?: { id?: string } }) => each.subject?.id === json.hash)
    expect(entry).to.include({ action: 'playbook.put_in_force' })
    expect(JSON.stringify(entry)).to.include('"api_key"')
  })

  it('validates and draws a playbook without storing it', async () => {
    const good = await api.call('POST', '/api/playbooks/validate', { body: { source: source('drawn') } })
    expect(good.json).to.include({ name: 'drawn' })
    expect(good.json.problems).to.deep.equal([
      {
        code: 'W403',
        severity: 'warning',
        message: 'nothing reads the values that this step sets',
        hint: 'read steps.a.output, or remove the step',
        line: 5,
        column: 11,
        end_line: 5,
        end_column: 12,
      },
    ])
    expect(good.json.graph.nodes.map(({ id }: { id: string }) => id)).to.deep.equal(['@start', 'a', '@end'])
    expect(good.json.on).to.deep.equal({
      alert: null,
      schedule: null,
      timezone: null,
      next_runs: [],
      case: null,
      entity: null,
      question: null,
      run: null,
      webhook: false,
      manual: true,
      call: true,
    })
    expect(good.json.inputs).to.deep.equal({ type: 'object', properties: {}, required: [] })
    const started = source('started', 'inputs: { user: { type: string } }\n').replace(
      'manual: true, call: true',
      'alert: { type: t, provider: siem, where: alert.data.x == 1 }, schedule: "0 4 * * *"',
    )
    const { json } = await api.call('POST', '/api/playbooks/validate', {
      body: { source: started.replace('string }', 'string, default: eve }') },
    })
    expect(json.on).to.deep.equal({
      alert: { type: 't', types: ['t'], provider: 'siem', providers: ['siem'], where: true },
      schedule: '0 4 * * *',
      timezone: 'UTC',
      next_runs: nextTimes({ cron: '0 4 * * *', timezone: 'UTC' }, api.clock.time, 3),
      case: null,
      entity: null,
      question: null,
      run: null,
      webhook: false,
      manual: false,
      call: false,
    })
    expect(json.inputs.properties.user).to.include({ type: 'string', default: 'eve' })
    const bad = await api.call('POST', '/api/playbooks/validate', { body: { source: 'name: x\nsteps: 5\n' } })
    expect(bad.json.graph).to.equal(null)
    expect(bad.json.problems[0]).to.include.keys('code', 'severity', 'message', 'line', 'column', 'end_line')
    expectProblem(await api.call('GET', '/api/playbooks/drawn'), 404, 'playbook_not_found')
  })

  it('draws a stored playbook by name and by hash', async () => {
    const { json } = await put('pictured', source('pictured'))
    const byName = await api.call('GET', '/api/playbooks/pictured/graph')
    expect(byName.json.edges).to.have.length(2)
    expect((await api.call('GET', `/api/playbooks/${json.hash}/graph`)).json).to.deep.equal(byName.json)
  })
})
