import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { newPerson } from './support/people.ts'
import { expectProblem } from './support/schemas.ts'

const source = (
  name: string,
  value = '1',
  step = `return: { n: ${value} }`,
  on = 'manual: true, call: true',
) => `apiVersion: tocsin/v1\nname: ${name}\non: { ${on} }\nsteps:\n  - ${step}\n`

describe('the set of playbooks over HTTP', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const apply = (sources: readonly string[], more: object = {}, headers = {}) =>
    api.call('POST', '/api/playbook-set', {
      body: { playbooks: sources.map((text, at) => ({ source: text, file: `f${at}.yaml` })), ...more },
      headers,
    })
  const read = () => api.call('GET', '/api/playbook-set')
  const outcomes = (reply: Awaited<ReturnType<typeof apply>>) => {
    expect(reply.status, reply.text).to.equal(200)
    return reply.json.data.map(({ name, outcome }: { name: string; outcome: string }) => `${outcome} ${name}`)
  }

  it('publishes playbooks that call each other, with reason and commit in the audit log', async () => {
    const sources = [source('outer', '1', 'call: inner'), source('inner')]
    const dry = await apply(sources, { dry_run: true })
    expect(outcomes(dry)).to.deep.equal(['created inner', 'created outer'])
    expectProblem(await api.call('GET', '/api/playbooks/inner'), 404, 'playbook_not_found')
    const revision = 'a'.repeat(40)
    const reply = await apply(sources, { reason: 'rule 7', revision })
    expect(outcomes(reply)).to.deep.equal(['created inner', 'created outer'])
    const found = await read()
    expect(found.headers.get('etag')).to.equal(`"${reply.json.hash}"`)
    expect(
      found.json.data.map(({ name, file }: { name: string; file: string }) => [name, file]),
    ).to.deep.include(['inner', 'inner.yaml'])
    const { data } = (await api.call('GET', '/api/audit?action=playbook.put_in_force')).json
    expect(data[0].details).to.deep.include({ reason: 'rule 7', revision })
    expect(data[0].actor).to.include({ kind: 'api_key' })
    expect(outcomes(await apply(sources))).to.deep.equal(['unchanged inner', 'unchanged outer'])
  })

  it('publishes nothing if one has errors, and names every error of every file', async () => {
    const reply = await apply([source('good'), 'steps: 7', source('bad', '1', 'call: nobody')])
    expectProblem(reply, 422, 'playbook_invalid')
    const pointers = reply.json.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(new Set(pointers)).to.deep.equal(new Set(['/playbooks/1/source', '/playbooks/2/source']))
    expect(reply.json.errors.at(-1).message).to.match(/^f2\.yaml:5:\d+ E316 /)
    expectProblem(await api.call('GET', '/api/playbooks/good'), 404, 'playbook_not_found')
    const twice = await apply([source('good'), source('good', '2')])
    expectProblem(twice, 422, 'playbook_invalid')
    expect(twice.json.errors[0].message).to.include('E701')
  })

  it('deletes the others with prune, unless one that stays calls them', async () => {
    expect(outcomes(await apply([source('extra')]))).to.deep.equal(['created extra'])
    const caller = source('outer', '1', 'call: inner')
    expectProblem(await apply([caller], { prune: true }), 422, 'playbook_invalid')
    const before = (await read()).json.data.length
    const pruned = await apply([caller, source('inner')], { prune: true, dry_run: true })
    expect(outcomes(pruned)).to.include('deleted extra')
    expect((await read()).json.data).to.have.length(before)
    expect(outcomes(await apply([caller, source('inner')], { prune: true }))).to.include('deleted extra')
    expect((await read()).json.data.map(({ name }: { name: string }) => name)).to.deep.equal([
      'inner',
      'outer',
    ])
    expectProblem(await apply([], { prune: true }), 400, 'value_invalid')
  })

  it('refuses a set that was read before another change, and accepts one of several tags', async () => {
    const seen = { 'if-match': (await read()).headers.get('etag') ?? '' }
    expect(outcomes(await apply([source('inner', '2')], {}, seen))).to.deep.equal(['changed inner'])
    expectProblem(await apply([source('inner', '3')], {}, seen), 412, 'precondition_failed')
    const now = (await read()).headers.get('etag') ?? ''
    const both = { 'if-match': `${seen['if-match']}, ${now}` }
    expect(outcomes(await apply([source('inner', '3')], {}, both))).to.deep.equal(['changed inner'])
  })

  it('has the playbooks that somebody may publish, although they may read others', async () => {
    const of = (code: string) => source(`of-${code}`).replace('\non:', `\norganization: ${code}\non:`)
    await apply([of('acme'), of('globex')])
    const both = await newPerson(api, 'Both', ['author', 'acme'], ['reader', 'globex'])
    const seen = await both.call('GET', '/api/playbook-set')
    expect(seen.json.data.map(({ name }: { name: string }) => name)).to.deep.equal(['of-acme'])
    const body = { playbooks: [{ source: of('acme') }], prune: true }
    const headers = { 'if-match': seen.headers.get('etag') ?? '' }
    expect(outcomes(await both.call('POST', '/api/playbook-set', { body, headers }))).to.deep.equal([
      'unchanged of-acme',
    ])
    const reader = await newPerson(api, 'Reader', ['reader', 'globex'])
    const { json } = await reader.call('GET', '/api/playbook-set')
    expect(json.data.map(({ name }: { name: string }) => name)).to.deep.equal(['of-globex'])
  })

  it('takes a set of 1,000 playbooks', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => source(`many-${at}`))
    expect(outcomes(await apply(many))).to.have.length(1_000)
    expect(outcomes(await apply([source('inner', '3')], { prune: true }))).to.include('deleted many-999')
  }).timeout(60_000)

  it('says what of the folder is not live, and reloads it', async () => {
    const { json } = await api.call('POST', '/api/playbook-folder/reload')
    expect(json).to.deep.equal({
      published: [],
      removed: [],
      refused: [],
      outdated: [],
      refused_change: null,
    })
    expect((await api.call('GET', '/api/playbook-folder')).json).to.deep.equal({
      refused: [],
      outdated: [],
      refused_change: null,
    })
  })
})
