import { expect } from 'chai'
import type { StateChange, StateRule } from '../../core/state/state.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'
import { someSet, storeState } from './support/things.ts'

const source = `apiVersion: tocsin/v1
name: keeps
on: { manual: true }
state:
  seen: { kind: set, max: 10 }
  polls: { kind: counter }
  token: { type: string, sensitive: true }
steps:
  - id: first
    state: { add: seen, key: mail-7 }
  - state: { increment: polls, by: 5 }
outputs: { new: '\${{ steps.first.output.new }}', polls: '\${{ state.polls }}' }
`

const counter: StateRule = { ...someSet, kind: 'counter' }
const secret: StateRule = { ...someSet, kind: 'value', schema: { type: 'string' }, sensitive: true }

describe('state of playbooks over HTTP', () => {
  let api: Api
  let analyst: string
  let globex: string
  before(async () => {
    api = await startApi()
    expect((await api.call('PUT', '/api/playbooks/keeps', { body: { source } })).status).to.equal(200)
    analyst = await api.newKey('analyst', ['acme'])
    globex = await api.newKey('analyst', ['globex'])
  })
  beforeEach(async () => {
    await store('acme', 'seen', someSet, { operation: 'add', key: 'mail-1' })
    await store('acme', 'seen', someSet, { operation: 'add', key: 'mail-2' })
    await store('globex', 'seen', someSet, { operation: 'add', key: 'mail-9' })
    await store('acme', 'polls', counter, { operation: 'set', value: 7 })
    await store('acme', 'token', secret, { operation: 'set', value: 'hunter2' })
    await store('acme', 'old', { ...counter, kind: 'counters' }, { operation: 'increment', key: 'k', by: 1 })
  })
  after(() => api.close())

  const store = (code: string, name: string, rule: StateRule, change: StateChange) =>
    storeState(api, { code, playbook: 'keeps', name, rule, change })

  const list = async (path = '', key = analyst) => {
    const { json } = await api.call('GET', `/api/playbooks/keeps/state${path}`, { key })
    return json.data as Record<string, unknown>[]
  }

  it('is listed by name, without sensitive values, and with whether it is still declared', async () => {
    const shown = (await list()).map(({ name, kind, declared, entries, value }) => [
      name,
      kind,
      declared,
      entries,
      value,
    ])
    expect(shown).to.deep.equal([
      ['old', 'counters', false, 1, null],
      ['polls', 'counter', true, 1, 7],
      ['seen', 'set', true, 2, null],
      ['token', 'value', true, 1, '[redacted]'],
    ])
    expect((await list('', globex)).map(({ name }) => name)).to.deep.equal(['seen'])
  })

  it('lists entries, newest first, of the organizations of the key', async () => {
    expect((await list('/seen')).map(({ key }) => key)).to.deep.equal(['mail-2', 'mail-1'])
    expect((await list('/seen', globex)).map(({ key }) => key)).to.deep.equal(['mail-9'])
    expect(await list('/nothing')).to.deep.equal([])
  })

  it('is reset as a whole or by entry, with an entry in the audit log', async () => {
    const reset = (path: string, key = analyst) =>
      api.call('DELETE', `/api/playbooks/keeps/state${path}`, { key })
    expect((await reset('/seen?key=mail-1')).json).to.deep.equal({
      organization_code: 'acme',
      name: 'seen',
      key: 'mail-1',
    })
    expect((await list('/seen')).map(({ key }) => key)).to.deep.equal(['mail-2'])
    expectProblem(await reset('/seen?key=mail-1'), 404, 'state_not_found')
    expectProblem(await reset('/seen', api.adminKey), 400, 'state_ambiguous')
    expect((await reset('/seen?organization=acme', api.adminKey)).status).to.equal(200)
    expect(await list('/seen')).to.deep.equal([])
    expect((await list('/seen', globex)).map(({ key }) => key)).to.deep.equal(['mail-9'])
    const { data } = await api.stores.audit.list('all', { action: 'playbook.state_reset' }, { limit: 9 })
    expect(data.map(({ subject, details }) => [subject.name, details])).to.deep.equal([
      ['keeps', { state: 'seen' }],
      ['keeps', { state: 'seen', key: 'mail-1' }],
    ])
  })

  it('is read and left alone by a dry run, which goes on with what it would be', async () => {
    const body = { organization_code: 'acme', playbook: 'keeps' }
    const { json } = await api.call('POST', '/api/playbooks/dry-run', { body })
    expect(json.end).to.deep.include({ status: 'completed', output: { new: true, polls: 12 }, writes: 2 })
    const [first, second] = json.events as Record<string, Record<string, unknown>>[]
    expect(first?.['would_do']).to.deep.include({
      path: 'first',
      skill: 'state',
      input: { add: 'seen', key: 'mail-7' },
      output_from: 'state',
    })
    expect(second?.['would_do']).to.deep.include({ path: '1', output: { value: 12 } })
    expect((await list('/seen')).map(({ key }) => key)).to.not.include('mail-7')
    expect((await list()).find(({ name }) => name === 'polls')?.['value']).to.equal(7)
  })
})
