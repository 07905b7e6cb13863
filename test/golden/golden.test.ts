import { expect } from 'chai'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { differences } from './differences.ts'
import { readGolden, writeGolden, type GoldenRun, type Write } from './golden-run.ts'
import { recordGolden } from './record-golden.ts'
import { journalOfGolden, playbooksOf, replayGolden, type Replayed } from './replay-golden.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(import.meta.dirname, 'journals')
const tests = ['playbooks', 'test/golden/playbooks'].flatMap((each) =>
  readdirSync(join(root, each))
    .filter((file) => /\.test\.ya?ml$/.test(file))
    .map((file) => join(root, each, file)),
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
        const loaded = await loadTests(file, catalogue)
        writeGolden(goldenOf(file), await recordGolden(loaded.tests!, catalogue))
      }
      expect(existsSync(goldenOf(file)), `the playbook is new: ${howToRecord}`).to.equal(true)
      const golden = readGolden(goldenOf(file))
      const playbooks = playbooksOf(golden, catalogue)
      for (const run of golden.runs) {
        const recorded = { outcome: run.outcome, entries: await journalOfGolden(run) }
        for (let known = 0; known <= run.writes.length; known++) {
          const where = `${run.name}, after ${known} of ${run.writes.length} writes`
          const now = await replay(run, playbooks, run.writes.slice(0, known), where)
          expectSame(recorded, now, now.forgotten.length > 0, where)
        }
      }
    })

    it(`of ${basename(file)} end the same if nodes of the earlier version, then one of this version after the other have the turns`, async () => {
      const golden = readGolden(goldenOf(file))
      const playbooks = playbooksOf(golden, catalogue)
      for (const run of golden.runs) {
        const recorded = { outcome: run.outcome, entries: await journalOfGolden(run) }
        const first = Math.floor(run.writes.length / 3)
        const where = `${run.name}, handed over after each result behind write ${first}`
        const [now, timeless] = await inManyTurns(run, playbooks, run.writes.slice(0, first), where)
        expectSame(recorded, now, timeless, where)
      }
    })
  }

  /** Continues the run on a new node after each recorded result. Returns the last turn, and whether a call began again at another time. */
  async function inManyTurns(
    run: GoldenRun,
    playbooks: readonly Playbook[],
    earlier: readonly Write[],
    where: string,
  ): Promise<readonly [now: Replayed, timeless: boolean]> {
    const writes = [...earlier]
    for (let timeless = false; ;) {
      const now = await replay(run, playbooks, writes, where)
      timeless ||= now.forgotten.length > 0
      expect(now.wrongCalls, where).to.deep.equal([])
      const result = now.written.findIndex(({ write }) => write !== 'begin')
      if (result === -1) return [now, timeless]
      writes.push(...now.written.slice(0, result + 1))
      expect(writes.length, `${where}: writes`).to.be.at.most(10 * run.writes.length)
    }
  }

  function replay(run: GoldenRun, playbooks: readonly Playbook[], earlier: readonly Write[], where: string) {
    return replayGolden(run, playbooks, earlier, catalogue).catch((error: unknown) => {
      throw new Error(`${where}: ${(error as Error).message}\n${whatItMeans}`)
    })
  }

  function expectSame(
    recorded: Pick<Replayed, 'outcome' | 'entries'>,
    now: Replayed,
    timeless: boolean,
    where: string,
  ): void {
    const found = [...now.wrongCalls, ...differences(recorded, now, timeless)]
    if (found.length > 0) expect.fail(`${where}:\n  ${found.slice(0, 10).join('\n  ')}\n${whatItMeans}`)
  }
})
