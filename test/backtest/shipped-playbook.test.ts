import { expect } from 'chai'
import { join } from 'node:path'
import type { RecordedAlert } from '../../core/backtest/recording.ts'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import type { PlaybookTests } from '../../core/playbook-test/read/playbook-test.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { openBacktests, recordingOf } from './support.ts'

const folder = join(import.meta.dirname, '../..')

describe('a backtest of impossible-travel with 500 recorded alerts', function () {
  this.timeout(120_000)
  let catalogue: Catalogue
  let tests: PlaybookTests
  let recordings: readonly RecordedAlert[]
  let source: string
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(folder, 'plugins'), packages: [] })
    const loaded = await loadTests(join(folder, 'playbooks/impossible-travel.test.yaml'), catalogue)
    tests = loaded.tests!
    source = tests.playbook.source
    const usable = tests.tests.filter(({ expect: { status } }) => status.value !== 'not_started')
    const made: RecordedAlert[] = []
    for (let n = 1; n <= 500; n++)
      made.push(await recordingOf(tests, usable[n % usable.length]!, n, catalogue))
    recordings = made
  })

  it('finds no change without an edit', async () => {
    const { status, judged } = await openBacktests({ base: tests, catalogue, recordings }).test(source)
    expect(status).to.equal('completed')
    expect(
      judged.filter(({ result }) => result !== 'same').map(({ reason, changes }) => reason ?? changes),
    ).to.deep.equal([])
    expect(judged).to.have.length(500)
  })

  it('names exactly the alerts whose decision a broken edit changes', async () => {
    const edited = source.replace('if: has(alert.data.machine_id)', 'if: has(alert.data.machine)')
    expect(edited).to.not.equal(source)
    const { judged } = await openBacktests({ base: tests, catalogue, recordings }).test(edited)
    const isolated = recordings
      .filter(({ entries }) =>
        entries.some(({ kind, input }) => kind === 'endpoint_security.isolate_machine' && input !== null),
      )
      .map(({ alert }) => alert.id)
    expect(isolated).to.not.be.empty
    const changed = judged.filter(({ result }) => result === 'changed')
    expect(changed.map(({ alertId }) => alertId).toSorted()).to.deep.equal(isolated.toSorted())
    expect(judged.filter(({ result }) => result === 'unjudged')).to.deep.equal([])
    for (const { changes } of changed)
      expect(changes[0]).to.deep.equal({
        kind: 'lost_action',
        text: 'no longer endpoint_security.isolate_machine at 8/0/isolate',
      })
  })
})
