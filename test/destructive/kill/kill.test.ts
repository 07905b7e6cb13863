import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import type { Containment } from '../../../core/destructive/containment.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { makeRandom, seed, times } from '../../support/random.ts'
import { somebody } from '../../support/somebody.ts'
import { openStoresIn } from '../../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import { undoClasses } from './plugin.ts'
import { startVendor, type UndoVendor } from './vendor.ts'

/** 200 with `npm run test:crash -- --times 20`. */
const kills = times(10)

describe(`expired containments of a server killed with kill -9 (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let folder: TemporaryFolder
  let vendor: UndoVendor
  let child: ChildProcess | undefined
  let organizationUuid: string
  let made = 0

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    vendor = await startVendor()
    made = 0
    await inStores(async (stores) => {
      organizationUuid = (await stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())).uuid
    })
  })
  afterEach(async () => {
    child?.kill('SIGKILL')
    await vendor.close()
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

  /** Containments that expire at once: one of each class. */
  const contain = () =>
    inStores(async (stores) => {
      const { uuid } = await stores.runs.queue({
        organizationUuid,
        playbookName: 'contains',
        playbookHash: 'a'.repeat(64),
        alertUuid: null,
      })
      await stores.runs.start(uuid, { title: 'Malware' })
      for (const kind of undoClasses) {
        const input = { target: `${kind}-${made++}` }
        const begun = { path: kind, stepId: kind, kind: 'vendor.contain', input, attempt: 1, startedAt: 1 }
        await stores.journal.begin(uuid, { ...begun, destructive: { class: 'containment', input } })
        await stores.journal.end(uuid, kind, {
          state: 'completed',
          output: {},
          error: null,
          attempt: 1,
          endedAt: 1,
          call: {
            connection: null,
            contains: { skill: `vendor.undo_${kind}`, input },
            expiry: { afterMs: 1 },
          },
        })
      }
      await stores.runs.end(uuid, { status: 'completed', output: null, error: null })
    })

  /** Resolves when the process is about to undo, or when it dies before. */
  async function start(): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('child.ts', import.meta.url))
    const started = spawn(process.execPath, [script, folder.path, vendor.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = started
    await Promise.race([once(started.stdout, 'data'), once(started, 'exit')])
    return started
  }

  async function kill(victim: ChildProcess): Promise<void> {
    victim.kill('SIGKILL')
    if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
    await sleep(10) // requests already sent to the vendor arrive
  }

  /** Resets the crash counters: a run that is active in every crash would be blamed for it. */
  function forgetCrashes(): void {
    const database = new Sqlite(join(folder.path, 'tocsin.db'))
    database.exec('UPDATE runs SET crashes = 0, convictions = 0, alone = 0')
    database.close()
  }

  /** Lets a process undo the rest. Returns what is wrong with each containment. */
  async function wrongInTheEnd(): Promise<readonly string[]> {
    forgetCrashes()
    const last = await start()
    if (last.exitCode === null) await once(last, 'exit')
    expect(last.exitCode, 'exit code of the last process').to.equal(0)
    return await inStores(async (stores) => {
      const all: Containment[] = []
      for (let cursor: string | undefined; ;) {
        const page = await stores.containments.list('all', { limit: 200, cursor }, {})
        all.push(...page.data)
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      const { total } = await stores.runs.list('all', { playbookName: 'contains' }, { limit: 1 })
      const runs = (await stores.runs.list('all', {}, { limit: 1 })).total - total
      expect(all).to.have.length(made)
      return [
        ...(runs === made ? [] : [`${runs} runs undo ${made} containments`]),
        ...all.flatMap((one) => faultsOf(one)),
      ]
    })
  }

  function faultsOf({ state, action, undoneBy }: Containment): readonly string[] {
    const target = String(action.input?.['target'])
    const undone = vendor.timesOf(target)
    const isRight =
      state === 'undone'
        ? undone === 1
        : state === 'unknown' && undoneBy === 'vendor.undo_never' && undone <= 1
    return isRight ? [] : [`${target} is ${state} and was undone ${undone} times`]
  }

  it('are undone exactly once, or have an unknown outcome, after kills at random times', async () => {
    const random = makeRandom(seed)
    for (let n = 0; n < kills; n++) {
      await contain()
      forgetCrashes()
      const victim = await start()
      await sleep(random() * 40)
      await kill(victim)
    }
    expect(await wrongInTheEnd()).to.deep.equal([])
  })

  it('are undone exactly once, or have an unknown outcome, after kills right after an undo', async () => {
    const random = makeRandom(seed)
    for (let n = 0; n < kills; n++) {
      await contain()
      forgetCrashes()
      const victim = await start()
      let left = Math.floor(random() * 3)
      vendor.onUndo = () => void (left-- === 0 && victim.kill('SIGKILL'))
      if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
      vendor.onUndo = () => {}
      await sleep(10)
    }
    expect(await wrongInTheEnd()).to.deep.equal([])
  })
})
