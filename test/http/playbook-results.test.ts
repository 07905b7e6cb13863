import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const source = `apiVersion: tocsin/v1
name: covered
on: { alert: { type: phishing, provider: SIEM }, manual: true }
steps:
  - return: 1
`

describe('results of playbooks over HTTP', () => {
  let api: Api
  before(async () => {
    api = await startApi()
    await api.call('PUT', '/api/playbooks/covered', { body: { source } })
  })
  after(() => api.close())

  const results = async (key?: string) =>
    api.call('GET', '/api/playbooks/covered/results', key === undefined ? {} : { key })

  async function run(organization: string, end: 'completed' | 'failed', ofAlert = true): Promise<string> {
    const body = {
      alert_content: 'x',
      alert_provider: 'SIEM',
      organization_code: organization,
      alert_type: 'phishing',
    }
    const { json } = await api.call('POST', '/api/alerts', { body })
    const { uuid } = await api.stores.runs.queue({
      organizationUuid: api.organizations[organization] ?? '',
      playbookName: 'covered',
      playbookHash: 'h',
      alertUuid: ofAlert ? json.alert_uuid : null,
    })
    await api.stores.runs.start(uuid, { title: 'x' })
    const error = end === 'failed' ? { code: 'x', message: 'y' } : null
    await api.stores.runs.end(uuid, { status: end, output: null, error })
    return uuid
  }

  it('list what triggers a playbook that never ran', async () => {
    const { status, json } = await results()
    expect(status).to.equal(200)
    expect(json).to.deep.equal({
      on: {
        alert: { type: 'phishing', types: ['phishing'], provider: 'SIEM', providers: ['SIEM'], where: false },
        schedule: null,
        timezone: null,
        next_runs: [],
        case: null,
        entity: null,
        webhook: false,
        manual: true,
        call: false,
        question: null,
        run: null,
      },
      alerts_7d: 0,
      alerts_30d: 0,
      repeats_7d: 0,
      repeats_30d: 0,
      since: api.clock.time - 30 * 86_400_000,
      judged: 0,
      failed: 0,
      last_runs: [],
    })
  })

  it('count and list its runs for callers who may see them', async () => {
    const first = await run('acme', 'completed')
    const ofGlobex = await run('globex', 'completed')
    api.clock.time += 10 * 86_400_000
    const failed = await run('acme', 'failed')
    const byHand = await run('acme', 'completed', false)
    const { json } = await results()
    expect(json).to.include({ alerts_7d: 1, alerts_30d: 3, judged: 4, failed: 1 })
    expect(json.last_runs.map(({ run_uuid, status }: any) => [run_uuid, status])).to.deep.equal([
      [byHand, 'completed'],
      [failed, 'failed'],
      [ofGlobex, 'completed'],
      [first, 'completed'],
    ])
    const { json: seen } = await results(await api.newKey('reader', ['globex']))
    expect(seen).to.include({ alerts_7d: 0, alerts_30d: 1, judged: 1, failed: 0 })
    expect(seen.last_runs.map(({ run_uuid }: any) => run_uuid)).to.deep.equal([ofGlobex])
    api.clock.time += 40 * 86_400_000
    expect((await results()).json).to.include({ alerts_30d: 0, judged: 4 })
  })

  it('answer 404 for an unknown playbook', async () => {
    expectProblem(await api.call('GET', '/api/playbooks/nothing/results'), 404, 'playbook_not_found')
  })

  it('sort the list of playbooks by name, publication, last run and number of runs, over several pages', async () => {
    for (const name of ['aaa', 'zzz'])
      await api.call('PUT', `/api/playbooks/${name}`, { body: { source: source.replace('covered', name) } })
    api.clock.time += 60_000
    await run('acme', 'completed')
    await api.stores.numbers.catchUp()
    const list = async (query: string, key?: string) =>
      (await api.call('GET', `/api/playbooks?${query}`, key === undefined ? {} : { key })).json
    const named = async (query: string): Promise<string[]> => {
      const names: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await list(
          `limit=2&${query}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        )
        names.push(...page.data.map(({ name }: { name: string }) => name))
        cursor = page.next_cursor
      }
      return names
    }
    const byName = await named('sort=name')
    expect(byName).to.deep.equal(byName.toSorted())
    expect(byName).to.include.members(['aaa', 'covered', 'zzz'])
    expect(await named('sort=-name')).to.deep.equal(byName.toReversed())
    expect((await named('sort=-last_run_at'))[0]).to.equal('covered')
    expect((await named('sort=-runs_30d'))[0]).to.equal('covered')
    expect(await named('sort=-put_in_force_at')).to.have.members(byName)
    const [covered] = (await list('q=covered')).data
    expect(covered.last_run_at).to.equal(api.clock.time)
    expect(covered.runs_30d).to.be.at.least(1)
    const stranger = await api.newKey('reader', ['globex'])
    const [seen] = (await list('q=aaa&sort=name', stranger)).data
    expect(seen).to.include({ last_run_at: null, runs_30d: 0 })
    expectProblem(await api.call('GET', '/api/playbooks?sort=runs'), 400, 'query_invalid')
    const { next_cursor: cursor } = await list('limit=1&sort=name')
    expectProblem(await api.call('GET', `/api/playbooks?sort=-name&cursor=${cursor}`), 400, 'invalid_cursor')
  })
})
