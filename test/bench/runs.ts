import { join } from 'node:path'
import { table } from '../../cli/output/table.ts'
import { createRunner } from '../../core/engine/runner.ts'
import { parsePlaybook } from '../../core/playbook/index.ts'
import type { Stores } from '../../core/ports.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openStores } from '../../server/open-stores.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { usage } from './answer-parent.ts'
import { countCommits } from './count-commits.ts'
import { LeastStore } from './least-store.ts'
import { keepRun } from './least-work.ts'
import { cells, figureTitles, measure, whole, type Figures } from './measure.ts'
import { somebody } from '../support/somebody.ts'

/** Five steps that compute a value each: every result is journaled, nothing outside is called. */
const source = `apiVersion: tocsin/v1
name: five-steps
description: Five steps without an effect.
on: { manual: true }
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: s${n}, set: { value: ${n} } }`).join('\n')}
`

/** Runs of five no-op steps, all results journaled, by how many are under way at once, beside the least that does it. */
export async function benchRuns({
  seconds,
  connections,
}: {
  seconds: number
  connections: readonly number[]
}): Promise<void> {
  const folder = await makeTemporaryFolder()
  const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: folder.path }), 'exclusive')
  const least = new LeastStore(join(folder.path, 'least.db'))
  try {
    const rows: string[][] = []
    for (const count of connections) {
      const bare = await measure(() => keepRun(least, null, (value) => ({ value })), {
        count,
        seconds,
        usage: () => usage(least.commits),
      })
      const ours = await measureRuns(stores, count, seconds)
      rows.push(['the least', String(count), ...cells(bare), whole(bare.perSecond * 5), ''])
      rows.push([
        'Tocsin',
        String(count),
        ...cells(ours),
        whole(ours.perSecond * 5),
        (ours.perSecond / bare.perSecond).toFixed(2),
      ])
    }
    console.log('\nRuns: five no-op steps, every result journaled, whole way from queued to ended\n')
    console.log(table(['', 'AT ONCE', ...figureTitles, 'STEPS/S', 'RATIO'], rows))
  } finally {
    least.close()
    await stores.close()
    await folder.remove()
  }
}

/** Closed loop: `count` runs are under way at any time; latency is from the request to queue until the end is durable. */
async function measureRuns(stores: Stores, count: number, seconds: number): Promise<Figures> {
  const { playbook } = parsePlaybook(source, {})
  if (playbook === undefined) throw new Error('the playbook of the benchmark has mistakes')
  const { name, hash } = playbook
  await stores.playbooks.put({ name, hash, source, origin: 'file', organizationUuid: null }, somebody())
  const organizationUuid = await organization(stores)
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
  async function one(): Promise<void> {
    const run = await stores.runs.queue({
      organizationUuid,
      playbookName: name,
      playbookHash: hash,
      alertUuid: null,
    })
    const end = new Promise<void>((resolve) => ended.set(run.uuid, resolve))
    runner.enqueue(run)
    await end
    ended.delete(run.uuid)
  }
  const figures = await measure(one, { count, seconds, usage: () => usage(commits()) })
  await runner.drain(1_000)
  return figures
}

const commits = countCommits()

async function organization(stores: Stores): Promise<string> {
  const [existing] = await stores.organizations.list('all')
  return (existing ?? (await stores.organizations.create({ code: 'bench', name: 'Benchmark' }))).uuid
}
