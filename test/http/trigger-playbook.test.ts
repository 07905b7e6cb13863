import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const hook = parsePlaybook(`apiVersion: tocsin/v1
name: hook
on:
  webhook:
    body:
      type: object
      required: [user]
      properties:
        user: { type: string, maxLength: 20 }
        pin: { type: string, x-sensitive: true }
        size: { type: integer }
    where: trigger.body.user != "nobody" && (trigger.body.?size.orValue(1) != 0 || int(trigger.body.user) == 1)
steps: [{ return: '\${{ trigger.body.user }}' }]
`)
const path = '/api/playbooks/hook/trigger/acme'

describe('POST playbooks/{playbook}/trigger/{organization}', () => {
  let api: Api
  let key: string
  before(async () => {
    api = await startApi()
    api.playbooks.push(hook.playbook!)
    key = await api.newKey('intake', ['acme'])
  })
  after(() => api.close())

  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, to = path, by = key) =>
    api.call('POST', to, { key: by, body: body as object, headers })

  it('queues a run with the body as its trigger, and answers with its id', async () => {
    const { status, json, headers } = await post({ user: 'anna', more: [1] })
    expect([status, json.reason]).to.deep.equal([202, null])
    expect(headers.get('location')).to.equal(`/api/runs/${json.run_uuid}`)
    const run = await api.stores.runs.find('all', json.run_uuid)
    expect(run).to.include({ status: 'queued', playbookName: 'hook', alertId: null, caseId: null })
    expect(run?.trigger).to.deep.include({ kind: 'webhook', chain: [], body: { user: 'anna', more: [1] } })
  })

  it('shows the body without sensitive values, which are encrypted on disk', async () => {
    const { json } = await post({ user: 'anna', pin: '1234' })
    const shown = await api.call('GET', `/api/runs/${json.run_uuid}`)
    expect(shown.json.triggered_by).to.equal('webhook')
    expect(shown.json.trigger.body.user).to.equal('anna')
    expect(shown.text).to.not.include('1234')
  })

  it('starts one run for repeated requests with an Idempotency-Key', async () => {
    const first = await post({ user: 'anna' }, { 'idempotency-key': 'k-1' })
    const second = await post({ user: 'anna' }, { 'idempotency-key': 'k-1' })
    expect(second.json).to.deep.equal(first.json)
    expect(second.headers.get('idempotency-replayed')).to.equal('true')
    expectProblem(await post({ user: 'bob' }, { 'idempotency-key': 'k-1' }), 422, 'idempotency_key_reused')
  })

  it('takes the key of the role intake from the address', async () => {
    const reply = await api.call('POST', `${path}?key=${key}`, { key: null, body: { user: 'anna' } })
    expect(reply.status, reply.text).to.equal(202)
  })

  it('starts nothing where the condition is false', async () => {
    const { status, json } = await post({ user: 'nobody' })
    expect([status, json.run_uuid, json.reason]).to.deep.equal([
      202,
      null,
      '`where` is false for this request',
    ])
  })

  const refused: readonly [name: string, body: unknown, to: string, status: number, code: string][] = [
    ['a body that does not fit the schema', { user: 7 }, path, 400, 'value_invalid'],
    ['a body without a required field', {}, path, 400, 'value_invalid'],
    ['a body for which the condition fails', { user: 'x', size: 0 }, path, 400, 'trigger_condition_failed'],
    ['a list', [1], path, 400, 'value_invalid'],
    ['an unknown playbook', {}, '/api/playbooks/nope/trigger/acme', 404, 'playbook_not_found'],
    ['an unknown organization', {}, '/api/playbooks/hook/trigger/nope', 404, 'organization_not_found'],
    ['a large body', { user: 'x'.repeat(1_048_577) }, path, 413, 'body_too_large'],
  ]
  for (const [name, body, to, status, code] of refused) {
    it(`refuses ${name}`, async () => {
      expectProblem(await post(body, {}, to), status, code)
    })
  }

  it('refuses a key of another organization, and readers', async () => {
    const foreign = await api.newKey('intake', ['globex'])
    expectProblem(await post({ user: 'anna' }, {}, path, foreign), 404, 'organization_not_found')
    const reader = await api.newKey('reader', ['acme'])
    expectProblem(await post({ user: 'anna' }, {}, path, reader), 403, 'role_insufficient')
  })
})
