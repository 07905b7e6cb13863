import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { thingsOf } from './support/things.ts'

describe('trying a skill over HTTP', () => {
  let api: Api
  let connection: string
  before(async () => {
    api = await startApi()
    connection = (await thingsOf(api, 'acme').connection()).connection?.[0] ?? ''
  })
  after(() => api.close())

  const lookUp = { organization_code: 'acme', input: { kind: 'ip', value: '${{ inputs.kind }}' } }
  const ring = () => ({ organization_code: 'acme', connection, input: { times: 3 }, confirm: 'write' })

  const attempt = (skill: string, body: object, key?: string) =>
    api.call('POST', `/api/skills/${skill}/runs`, { body, ...(key !== undefined && { key }) })
  const countRuns = async () => (await api.stores.runs.list('all', {}, { limit: 1 })).total

  it('starts a run that calls it once, with the input as inputs of the run', async () => {
    const { status, json, headers } = await attempt('tower.look_up', lookUp, await api.newKey('analyst'))
    expect(status).to.equal(201)
    expect(headers.get('location')).to.equal(`/api/runs/${json.run_uuid}`)
    expect(json).to.include({ playbook: 'try-tower-look-up', status: 'queued' })
    expect((await api.call('GET', `/api/runs/${json.run_uuid}`)).json.inputs).to.deep.equal(lookUp.input)
    const { source, organization_code: code } = (
      await api.call('GET', `/api/playbooks/${json.playbook_hash}`)
    ).json
    expect(code).to.equal('acme')
    expect(source).to.contain('uses: tower.look_up').and.not.contain('inputs.kind }}"')
    const [entry] = (await api.call('GET', '/api/audit?action=run.started')).json.data
    expect(entry.actor.name).to.equal('analyst')
    expect(entry.subject).to.include({ id: json.run_uuid, name: 'try-tower-look-up' })
  })

  it('refuses an input that the skill does not have', async () => {
    const reply = await attempt('tower.look_up', { ...lookUp, input: { ...lookUp.input, colour: null } })
    expectProblem(reply, 400, 'value_invalid')
    expect(reply.json.detail).to.equal(
      "the input cannot be used: unknown input 'colour' (possible here: kind, value)",
    )
  })

  it('refuses input that does not fit, each with its place', async () => {
    const before = await countRuns()
    const reply = await attempt('tower.look_up', { ...lookUp, input: { kind: 7 } })
    expectProblem(reply, 400, 'value_invalid')
    const pointers = reply.json.errors.map(({ pointer }: { readonly pointer: string }) => pointer)
    expect(pointers).to.have.members(['/input/kind', '/input/value'])
    expectProblem(await attempt('tower.no_such', lookUp), 404, 'skill_not_found')
    expect(await countRuns()).to.equal(before)
  })

  it('makes a change only for an administrator who names the connection and the effect', async () => {
    const before = await countRuns()
    expectProblem(
      await attempt('tower.ring_bell', ring(), await api.newKey('analyst')),
      403,
      'role_insufficient',
    )
    expectProblem(
      await attempt('tower.ring_bell', ring(), await api.newKey('reader')),
      403,
      'role_insufficient',
    )
    const refused = await attempt('tower.ring_bell', { ...ring(), confirm: undefined })
    expectProblem(refused, 400, 'confirmation_missing')
    expect(refused.json.detail).to.contain(connection).and.contain('write')
    expectProblem(
      await attempt('tower.ring_bell', { ...ring(), confirm: 'deletion' }),
      400,
      'confirmation_missing',
    )
    expectProblem(
      await attempt('tower.ring_bell', { ...ring(), connection: undefined }),
      400,
      'value_invalid',
    )
    expect(await countRuns()).to.equal(before)
    const { status, json } = await attempt('tower.ring_bell', ring())
    expect(status).to.equal(201)
    expect((await api.call('GET', `/api/runs/${json.run_uuid}`)).json.inputs).to.deep.equal({ times: 3 })
    expect((await api.call('GET', `/api/playbooks/${json.playbook_hash}`)).json.source).to.contain(
      `connection: ${JSON.stringify(connection)}`,
    )
  })

  it('uses no connection of another organization', async () => {
    const reply = await attempt('tower.ring_bell', { ...ring(), organization_code: 'globex' })
    expectProblem(reply, 400, 'value_invalid')
    expect(reply.json.errors[0].pointer).to.equal('/connection')
    const none = { organization_code: 'globex', input: { times: 1 }, confirm: 'write' }
    expect((await attempt('tower.ring_bell', none)).json.detail).to.contain('globex has no connection')
  })

  it('is neither published nor listed among the playbooks', async () => {
    const { json } = await attempt('tower.ring_bell', ring())
    const playbook = { name: 'try-tower-ring-bell', origin: 'trial', in_force: false }
    expect((await api.call('GET', `/api/playbooks/${json.playbook_hash}`)).json).to.include(playbook)
    const listed = async (query: string) => (await api.call('GET', `/api/playbooks${query}`)).text
    expect(await listed('?origin=trial')).to.contain('try-tower-ring-bell')
    expect(await listed('')).to.not.contain('try-tower')
    expect((await api.call('GET', '/api/audit?action=playbook.put_in_force')).text).to.not.contain('try-')
  })

  it('cannot be started as a playbook', async () => {
    await attempt('tower.ring_bell', ring())
    const body = { organization_code: 'acme', inputs: { times: 9 } }
    const reply = await api.call('POST', '/api/playbooks/try-tower-ring-bell/runs', { body })
    expectProblem(reply, 404, 'playbook_not_found')
  })
})
