import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { coverageOf } from '../../core/playbook-test/coverage/coverage.ts'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'playbooks')
const files = readdirSync(folder)
const playbooks = files.filter((name) => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name))

const page = readFileSync(join(folder, 'README.md'), 'utf8').split('\n')

describe('shipped playbooks', function () {
  this.timeout(60_000)
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
  })

  it('exist', () => {
    expect(playbooks).to.include('phishing-report.yaml')
  })

  for (const playbook of playbooks) {
    it(`include ${playbook} in the table of playbooks, with its alerts and connections`, () => {
      const row = page.find((line) => line.includes(`](${playbook})`)) ?? ''
      const source = readFileSync(join(folder, playbook), 'utf8')
      const type = /^on:\n {2}alert:\s+(?:\{ )?type: (\w+)/m.exec(source)?.[1]
      expect(row).to.contain(type === undefined ? '| none: ' : `\`${type}\``)
      for (const [, plugin = '', skill = ''] of source.matchAll(/\b(?:uses|via): (\w+)\.(\w+)/g)) {
        if (plugin === 'case' || plugin === 'indicators') continue
        if (plugin !== 'interface') expect(row).to.contain(plugin.replaceAll('_', ' '))
        else if (type !== undefined) expect(row).to.contain(skill)
        else expect(row).to.contain('any that implement the interfaces')
      }
    })

    it(`pass their tests with crashes and full coverage: ${playbook}`, async () => {
      const file = playbook.replace(/\.ya?ml$/, '.test.yaml')
      expect(files, 'every playbook has its tests').to.include(file)
      const { tests, problems, source } = await loadTests(join(folder, file), catalogue)
      const text = new TextDecoder().decode(source)
      const shown = (found: readonly Parameters<typeof formatProblem>[0][]) =>
        found.map((problem) => formatProblem(problem, text)).join('\n')
      expect(shown(problems)).to.equal('')
      const result = await runTests(tests!, { catalogue, crash: true })
      const failures = [...result.tests.flatMap((test) => test.failures), ...result.failures]
      expect(shown(failures)).to.equal('')
      const unreachable = new Set(tests!.unreachable.map(({ value }) => value))
      const { missing } = coverageOf(tests!.playbook, result.taken, unreachable)
      expect(missing.map(({ label }) => label)).to.deep.equal([])
    })
  }
})
