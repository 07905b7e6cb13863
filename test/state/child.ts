/**
 * A process that completes the unfinished runs of a data directory: `child.ts <data directory> <fault>`. With
 * the fault `two_writes`, a change of the state and its record are two commits, and the process is killed
 * between them: a planted bug that the test must detect.
 */
import { createRunner } from '../../core/engine/turns/runner.ts'
import type { Log } from '../../core/ports/log.ts'
import type { JournalStore } from '../../core/ports/runs/journal-store.ts'
import { systemClock } from '../../server/clock.ts'
import { openStoresIn } from '../support/stores.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'
import { counting } from './counting.ts'

const [dataDir = '', fault = 'none'] = process.argv.slice(2)

const stores = await openStoresIn(dataDir)
const unfinished = new Set((await unfinishedRuns(stores)).map((run) => run.uuid))
const quiet = () => {}
const complain = (fields: object, message: string) =>
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: complain }

const runner = createRunner({
  stores: { ...stores, journal: fault === 'two_writes' ? inTwoWrites(stores.journal) : stores.journal },
  clock: systemClock,
  log,
  loadPlaybook: async () => counting,
  skills: { call: () => Promise.reject(new Error('no skill')), interrupted: () => 'repeat' },
  onRunEnded: (run) => {
    unfinished.delete(run.uuid)
    if (unfinished.size === 0) void runner.drain(1_000).then(() => stores.close())
  },
})
process.stdout.write('ready\n')
if (unfinished.size === 0) await stores.close()
else await runner.recover()

function inTwoWrites(journal: JournalStore): JournalStore {
  return new Proxy(journal, {
    get(target, name) {
      if (name !== 'recordState') {
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      }
      const recordState: JournalStore['recordState'] = async (run, entry, request) => {
        const known = await journal.entry(run, entry.path)
        if (known !== undefined) return known
        const done = await journal.recordState(run, { ...entry, path: `${entry.path}/@elsewhere` }, request)
        if (entry.path.startsWith('each')) process.kill(process.pid, 'SIGKILL')
        return done
      }
      return recordState
    },
  })
}
