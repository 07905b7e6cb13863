import { expect } from 'chai'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { differences } from './differences.ts'
import { readGolden, writeGolden } from './golden-run.ts'
import { recordGolden } from './record-golden.ts'
import { journalOfGolden, playbooksOf, replayGolden } from './replay-golden.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(import.meta.dirname, 'journals')
const tests = readdirSync(join(root, 'playbooks'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.test\.ya?ml$/.test(file),
)
const goldenOf = (file: string) => join(folder, `${basename(file).replace(/\.test\.ya?ml$/, '')}.json`)

const howToRecord = 'UPDATE=1 npx mocha test/golden/golden.test.ts records it anew'
const whatItMeans = `
A run that began with an earlier version and waits now, for a person or for days, goes on with the program of today. This one
would not come to where it was going: it would do steps twice, leave some out, or give others other inputs. So change the program
such that old journals lead to the same place. Only where no such run can be waiting anywhere: ${howToRecord}.`

describe('golden journals', function () {
  this.timeout(60_000)
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
  })

  for (const file of tests) {
    it(`of ${basename(file)} end the same from any point`, async () => {
      if (process.env['UPDATE']) {
        const loaded = await loadTests(join(root, 'playbooks', file), catalogue)
        writeGolden(goldenOf(file), await recordGolden(loaded.tests!, catalogue))
      }
      expect(existsSync(goldenOf(file)), `the playbook is new: ${howToRecord}`).to.equal(true)
      const golden = readGolden(goldenOf(file))
      const playbooks = playbooksOf(golden, catalogue)
      for (const run of golden.runs) {
        const recorded = { outcome: run.outcome, entries: await journalOfGolden(run) }
        for (let known = 0; known <= run.writes.length; known++) {
          const where = `${run.name}, after ${known} of ${run.writes.length} writes`
          const now = await replayGolden(run, playbooks, known, catalogue).catch((error: unknown) => {
            throw new Error(`${where}: ${(error as Error).message}\n${whatItMeans}`)
          })
          const found = [
            ...now.strangers.map((key) => `${key}: was never called with this key`),
            ...differences(recorded, now, now.forgotten.length > 0),
          ]
          if (found.length === 0) continue
          expect.fail(`${where}:\n  ${found.slice(0, 10).join('\n  ')}\n${whatItMeans}`)
        }
      }
    })
  }
})
