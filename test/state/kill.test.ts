import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import type { Stores } from '../../core/ports/stores.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { counting, timesPerRun } from './counting.ts'

const runs = 6
const kills = times(3)

describe(`state of runs whose process is killed with kill -9 (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let folder: TemporaryFolder
  let child: ChildProcess | undefined

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    await inStores(async (stores) => {
      const { uuid } = await stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())
      for (let n = 0; n < runs; n++) {
        await stores.runs.queue({
          organizationUuid: uuid,
          playbookName: counting.name,
          playbookHash: counting.hash,
          alertUuid: null,
        })
      }
    })
  })
  afterEach(async () => {
    child?.kill('SIGKILL')
    await folder.remove()
  })

  async function inStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await openStoresIn(folder.path)
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }

  async function start(fault: string): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('child.ts', import.meta.url))
    const started = spawn(process.execPath, [script, folder.path, fault], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = started
    await Promise.race([once(started.stdout, 'data'), once(started, 'exit')])
    return started
  }

  /** Lets a process complete all runs. Returns the stored state. */
  async function keptInTheEnd() {
    const last = await start('none')
    if (last.exitCode === null) await once(last, 'exit')
    expect(last.exitCode).to.equal(0)
    return await inStores(async (stores) => {
      const { data } = await stores.runs.list('all', {}, { limit: 50 })
      expect(data.map(({ status }) => status)).to.deep.equal(Array.from({ length: runs }, () => 'completed'))
      const found = await Promise.all(data.map(({ uuid }) => stores.runs.find('all', uuid)))
      const states = await stores.state.list('all', counting.name)
      const value = (name: string) => states.find((state) => state.name === name)?.value
      return {
        news: found.filter((run) => (run!.output as { new: boolean }).new).length,
        total: value('total') as number,
        moves: value('moves'),
      }
    })
  }

  /** Resets the crash counters: a run that is active in every crash would be blamed for it. */
  function forgetCrashes(): void {
    const database = new Sqlite(join(folder.path, 'tocsin.db'))
    database.exec('UPDATE runs SET crashes = 0, convictions = 0, alone = 0')
    database.close()
  }

  it('changes exactly once', async () => {
    const random = makeRandom(seed)
    for (let kill = 0; kill < kills; kill++) {
      const victim = await start('none')
      await sleep(random() * 60)
      if (victim.exitCode !== null) break
      victim.kill('SIGKILL')
      await once(victim, 'exit')
      forgetCrashes()
    }
    expect(await keptInTheEnd()).to.deep.equal({ news: 1, total: runs * timesPerRun, moves: runs })
  })

  it('would change twice if the change and its record were two commits (planted bug)', async () => {
    const victim = await start('two_writes')
    if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
    expect(victim.signalCode).to.equal('SIGKILL')
    expect((await keptInTheEnd()).total).to.be.greaterThan(runs * timesPerRun)
  })
})
