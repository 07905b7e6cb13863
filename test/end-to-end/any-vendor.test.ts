import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const contain = `apiVersion: tocsin/v1
name: contain
on: { manual: true }
inputs: { host: { type: string } }
steps:
  - id: find
    uses: interface.find_machine
    with: { kind: host, value: '\${{ inputs.host }}' }
  - id: isolate
    foreach: \${{ steps.find.output.machines }}
    uses: interface.isolate_machine
    with: { machine: '\${{ item }}', comment: Ransomware }
outputs: { isolated: '\${{ steps.isolate.output }}', incomplete: '\${{ steps.find.output.incomplete }}' }
`

const vendors = [
  { plugin: 'endpoint_security', host: 'desk-042.example.com', acts: 'endpoint_security.isolate_machine' },
  { plugin: 'crowdstrike', host: 'pc-0042', acts: 'crowdstrike.contain_device' },
]

describe('a playbook for any vendor, end to end', function () {
  this.timeout(60_000)
  for (const { plugin, host, acts } of vendors) {
    describe(`with ${plugin}`, () => {
      let tocsin: TestTocsin
      before(async () => {
        tocsin = await startTestTocsin({
          inProcess: true,
          sandbox: plugin,
          playbooks: { contain },
          env: { TOCSIN_WORKERS: '1' },
        })
      })
      after(() => tocsin?.close())

      const start = async () => {
        const body = { organization_code: 'main', inputs: { host } }
        const started = await tocsin.call('/playbooks/contain/runs', { body })
        return await eventually('the end of the run', async () => {
          const run = (await tocsin.call(`/runs/${started.body.run_uuid}`)).body
          return ['queued', 'running', 'waiting'].includes(run.status) ? undefined : run
        })
      }

      it('fails before any call without a connection, and says which plugins can do it', async () => {
        const { status, error } = await start()
        expect(status).to.equal('failed')
        expect(error).to.include({ code: 'connection_missing' })
        expect(error.hint).to.include(plugin)
      })

      it('isolates the machine, and the run and the audit log name the skill that acted', async () => {
        expect((await tocsin.connect('edr')).status).to.equal(201)
        const { status, output, steps } = await start()
        expect(status).to.equal('completed')
        expect(output.isolated).to.have.length(1)
        const kinds = steps.map(({ path, kind }: any) => [path, kind])
        expect(kinds).to.deep.include(['isolate[0]', acts])
        const choice = steps.find(({ path }: any) => path === 'isolate[0]/@choice')
        expect(choice.output).to.deep.equal({
          interface: 'isolate_machine',
          calls: [{ skill: acts, connection: 'edr' }],
        })
        const { body } = await tocsin.call('/audit?limit=100')
        expect(JSON.stringify(body)).to.include(acts)
      })
    })
  }
})
