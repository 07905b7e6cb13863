import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import type { Stores } from '../../core/ports/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'
import { policies } from './playbook.ts'
import { canTrace, failing } from '../faults/support/strace.ts'
import { startSandbox, type EffectSandbox } from './sandbox.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'
import { somebody } from '../support/somebody.ts'

const runsPerTest = 4

describe(`runs of a process killed with kill -9 (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let folder: TemporaryFolder
  let sandbox: EffectSandbox
  let child: ChildProcess | undefined
  let organizationUuid: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    sandbox = await startSandbox()
    await inStores(async (stores) => {
      organizationUuid = (await stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())).uuid
    })
  })
  afterEach(async () => {
    child?.kill('SIGKILL')
    await sandbox.close()
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

  const queueRuns = (count: number) =>
    inStores(async (stores) => {
      for (let n = 0; n < count; n++) {
        const run = {
          organizationUuid,
          playbookName: 'tested',
          playbookHash: 'a'.repeat(64),
          alertUuid: null,
        }
        await stores.runs.queue(run)
      }
    })

  /** Starts a process. Resolves when it is about to resume the runs, or when it dies before. */
  async function start(fault = 'none', under: readonly string[] = []): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('child.ts', import.meta.url))
    const command = [...under, process.execPath, script, folder.path, sandbox.url, fault]
    const started = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
    child = started
    await Promise.race([once(started.stdout, 'data'), once(started, 'exit')])
    return started
  }

  async function kill(victim: ChildProcess): Promise<void> {
    if (victim.exitCode !== null || victim.signalCode !== null) return
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    await sleep(10) // requests already sent to the sandbox arrive
  }

  /** Lets a process complete all runs. */
  async function finish(fault?: string): Promise<void> {
    const last = await start(fault)
    if (last.exitCode === null) await once(last, 'exit')
    expect(last.exitCode, 'exit code of the last process').to.equal(0)
  }

  /** Resets the crash counters: a run that is active in every crash would be blamed for it. */
  function forgetCrashes(): void {
    const database = new Sqlite(join(folder.path, 'tocsin.db'))
    database.exec('UPDATE runs SET crashes = 0, convictions = 0, alone = 0')
    database.close()
  }

  /** The number of effects of each ended step: exactly this many, never more. */
  const endedSoFar = () =>
    inStores(async (stores) => {
      const ended = new Map<string, number>()
      const { data } = await stores.runs.list('all', {}, { limit: 200 })
      for (const run of data) {
        for (const { path, state, kind } of await stores.journal.entries(run.uuid)) {
          const key = `${run.uuid}/${path}`
          if (state !== 'started' && kind in policies) ended.set(key, sandbox.timesOf(key))
        }
      }
      return ended
    })

  /** All violations found in the effects. */
  const audit = (endedBefore: readonly ReadonlyMap<string, number>[], kills: number) =>
    inStores(async (stores) => {
      const wrong: string[] = []
      const check = (fine: boolean, what: string) => void (fine || wrong.push(what))
      const { data: runs } = await stores.runs.list('all', {}, { limit: 200 })
      check((await unfinishedRuns(stores)).length === 0, 'a run has not ended')
      const cases = (await stores.cases.list('all', {}, { limit: 1 })).total
      const withCase = runs.filter(({ caseId }) => caseId !== null)
      check(cases === withCase.length, `${withCase.length} runs opened ${cases} cases`)
      for (const run of runs) {
        // A run that was given up may not have reached the step that opens its case.
        check(run.caseId !== null || run.error !== null, `run ${run.uuid} completed without a case`)
        const timeline = (await stores.cases.timeline('all', run.caseId ?? '', { limit: 200 })).data
        const ends = timeline.filter(({ kind }) => kind === 'run_ended').length
        check(ends === (run.caseId === null ? 0 : 1), `run ${run.uuid} ended ${ends} times`)
        // A run that was killed three times between its steps is given up like a run that crashes
        // the process itself.
        const expected = ['step_interrupted', ...(kills >= 3 ? ['run_interrupted'] : [])]
        check(
          run.error === null || expected.includes(run.error.code),
          `run ${run.uuid} failed: ${JSON.stringify(run.error)}`,
        )
        for (const { path, state, kind, error } of await stores.journal.entries(run.uuid)) {
          check(state !== 'started', `${path} has not ended`)
          if (!(kind in policies)) continue
          const times = sandbox.timesOf(`${run.uuid}/${path}`)
          const most = policies[kind] === 'repeat' ? 1 + kills : 1
          check(times <= most, `${kind} at ${path} happened ${times} times`)
          check(state !== 'completed' || times >= 1, `${kind} at ${path} completed and never happened`)
          check(state !== 'failed' || error?.code === 'step_interrupted', `${path}: ${error?.code}`)
        }
      }
      for (const ended of endedBefore) {
        for (const [key, times] of ended)
          check(sandbox.timesOf(key) === times, `${key} ran again after its end`)
      }
      return wrong
    })

  it('have every effect once without a kill', async () => {
    await queueRuns(runsPerTest)
    await finish()
    expect(await audit([], 0)).to.deep.equal([])
    expect(sandbox.effects).to.have.length(runsPerTest * 9)
  })

  it('resume after a kill right after an effect, for each step in turn', async () => {
    await queueRuns(1)
    const ended: ReadonlyMap<string, number>[] = []
    const cutOff = new Set<string>()
    for (let target = 1; ; target++) {
      forgetCrashes()
      const victim = await start()
      const dead = once(victim, 'exit')
      // Every effect of the run is interrupted once: the process is killed before it receives the
      // answer.
      sandbox.onEffect = () => {
        const { key } = sandbox.effects.at(-1)!
        if (!cutOff.has(key)) victim.kill('SIGKILL')
        cutOff.add(key)
      }
      if (victim.exitCode === null && victim.signalCode === null) await dead
      ended.push(await endedSoFar())
      if (victim.signalCode === null) break
      expect(target, 'kills').to.be.lessThan(30)
    }
    expect(await audit(ended, ended.length)).to.deep.equal([])
    expect(ended.length).to.be.greaterThan(6)
  })

  it('end once, repeat no ended step, and follow their effect classes after kills at random times', async () => {
    const random = makeRandom(seed)
    await queueRuns(runsPerTest)
    const ended: ReadonlyMap<string, number>[] = []
    const kills = times(6)
    for (let n = 0; n < kills; n++) {
      const victim = await start()
      await sleep(random() * 40)
      await kill(victim)
      ended.push(await endedSoFar())
      if (n % 2 === 1) await queueRuns(1)
    }
    await finish()
    expect(await audit(ended, kills)).to.deep.equal([])
  })

  it('end once, repeat no ended step, and follow their effect classes after kills at writes', async function () {
    if (!canTrace) return this.skip()
    const random = makeRandom(seed)
    const ended: ReadonlyMap<string, number>[] = []
    const kills = times(4)
    for (let n = 0; n < kills; n++) {
      await queueRuns(1)
      forgetCrashes()
      const at = 1 + Math.floor(random() * 120)
      const victim = await start('none', failing(`pwrite64,fdatasync:signal=SIGKILL:when=${at}`))
      if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
      await sleep(10) // requests already sent to the sandbox arrive
      if (victim.signalCode === 'SIGKILL') ended.push(await endedSoFar())
    }
    expect(ended.length, 'kills').to.be.greaterThan(0)
    await finish()
    expect(await audit(ended, kills)).to.deep.equal([])
  })

  it('are detected to repeat effects without intents (planted bug)', async () => {
    await queueRuns(1)
    const victim = await start('no_intent')
    const dead = once(victim, 'exit')
    sandbox.onEffect = () => {
      if (sandbox.effects.at(-1)?.skill === 'scan') victim.kill('SIGKILL')
    }
    await dead
    sandbox.onEffect = () => {}
    await finish('no_intent')
    expect(await audit([], 1)).to.deep.equal(['scan at scanned happened 2 times'])
  })
})
