import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'

const source = (name: string, head: string, step: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: ${head}\nsteps:\n  - ${step}\n`
const ring = (connection: string) =>
  `{ uses: tower.ring_bell, with: { times: 1 }, connection: ${connection} }`

describe('names of connections and providers in playbooks', () => {
  let api: Api
  before(async () => {
    api = await startApi()
    await connect('acme', 'north-tower')
    await connect('globex', 'south-tower')
  })
  after(() => api.close())

  async function connect(organization: string, name: string) {
    const settings = { base_url: 'https://tower.example.com', api_token: 'secret-of-the-tower' }
    const body = { organization_code: organization, plugin: 'tower', name, settings }
    const made = await api.call('POST', '/api/connections', { body })
    expect(made.status, made.text).to.equal(201)
    return made.json
  }

  const put = (name: string, text: string) =>
    api.call('PUT', `/api/playbooks/${name}`, { body: { source: text } })
  const validate = async (text: string, key?: string) => {
    const options = { body: { source: text }, ...(key === undefined ? {} : { key }) }
    const { json } = await api.call('POST', '/api/playbooks/validate', options)
    return json.problems
      .filter(({ severity }: { severity: string }) => severity === 'error')
      .map(({ code, message, hint }: Record<string, string>) => `${code} ${message} (${hint})`)
  }

  const unknown = ["E304 tower has no connection 'nroth-tower' (did you mean 'north-tower'?)"]

  it('are errors in validate and PUT if they do not exist', async () => {
    const text = source('misnamed', '{ manual: true }', ring('nroth-tower'))
    expect(await validate(text)).to.deep.equal(unknown)
    const refused = await put('misnamed', text)
    expect(refused.status).to.equal(422)
    expect(refused.text).to.include("tower has no connection 'nroth-tower'")
    expect((await api.call('GET', '/api/playbooks/misnamed')).status).to.equal(404)
  })

  it('are checked in `defaults` too', async () => {
    const text = source(
      'presets',
      '{ manual: true }\ndefaults: { connections: { tower: nroth-tower } }',
      'wait: 1s',
    )
    expect(await validate(text)).to.deep.equal(unknown)
  })

  it('are named by the problem, so that a page leads to where they are created', async () => {
    const missing = async (on: string, step: string) => {
      const body = { source: source('a', on, step) }
      const { json } = await api.call('POST', '/api/playbooks/validate', { body })
      return json.problems.map((problem: { missing?: unknown }) => problem.missing)
    }
    expect(await missing('{ manual: true }', ring('nroth-tower'))).to.deep.equal([
      { kind: 'connection', name: 'nroth-tower', plugins: ['tower'] },
    ])
    expect(await missing('{ alert: { type: t, provider: nobody } }', 'wait: 1s')).to.deep.equal([
      { kind: 'provider', name: 'nobody' },
    ])
    const schedule = '{ schedule: { cron: "0 8 * * *", organizations: [nobody] } }'
    expect(await missing(schedule, 'wait: 1s')).to.deep.equal([{ kind: 'organization', name: 'nobody' }])
    expect(await missing('{ manual: true }', '{ uses: tower.nothing }')).to.deep.equal([undefined])
  })

  it('are compared without letter case, across all organizations', async () => {
    expect(await validate(source('a', '{ manual: true }', ring('North-Tower')))).to.deep.equal([])
    expect(await validate(source('a', '{ manual: true }', ring('south-tower')))).to.deep.equal([])
  })

  it('are limited to the organizations of a scoped key', async () => {
    const key = await api.newKey('reader', ['globex'])
    const text = source('a', '{ manual: true }', ring('north-tower'))
    expect(await validate(text, key)).to.deep.equal([
      "E304 tower has no connection 'north-tower' (did you mean 'south-tower'?)",
    ])
  })

  it('are not checked if a step names none, because the organization decides', async () => {
    const text = source('a', '{ manual: true }', '{ uses: tower.ring_bell, with: { times: 1 } }')
    expect(await validate(text)).to.deep.equal([])
  })

  it('include providers in `on.alert.provider`', async () => {
    const created = await api.call('POST', '/api/providers', {
      body: { code: 'bellsiem', name: 'Bell SIEM' },
    })
    expect(created.status, created.text).to.equal(201)
    const on = (provider: string) => `{ alert: { type: t, provider: ${provider} } }`
    expect(await validate(source('p', on('bellseim'), 'wait: 1s'))).to.deep.equal([
      "E322 unknown provider 'bellseim' (did you mean 'bellsiem'?)",
    ])
    expect(await validate(source('p', on('BELLSIEM'), 'wait: 1s'))).to.deep.equal([])
  })

  it('include organizations in `on.schedule.organizations`', async () => {
    const on = (code: string) => `{ schedule: { cron: "0 8 * * *", organizations: [${code}] } }`
    const text = source('scheduled', on('acem'), 'wait: 1s')
    expect(await validate(text)).to.deep.equal(["E323 unknown organization 'acem' (did you mean 'acme'?)"])
    expect((await put('scheduled', text)).status).to.equal(422)
    expect(await validate(source('scheduled', on('ACME'), 'wait: 1s'))).to.deep.equal([])
  })

  it('do not reveal organizations to a key that may not see them', async () => {
    const key = await api.newKey('reader', ['globex'])
    const on = (code: string) => `{ schedule: { cron: "0 8 * * *", organizations: [${code}] } }`
    expect(await validate(source('a', on('acme'), 'wait: 1s'), key)).to.deep.equal([])
    expect(await validate(source('a', on('nobody'), 'wait: 1s'), key)).to.deep.equal([])
  })

  it('must exist in the organization of a run or dry run', async () => {
    const text = source('southern', '{ manual: true }', ring('south-tower'))
    expect((await put('southern', text)).status).to.equal(200)
    const start = (organization_code: string) =>
      api.call('POST', '/api/playbooks/southern/runs', { body: { organization_code } })
    const refused = await start('acme')
    expect(refused.status, refused.text).to.equal(422)
    expect(refused.text).to.include("tower has no connection 'south-tower'")
    expect((await start('globex')).status).to.equal(201)
    const dry = await api.call('POST', '/api/playbooks/dry-run', {
      body: { organization_code: 'acme', playbook: 'southern' },
    })
    expect(dry.status, dry.text).to.equal(422)
    expect(dry.text).to.include("tower has no connection 'south-tower'")
  })

  const places: Readonly<Record<string, string>> = {
    'a group': '{ steps: [STEP] }',
    'a parallel group': '{ parallel: [STEP, { wait: 1s }] }',
    'a case': '{ switch: [{ when: now > now, steps: [{ wait: 1s }] }], else: [STEP] }',
    'an error handler': '{ uses: tower.ring_bell, with: { times: 1 }, on_error: [STEP] }',
    'a foreach loop': '{ foreach: [1, 2], steps: [STEP] }',
    '`finally`': '{ wait: 1s }\nfinally:\n  - STEP',
    '`on_error` of the playbook': '{ wait: 1s }\non_error:\n  - STEP',
  }
  for (const [index, [place, step]] of Object.entries(places).entries()) {
    it(`are checked at the start of a run in ${place}`, async () => {
      const name = `placed-${index}`
      const text = source(name, '{ manual: true }', step.replace('STEP', ring('SOUTH-tower')))
      const written = await put(name, text)
      expect(written.status, written.text).to.equal(200)
      const start = (organization_code: string) =>
        api.call('POST', `/api/playbooks/${name}/runs`, { body: { organization_code } })
      expect((await start('acme')).status).to.equal(422)
      expect((await start('globex')).status).to.equal(201)
    })
  }

  it('do not block a key that starts many runs at once', async () => {
    const text = source('often', '{ manual: true }', ring('north-tower'))
    expect((await put('often', text)).status).to.equal(200)
    const started = await Promise.all(
      Array.from({ length: 40 }, () =>
        api.call('POST', '/api/playbooks/often/runs', { body: { organization_code: 'acme' } }),
      ),
    )
    expect(new Set(started.map(({ status }) => status))).to.deep.equal(new Set([201]))
  })

  it('include disabled connections but not deleted ones', async () => {
    await connect('acme', 'old-tower')
    const text = source('old', '{ manual: true }', ring('old-tower'))
    expect((await put('old', text)).status).to.equal(200)
    const path = `/api/connections/old-tower?organization=acme`
    const headers = { 'if-match': '*' }
    const off = await api.call('PATCH', path, { body: { enabled: false }, headers })
    expect(off.status, off.text).to.equal(200)
    expect(await validate(text)).to.deep.equal([])
    expect((await api.call('DELETE', path, { headers })).status).to.equal(200)
    expect(await validate(text)).to.have.length(1)
    const kept = await api.call('GET', '/api/playbooks/old')
    expect(kept.json.in_force, 'what is in force stays so').to.equal(true)
    const started = await api.call('POST', '/api/playbooks/old/runs', { body: { organization_code: 'acme' } })
    expect(started.status).to.equal(422)
  })
})
