import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('skills and plugins over HTTP', () => {
  let api: Api
  before(async () => (api = await startApi()))
  after(() => api.close())

  const names = async (path: string): Promise<readonly string[]> => {
    const { json, text } = await api.call('GET', path)
    expect(json.data, text).to.be.an('array')
    return json.data.map(({ name }: { readonly name: string }) => name)
  }

  it('are found by all words of a search, ignoring case, also in the plugin', async () => {
    expect(await names('/api/skills?q=BELL')).to.deep.equal(['tower.look_up', 'tower.ring_bell'])
    expect(await names('/api/skills?q=tower%20keeper')).to.deep.equal(['tower.look_up'])
    expect(await names('/api/skills?q=ring%20keeper')).to.deep.equal([])
    expect(await names('/api/plugins?q=keeper')).to.deep.equal(['tower'])
  })

  it('are found by effect and by the kind of observable that they look up', async () => {
    expect(await names('/api/skills?effect=write')).to.deep.equal(['tower.ring_bell'])
    expect(await names('/api/skills?enriches=ip')).to.deep.equal(['tower.look_up'])
    expect(await names('/api/skills?enriches=host')).to.deep.equal([])
    expectProblem(await api.call('GET', '/api/skills?enriches=hat'), 400, 'query_invalid')
  })

  it('shows one skill with its examples, each with a step for a playbook', async () => {
    const { json } = await api.call('GET', '/api/skills/tower.look_up')
    expect(json).to.include({ name: 'tower.look_up', plugin_title: 'Tower', asks: false })
    expect(json.permissions).to.deep.equal(['Bells.Hear'])
    expect(json.examples).to.deep.equal([
      {
        title: 'A rope',
        source: 'https://tower.example/docs',
        synthetic: true,
        input: { kind: 'ip', value: '192.0.2.1' },
        output: { risk: { score: null } },
        step: '# A rope\n- id: look_up\n  uses: tower.look_up\n  with:\n    kind: ip\n    value: "192.0.2.1"',
      },
    ])
    expectProblem(await api.call('GET', '/api/skills/tower.no_such'), 404, 'skill_not_found')
  })

  it('says how a plugin is written and where it was found', async () => {
    const { json } = await api.call('GET', '/api/plugins/tower')
    expect(json).to.include({ name: 'tower', kind: 'typescript', source: 'plugins/tower' })
    const quiet = await api.call('GET', '/api/plugins/quiet')
    expect(quiet.json).to.include({ kind: null, source: null, connection: null })
    expectProblem(await api.call('GET', '/api/plugins/no_such'), 404, 'plugin_not_found')
  })
})
