import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedAlert } from '../../core/backtest/recording.ts'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { openBacktests, recordingOf } from './support.ts'

const folder = join(import.meta.dirname, '../../playbooks')

/** Their tests mock interfaces as a whole, which no server records. */
const usesInterfaces = (file: string): boolean =>
  /(?:uses|via): interface\./.test(readFileSync(join(folder, file.replace('.test', '')), 'utf8'))

describe('a backtest without an edit', function () {
  this.timeout(60_000)
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(folder, '../plugins'), packages: [] })
  })

  for (const file of readdirSync(folder).filter(
    (name) => name.endsWith('.test.yaml') && !usesInterfaces(name),
  ))
    it(`finds no change for the tests in ${file}`, async () => {
      const tests = (await loadTests(join(folder, file), catalogue)).tests!
      const started = tests.tests.filter(
        ({ fixtures, expect: { status } }) => fixtures.alert !== undefined && status.value !== 'not_started',
      )
      const recordings: RecordedAlert[] = []
      for (const [at, test] of started.entries())
        recordings.push(await recordingOf(tests, test, at + 1, catalogue))
      const bench = openBacktests({ base: tests, catalogue, recordings })
      const { judged } = await bench.test(tests.playbook)
      const found = judged.flatMap(({ alertId, result, reason, changes }) => {
        const { name } = started[Number(alertId.split('-').at(-1)) - 1]!
        return result === 'same' ? [] : [{ name, reason, changes }]
      })
      expect(found).to.deep.equal([])
      expect(judged).to.have.length(started.length)
    })

  it('replays interfaces over the connections that they used', async () => {
    const source = (wanted: boolean) => `apiVersion: tocsin/v1
name: contain
on: { alert: { type: malware } }
alert: { type: object, required: [host], properties: { host: { type: string } } }
steps:
  - id: found
    uses: interface.find_machine
    with: { kind: host, value: "\${{ alert.data.host }}" }
  - if: ${String(wanted)}
    foreach: "\${{ steps.found.output.machines }}"
    uses: interface.isolate_machine
    with: { machine: "\${{ item }}", comment: Malware }
`
    const live = source(true)
    const mocks = `playbook: p.yaml
fixtures: { alert: { type: malware, data: { host: desk-042 } } }
mocks:
  endpoint_security.list_machines: { example: The one machine that has an address }
  endpoint_security.isolate_machine: { example: A workstation is being isolated }
tests: [{ name: a, expect: {} }]
`
    const { tests, problems } = parseTests(mocks, { catalogue, loadPlaybook: () => live })
    if (tests === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
    const recording = await recordingOf(tests, tests.tests[0]!, 1, catalogue)
    expect(recording.entries.map(({ kind }) => kind)).to.include('endpoint_security.isolate_machine')
    const bench = openBacktests({ base: tests, catalogue, recordings: [recording] })
    expect((await bench.test(live)).judged.map(({ reason, result }) => reason ?? result)).to.deep.equal([
      'same',
    ])
    const { judged } = await bench.test(source(false))
    expect(judged[0]?.changes[0]).to.deep.equal({
      kind: 'lost_action',
      text: 'no longer endpoint_security.isolate_machine at 1',
    })
  })
})
