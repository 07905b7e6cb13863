import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const name = 'threat-platform-incidents'
const source = readFileSync(join(import.meta.dirname, `../../playbooks/${name}.yaml`), 'utf8')

describe('incidents of the threat platform, end to end', function () {
  let tocsin: TestTocsin

  beforeEach(async () => {
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'threat_platform',
      playbooks: { [name]: source },
    })
  })
  afterEach(() => tocsin?.close())

  /** Runs the playbook once; the incidents of the sandbox may be years old. */
  async function sync() {
    const body = { organization_code: 'main', inputs: { lookback: '36500d' } }
    const started = await tocsin.call(`/playbooks/${name}/runs`, { body })
    expect(started.status, JSON.stringify(started.body)).to.equal(201)
    return await eventually('the end of the run', async () => {
      const { body: run } = await tocsin.call(`/runs/${started.body.run_uuid}`)
      return ['completed', 'failed'].includes(run.status) ? run : undefined
    })
  }
  /** A run has none of its own. */
  async function cases() {
    const { body } = await tocsin.call('/cases?limit=50')
    const all = body.data as readonly { title: string; severity: string; status: string }[]
    return all.map(({ title, severity, status }) => `${title}: ${severity}, ${status}`)
  }

  it('have one case each, no matter how often they are fetched', async () => {
    expect((await tocsin.connect('threats')).status).to.equal(201)
    for (let times = 1; times <= 3; times++) {
      expect(await sync()).to.deep.include({ status: 'completed', output: { incidents: 2 } })
    }
    expect(await cases()).to.have.members([
      'Suspicious login activity: high, open',
      'Leaked credential on a dark-web market: medium, open',
    ])
  })

  it('are skipped for an organization without the platform', async () => {
    expect(await sync()).to.deep.include({ status: 'completed', output: { incidents: 0 } })
    expect(await cases()).to.deep.equal([])
  })
})
