import { expect } from 'chai'
import { ConnectionError, Secret } from '../../core/plugin/index.ts'
import type { SecretSource } from '../../core/ports/secret-source.ts'
import { createSecretResolver } from '../../core/skill/connection/secret-resolver.ts'
import { startApi, type Api } from './support/api.ts'
import { expectFits, expectProblem } from './support/schemas.ts'

describe('connections with references of secrets', () => {
  let api: Api
  let values: Record<string, string>
  const reference = 'vault:tower#token'
  const settings = { base_url: 'https://tower.example', api_token: { reference } }

  beforeEach(async () => {
    api = await startApi()
    values = { [reference]: 'canary-in-vault', 'env:TOWER_TOKEN': 'canary-in-env', 'file:short': 'short' }
    const read: SecretSource['read'] = async (_organization, { text }) => {
      const value = values[text]
      if (value === undefined)
        throw new ConnectionError(
          'secret_unresolved',
          `cannot read the secret ${text}: there is no such secret`,
        )
      return new Secret(value)
    }
    api.secrets = createSecretResolver({ read })
  })
  afterEach(() => api.close())

  const create = (given: object, name = 'North') =>
    api.call('POST', '/api/connections', {
      body: { organization_code: 'acme', name, plugin: 'tower', settings: given },
    })
  const patch = (given: object) =>
    api.call('PATCH', '/api/connections/North', { body: { settings: given }, headers: { 'if-match': '*' } })
  const stored = async () => {
    const open = await api.stores.connections.open(api.organizations['acme'] ?? '', 'north')
    const { secretReferences, secretsAt } = open!.connection
    const secrets = Object.fromEntries(
      Object.entries(open!.secrets).map(([name, one]) => [name, one.reveal()]),
    )
    return { secretReferences, secrets, hasAge: secretsAt !== null }
  }
  const asReference = { secretReferences: { api_token: reference }, secrets: {}, hasAge: false }

  it('show the reference, store no value, and record the reference', async () => {
    const reply = await create(settings)
    expect(reply.status, reply.text).to.equal(201)
    expectFits('connection', reply.json)
    expect(reply.json).to.deep.include({
      settings: { base_url: 'https://tower.example' },
      secret_references: { api_token: reference },
      credential_age_days: null,
    })
    expect(reply.text).to.not.include('canary')
    expect(await stored()).to.deep.equal(asReference)
    const audit = await api.call('GET', '/api/audit')
    expect(audit.text)
      .to.include('"secret_references":{"api_token":"vault:tower#token"}')
      .and.not.include('canary')
  })

  it('change from a stored secret to a reference and back', async () => {
    await create({ ...settings, api_token: 'canary-stored' })
    expect((await patch({ api_token: { reference } })).json.secret_references).to.deep.equal({
      api_token: reference,
    })
    expect(await stored()).to.deep.equal(asReference)
    expect((await patch({ api_token: 'canary-again' })).json.secret_references).to.deep.equal({})
    expect(await stored()).to.deep.equal({
      secretReferences: {},
      secrets: { api_token: 'canary-again' },
      hasAge: true,
    })
  })

  it('keep the reference when something else changes', async () => {
    await create(settings)
    expect((await patch({ base_url: 'https://tower.example/v2' })).status).to.equal(200)
    expect(await stored()).to.deep.equal(asReference)
  })

  it('are refused if the reference cannot be read, has another form, or a value that does not fit', async () => {
    for (const [given, message] of [
      [{ reference: 'vault:none#token' }, 'cannot read the secret vault:none#token: there is no such secret'],
      [{ reference: 'vault:tower' }, 'is not a reference: use env:NAME'],
      [{ reference: 'file:../key' }, 'is not a reference: use env:NAME'],
      [{ reference: 'file:short' }, 'must have at least 8 characters'],
      [{ reference, more: 1 }, 'must be a string'],
      [{ reference: 1 }, 'must be a string'],
    ] as const) {
      const reply = await create({ ...settings, api_token: given })
      expectProblem(reply, 400, 'value_invalid')
      expect(reply.json.errors[0].pointer).to.equal('/settings/api_token')
      expect(reply.json.errors[0].message).to.include(message)
    }
    const address = await create({ base_url: { reference }, api_token: 'canary-0123' })
    expectProblem(address, 400, 'value_invalid')
    expect(address.json.errors[0].pointer, 'a field that is not secret').to.equal('/settings/base_url')
  })

  it('take a reference to no other address unless it is entered again', async () => {
    await create(settings)
    const moved = await patch({ base_url: 'https://evil.example' })
    expectProblem(moved, 400, 'value_invalid')
    expect(moved.json.errors[0].pointer).to.equal('/settings/api_token')
    const both = await patch({ base_url: 'https://south.example', api_token: { reference } })
    expect(both.status, both.text).to.equal(200)
  })

  it('can be repaired when the old reference is gone', async () => {
    await create(settings)
    delete values[reference]
    expectProblem(await patch({ base_url: 'https://tower.example/v2' }), 400, 'value_invalid')
    const repaired = await patch({ api_token: { reference: 'env:TOWER_TOKEN' } })
    expect(repaired.status, repaired.text).to.equal(200)
    const disabled = await api.call('PATCH', '/api/connections/North', {
      body: { enabled: false },
      headers: { 'if-match': '*' },
    })
    expect(disabled.status).to.equal(200)
  })
})
