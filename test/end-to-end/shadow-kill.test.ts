import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeRandom, rounds, seed, times } from '../support/random.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const kills = rounds(3)
const alertsPerRound = 5

const playbook = (name: string, head: string, steps: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\n${head}on: { alert: { type: odd } }\nsteps:\n${steps}`
const read = (query: string) =>
  `  - { uses: endpoint_security.list_machines, with: { healthStatus: [${query}] } }\n`
const playbooks = {
  odd: playbook('odd', '', `${read('Active')}  - { wait: 50ms }\n`),
  'odd-shadow': playbook(
    'odd-shadow',
    'mode: shadow\nbeside: odd\n',
    `${read('Inactive')}${read('Unknown')}  - uses: endpoint_security.run_advanced_query
    with: { query: 'DeviceInfo | take 1' }
    on_error: continue
  - checkpoint: { via: operator, with: { message: Was it you? }, answers: [yes, no], timeout: 1h, on_timeout: no }
  - uses: endpoint_security.isolate_machine
    with: { id: "\${{ alert.data.machine }}", comment: Odd }
`,
  ),
  acts: playbook(
    'acts',
    '',
    `  - uses: endpoint_security.isolate_machine
    with: { id: "\${{ alert.data.machine }}", comment: Odd }
`,
  ).replace('type: odd', 'type: acts'),
}

const machine = '1e5bc9d7e413ddd7902c2932e418702b84d0cc07'
const content = JSON.stringify({ machine })

describe(`a shadow whose server is killed with kill -9 (seed ${seed})`, function () {
  this.timeout(times(90_000))
  let tocsin: TestTocsin
  before(async () => {
    const env = { TOCSIN_SHADOW_SHARE_PERCENT: '100', TOCSIN_WORKERS: '1', TOCSIN_GROUP_MINUTES: '0' }
    tocsin = await makeTestTocsin({ playbooks, sandbox: 'endpoint_security', env })
  })
  after(() => tocsin.close())

  /** Requests that change something. A token and a query are read with POST. */
  const writes = () =>
    tocsin.sandbox.requests.filter(
      ({ method, path }) => method !== 'GET' && !/\/token$|\/advancedqueries\/run$/.test(path),
    )
  const rows = async () => (await tocsin.call('/playbooks/odd-shadow/shadow/alerts?limit=200')).body.data

  it('judges every alert once, and sends no write', async () => {
    const random = makeRandom(seed)
    for (let round = 0; round < kills; round++) {
      const server = await tocsin.start()
      if (round === 0) await tocsin.connect('edr')
      for (let n = 0; n < alertsPerRound; n++)
        expect((await tocsin.post('odd', content)).status).to.equal(201)
      await sleep(random() * 1_500)
      server.command.process.kill('SIGKILL')
      await server.command.ended
    }
    await tocsin.start()
    const alerts = await tocsin.investigatedAlerts()
    const judged = await eventually('the end of judging', async () => {
      const all = await rows()
      const isOver = all.length === alerts.length && all.every((row: any) => row.outcome !== null)
      return isOver ? all : undefined
    })
    expect(alerts).to.have.length(kills * alertsPerRound)
    expect(new Set(judged.map((row: any) => row.alert_id)).size).to.equal(alerts.length)
    const did = judged.filter((row: any) => row.outcome === 'differs')
    expect(did.length, JSON.stringify(judged.map((row: any) => row.reason))).to.be.above(0)
    for (const { actions } of did)
      expect(actions).to.deep.equal([{ skill: 'endpoint_security.isolate_machine', by: 'shadow', calls: 1 }])
    const queries = tocsin.sandbox.requests.filter(({ path }) => path.includes('Inactive'))
    expect(queries.length, 'real reads of the shadow').to.be.above(0)
    expect(writes()).to.deep.equal([])
    expect((await tocsin.call('/checkpoints')).body.total).to.equal(0)
  })

  it('would be found out if it sent one: a live run is', async () => {
    await tocsin.investigate({ type: 'acts', content })
    expect(writes().map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      `POST /api/machines/${machine}/isolate`,
    ])
  })
})
