import { join } from 'node:path'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config/config.ts'
import { createLog } from '../../server/log.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { usage } from './answer-parent.ts'
import { startChild } from './child.ts'
import { compare, type Way } from './compare.ts'
import { countCommits } from './count-commits.ts'
import { fiveSteps, postTo, startFiveSteps } from './five-steps.ts'
import { LeastStore } from './least-store.ts'
import { keepRun } from './least-work.ts'
import { measure } from './measure.ts'
import type { Options } from './options.ts'

/**
 * Runs of five no-op steps, all results journaled, compared with a minimal program: in one process, and
 * from an alert over HTTP.
 */
export async function benchRuns(options: Options): Promise<void> {
  await inOneProcess(options)
  await overHttp(options)
}

async function inOneProcess(options: Options): Promise<void> {
  const folder = await makeTemporaryFolder()
  const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: folder.path }), 'exclusive')
  const least = new LeastStore(join(folder.path, 'least.db'))
  const step = (value: number) => ({ value })
  try {
    await compare({
      ...options,
      title: 'Runs: five no-op steps, every result journaled, from queued to ended, in one process',
      ways: {
        'the minimal program': (count, seconds) =>
          measure(() => keepRun(least, null, step), { count, seconds, usage: () => usage(least.commits) }),
        Tocsin: await runsOf(stores),
      },
      baseline: 'the minimal program',
    })
  } finally {
    least.close()
    await stores.close()
    await folder.remove()
  }
}

async function overHttp(options: Options): Promise<void> {
  const folder = await makeTemporaryFolder()
  const tocsin = await startFiveSteps(folder.path)
  const least = await startChild<{ port: number }>('least-server.ts', { TOCSIN_DATA_DIR: folder.path })
  try {
    await compare({
      ...options,
      title: 'The same, from an alert of 2 KB over HTTP to its case, answered at the end',
      ways: {
        'the minimal program': postTo(least, `http://127.0.0.1:${least.said.port}/run`),
        Tocsin: tocsin.investigate,
      },
      baseline: 'the minimal program',
    })
  } finally {
    await Promise.all([tocsin.child.stop(), least.stop()])
    await folder.remove()
  }
}

const commits = countCommits()

/** Latency is measured from the request to queue a run until its end is durable. */
async function runsOf(stores: Stores): Promise<Way> {
  const { playbook } = parsePlaybook(fiveSteps, {})
  if (playbook === undefined) throw new Error('the playbook of the benchmark has mistakes')
  const { name, hash } = playbook
  const { uuid: organizationUuid } = await stores.organizations.create(
    { code: 'bench', name: 'Benchmark' },
    somebody(),
  )
  const stored = { name, hash, source: fiveSteps, origin: 'file', organizationUuid: null } as const
  await stores.playbooks.put(stored, somebody())
  return async (count, seconds) => {
    const ended = new Map<string, () => void>()
    const runner = createRunner({
      stores,
      clock: systemClock,
      log: createLog({ level: 'error' }),
      loadPlaybook: () => Promise.resolve(playbook),
      skills: {
        call: () => Promise.reject(new Error('no step of this playbook calls a skill')),
        interrupted: () => 'repeat',
      },
      maxRuns: count,
      onRunEnded: (run) => ended.get(run.uuid)?.(),
    })
    const one = async (): Promise<void> => {
      const given = { organizationUuid, playbookName: name, playbookHash: hash, alertUuid: null }
      const run = await stores.runs.queue(given)
      const end = new Promise<void>((resolve) => ended.set(run.uuid, resolve))
      runner.enqueue(run)
      await end
      ended.delete(run.uuid)
    }
    const figures = await measure(one, { count, seconds, usage: () => usage(commits()) })
    await runner.drain(1_000)
    return figures
  }
}
