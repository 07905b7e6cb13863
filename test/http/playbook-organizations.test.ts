import { expect } from 'chai'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { somebody } from '../support/somebody.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const source = (
  name: string,
  organization?: string,
  more = '',
  on = 'manual: true, call: true, webhook: {}',
) =>
  `apiVersion: tocsin/v1\nname: ${name}\n${organization === undefined ? '' : `organization: ${organization}\n`}on: { ${on} }\n${more}steps: [{ return: 1 }]\n`

describe('playbooks of organizations over HTTP', () => {
  let api: Api
  const keys: Record<string, string> = {}
  before(async () => {
    api = await startApi()
    keys['acme'] = await api.newKey('admin', ['acme'])
    keys['globex'] = await api.newKey('admin', ['globex'])
    keys['both'] = await api.newKey('admin', ['acme', 'globex'])
    keys['reader'] = await api.newKey('reader', ['acme'])
    keys['intake'] = await api.newKey('intake')
  })
  after(() => api.close())

  const call = (as: string, method: string, path: string, body?: unknown, headers = {}) =>
    api.call(method, `/api/${path}`, { key: keys[as] ?? api.adminKey, body, headers })
  const put = (as: string, name: string, text: string, headers = {}) =>
    call(as, 'PUT', `playbooks/${name}`, { source: text }, headers)
  const publish = async (as: string, name: string, text: string, headers = {}) => {
    const reply = await put(as, name, text, headers)
    expect(reply.status, reply.text).to.equal(200)
    return reply
  }
  const any = { 'if-match': '*' }

  it('are created and changed by a key of the organization', async () => {
    const made = await publish('acme', 'own', source('own', 'ACME'))
    expect(made.json).to.include({ organization_code: 'acme', in_force: true, origin: 'file' })
    const changed = await publish('acme', 'own', source('own', 'acme', 'timeout: 1h\n'), {
      'if-match': made.headers.get('etag') ?? '',
    })
    expect(changed.json.in_force).to.equal(true)
    const { json } = await call('acme', 'GET', 'playbooks/own/versions')
    expect(json.total).to.equal(2)
  })

  it('are unknown to everybody else', async () => {
    const { json } = await publish('acme', 'secret', source('secret', 'acme'))
    for (const path of [
      'playbooks/secret',
      `playbooks/${json.hash}`,
      'playbooks/secret/versions',
      'playbooks/secret/graph',
      'playbooks/secret/results',
      'playbooks/secret/state',
      'playbooks/secret/shadow',
      'playbooks/secret/shadow/alerts',
    ]) {
      const [other, none] = [
        await call('globex', 'GET', path),
        await call('globex', 'GET', path.replace(/secret|[0-9a-f]{64}/, 'nobody')),
      ]
      expectProblem(other, 404, 'playbook_not_found')
      expect({ ...other.json, request_id: '', instance: '' }, path).to.deep.equal({
        ...none.json,
        request_id: '',
        instance: '',
      })
    }
    expectProblem(await call('globex', 'POST', 'playbooks/secret/test', {}), 404, 'playbook_not_found')
    expectProblem(
      await call('globex', 'POST', 'playbooks/secret/runs', { organization_code: 'globex' }),
      404,
      'playbook_not_found',
    )
    const listed = async (as: string, path: string) =>
      (await call(as, 'GET', path)).json.data.map(({ name }: { name: string }) => name)
    for (const path of ['playbooks?q=secret', 'manual-playbooks'])
      expect(await listed('globex', path)).not.to.include('secret')
    for (const as of ['acme', 'reader', 'both', 'admin'])
      expect(await listed(as, 'playbooks?q=secret')).to.deep.equal(['secret'])
    expect(await listed('both', 'playbooks?q=secret&organization=globex')).to.deep.equal([])
    expect(await listed('acme', 'manual-playbooks')).to.include('secret')
  })

  it('are not named when a source of another organization is checked or completed', async () => {
    await publish('acme', 'inner-acme', source('inner-acme', 'acme'))
    const caller = `apiVersion: tocsin/v1\nname: caller\norganization: globex\non: { manual: true }\nsteps: [{ call: inner-acme }]\n`
    const checked = await call('globex', 'POST', 'playbooks/validate', { source: caller })
    expect(checked.json.problems.map(({ code }: { code: string }) => code)).to.deep.equal(['E316'])
    expect(checked.text).not.to.include('acme,')
    const seen = await call('both', 'POST', 'playbooks/validate', { source: caller })
    expect(seen.json.problems.map(({ code }: { code: string }) => code)).to.deep.equal(['E325'])
    expectProblem(await put('globex', 'caller', caller), 422, 'playbook_invalid')
    const at = { source: caller, line: 5, column: 17 }
    const labels = async (as: string) =>
      (
        await call(as, 'POST', 'playbooks/complete', { ...at, source: caller.replace('inner-acme', '') })
      ).json.items.map(({ label }: { label: string }) => label)
    expect(await labels('globex')).not.to.include('inner-acme')
    expect(await labels('acme')).to.include('inner-acme')
  })

  it('cannot be shared, moved or replace a shared one without access to all organizations', async () => {
    await publish('admin', 'common', source('common'))
    expectProblem(await put('acme', 'common', source('common', 'acme'), any), 403, 'key_is_scoped')
    expectProblem(await put('acme', 'fresh', source('fresh')), 403, 'key_is_scoped')
    await publish('both', 'moving', source('moving', 'acme'))
    expectProblem(await put('acme', 'moving', source('moving'), any), 403, 'key_is_scoped')
    expectProblem(await put('both', 'moving', source('moving', 'globex'), any), 403, 'playbook_moved')
    expectProblem(await put('acme', 'moving', source('moving', 'globex'), any), 422, 'playbook_invalid')
    const moved = await publish('admin', 'moving', source('moving', 'globex'), any)
    expect(moved.json.organization_code).to.equal('globex')
    expectProblem(await call('acme', 'GET', 'playbooks/moving'), 404, 'playbook_not_found')
    expect((await call('globex', 'GET', 'playbooks/moving')).json.in_force).to.equal(true)
  })

  it('stay readable by hash for the earlier organization', async () => {
    const { json } = await publish('acme', 'old', source('old', 'acme'))
    await publish('admin', 'old', source('old', 'globex'), any)
    expect((await call('acme', 'GET', `playbooks/${json.hash}`)).json).to.include({
      in_force: false,
      organization_code: 'acme',
    })
    expectProblem(await call('globex', 'GET', `playbooks/${json.hash}`), 404, 'playbook_not_found')
  })

  it('do not give away whose name is taken', async () => {
    await publish('acme', 'wanted', source('wanted', 'acme'))
    for (const headers of [{}, any, { 'if-match': '"x"' }]) {
      const reply = await put('globex', 'wanted', source('wanted', 'globex'), headers)
      expect(reply.status).to.be.oneOf([409, 412])
      expect(reply.text).not.to.include('acme')
    }
    expectProblem(await put('globex', 'wanted', source('wanted', 'globex')), 409, 'playbook_name_taken')
  })

  it('leave a generated playbook of the same name to other organizations', async () => {
    await publish('acme', 'twin', source('twin', 'acme'))
    await writeFile(join(api.dataDir, 'twin.test.yaml'), 'playbook: twin.yaml\ntests: [{ name: of acme }]\n')
    const organizationUuid = api.organizations['globex']!
    const made = {
      name: 'twin',
      hash: 'd'.repeat(64),
      source: source('twin'),
      origin: 'made',
      organizationUuid,
    } as const
    await api.stores.playbooks.put(made, somebody())
    expect((await call('acme', 'GET', 'playbooks/twin')).json).to.include({ origin: 'file', in_force: true })
    expect((await call('globex', 'GET', 'playbooks/twin')).json).to.include({
      origin: 'made',
      in_force: true,
    })
    const tested = await call('globex', 'POST', 'playbooks/twin/test', {})
    expect(tested.json.file).to.equal(null)
    expect((await call('acme', 'POST', 'playbooks/twin/test', {})).json.file).to.equal('twin.test.yaml')
  })

  it('never overwrite a file that is not published', async () => {
    const file = join(api.dataDir, 'broken-file.yaml')
    await access(api.dataDir)
    await writeFile(file, 'not: a playbook\n')
    expectProblem(await put('acme', 'broken-file', source('broken-file', 'acme')), 409, 'playbook_name_taken')
  })

  it('of an unknown organization are refused, also for those who see all', async () => {
    for (const as of ['admin', 'acme']) {
      const reply = await put(as, 'lost', source('lost', 'nowhere'))
      expectProblem(reply, 422, 'playbook_invalid')
      expect(reply.json.errors[0].message).to.match(/E323 unknown organization 'nowhere'/)
    }
    const reply = await put('acme', 'lost', source('lost', 'globe'))
    expect(reply.text).not.to.include('globex')
  })

  it('start for their organization only', async () => {
    await publish('acme', 'started', source('started', 'acme'))
    const start = (as: string, code: string) =>
      call(as, 'POST', 'playbooks/started/runs', { organization_code: code })
    expect((await start('both', 'acme')).status).to.equal(201)
    expectProblem(await start('both', 'globex'), 400, 'playbook_of_another')
    const trigger = (code: string) => call('intake', 'POST', `playbooks/started/trigger/${code}`, {})
    expect((await trigger('ACME')).status).to.equal(202)
    expectProblem(await trigger('globex'), 404, 'playbook_not_found')
  })

  it('break no caller when they get another owner', async () => {
    await publish('admin', 'helper', source('helper'))
    await publish('acme', 'uses-helper', source('uses-helper', 'acme').replace('return: 1', 'call: helper'))
    expectProblem(await put('admin', 'helper', source('helper', 'globex'), any), 409, 'playbook_in_use')
    expect((await put('admin', 'helper', source('helper', 'acme'), any)).status).to.equal(200)
  })

  it('are promoted by a key of the organization', async () => {
    const alert = 'alert: { type: t }'
    await publish('acme', 'judged', source('judged', 'acme', '', alert))
    const shadow = await publish(
      'acme',
      'judged-shadow',
      source('judged-shadow', 'acme', 'mode: shadow\nbeside: judged\ntimeout: 1h\n', alert),
    )
    const report = await call('acme', 'GET', 'playbooks/judged-shadow/shadow')
    const seen = { hash: shadow.json.hash, beside_hash: report.json.beside_hash }
    expectProblem(
      await call('globex', 'POST', 'playbooks/judged-shadow/shadow/promote', seen),
      404,
      'playbook_not_found',
    )
    const promoted = await call('acme', 'POST', 'playbooks/judged-shadow/shadow/promote', seen)
    expect(promoted.status, promoted.text).to.equal(200)
    expect(promoted.json).to.include({ name: 'judged', organization_code: 'acme', in_force: true })
  })

  it('in shadow of shared playbooks are promoted only with access to all organizations', async () => {
    const alert = 'alert: { type: t2 }'
    const shadow = await publish(
      'admin',
      'all-shadow',
      source('all-shadow', undefined, 'mode: shadow\n', alert),
    )
    const seen = { hash: shadow.json.hash, beside_hash: null }
    expectProblem(
      await call('acme', 'POST', 'playbooks/all-shadow/shadow/promote', seen),
      403,
      'key_is_scoped',
    )
  })

  describe('as drafts', () => {
    const save = (as: string, name: string, text: string, headers = {}) =>
      call(as, 'PUT', `playbooks/${name}/draft`, { source: text }, headers)

    it('belong to the organization that they name, also with errors', async () => {
      for (const [name, text] of [
        ['draft-one', source('draft-one', 'ACME')],
        ['draft-two', 'organization: acme\nsteps: [\n  - "'],
        ['draft-three', '{ name: draft-three, "organization": acme }'],
      ] as const) {
        const saved = await save('acme', name, text)
        expect(saved.status, saved.text).to.equal(200)
        expect(saved.json.organization_code).to.equal('acme')
        expectProblem(await call('globex', 'GET', `playbooks/${name}/draft`), 404, 'draft_not_found')
        expect((await call('globex', 'GET', 'playbook-drafts')).text).not.to.include(name)
        expectProblem(await save('globex', name, source(name, 'globex')), 409, 'playbook_name_taken')
      }
    })

    it('of a playbook of an organization stay hidden from others, whoever saves them', async () => {
      await publish('acme', 'hidden-live', source('hidden-live', 'acme'))
      for (const text of [source('hidden-live', 'acme', 'timeout: 1h\n'), source('hidden-live')]) {
        const before = await call('admin', 'GET', 'playbooks/hidden-live/draft')
        const headers = before.status === 200 ? { 'if-match': before.headers.get('etag') ?? '' } : {}
        const saved = await save('admin', 'hidden-live', text, headers)
        expect(saved.json.organization_code, saved.text).to.equal('acme')
        expectProblem(await call('globex', 'GET', 'playbooks/hidden-live/draft'), 404, 'draft_not_found')
      }
    })

    it('are published and discarded in the organization alone', async () => {
      const saved = await save('acme', 'from-draft', source('from-draft', 'acme'))
      const seen = { 'if-match': saved.headers.get('etag') ?? '' }
      const path = 'playbooks/from-draft/draft'
      expectProblem(
        await call('globex', 'POST', `${path}/publish`, { reason: 'x' }, seen),
        404,
        'draft_not_found',
      )
      expectProblem(await call('globex', 'DELETE', path, undefined, seen), 404, 'draft_not_found')
      const published = await call('acme', 'POST', `${path}/publish`, { reason: 'x' }, seen)
      expect(published.status, published.text).to.equal(200)
      expect(published.json).to.include({ organization_code: 'acme', in_force: true })
      const again = await save('acme', 'from-draft', source('from-draft', 'acme', 'timeout: 1h\n'))
      const discarded = await call('acme', 'DELETE', path, undefined, {
        'if-match': again.headers.get('etag') ?? '',
      })
      expect(discarded.status, discarded.text).to.equal(200)
    })

    it('cannot be of shared playbooks, of others and of unknown ones', async () => {
      await publish('admin', 'draft-shared', source('draft-shared'))
      expectProblem(await save('acme', 'draft-shared', source('draft-shared', 'acme')), 403, 'key_is_scoped')
      expectProblem(await save('acme', 'draft-fresh', source('draft-fresh')), 403, 'key_is_scoped')
      expectProblem(await save('acme', 'draft-fresh', source('draft-fresh', 'globex')), 403, 'playbook_moved')
      expectProblem(
        await save('admin', 'draft-fresh', source('draft-fresh', 'nowhere')),
        400,
        'unknown_organization',
      )
    })
  })
})
