import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from '../../cli/output/table.ts'
import { createRunner } from '../../core/engine/runner.ts'
import { parsePlaybook } from '../../core/playbook/index.ts'
import type { Stores } from '../../core/ports.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openStores } from '../../server/open-stores.ts'
import { cells, figures, type Figures } from './load.ts'

const concurrency = [1, 32, 256]

/** Five steps that compute a value each: every result is journaled, nothing outside is called. */
const source = `apiVersion: tocsin/v1
name: five-steps
description: Five steps without an effect.
on: { manual: true }
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: s${n}, set: { value: ${n} } }`).join('\n')}
`

/** Runs of five no-op steps per second, all results journaled, by how many are under way at once. */
export async function benchRuns(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'))
  const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: folder }), 'exclusive')
  try {
    const rows: string[][] = []
    for (const count of concurrency) {
      const found = await measure(stores, count, seconds)
      const [runs = '', p50 = '', p99 = ''] = cells(found)
      rows.push([String(count), runs, Math.round(found.perSecond * 5).toLocaleString('en'), p50, p99])
    }
    console.log('\nRuns: five no-op steps, every result journaled, whole way from queued to ended\n')
    console.log(table(['AT ONCE', 'RUNS/S', 'STEPS/S', 'P50 MS', 'P99 MS'], rows))
  } finally {
    await stores.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Closed loop: `count` runs are under way at any time; latency is from the request to queue until the end is durable. */
async function measure(stores: Stores, count: number, seconds: number): Promise<Figures> {
  const { playbook } = parsePlaybook(source, {})
  if (playbook === undefined) throw new Error('the playbook of the benchmark has mistakes')
  await stores.playbooks.put({
    name: playbook.name,
    hash: playbook.hash,
    source,
    origin: 'file',
    organizationUuid: null,
  })
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
  const latencies: number[] = []
  const began = performance.now()
  const until = began + seconds * 1000
  async function loop(): Promise<void> {
    while (performance.now() < until) {
      const start = performance.now()
      const run = await stores.runs.queue({
        organizationUuid,
        playbookName: playbook!.name,
        playbookHash: playbook!.hash,
        alertUuid: null,
      })
      const end = new Promise<void>((resolve) => ended.set(run.uuid, resolve))
      runner.enqueue(run)
      await end
      ended.delete(run.uuid)
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: count }, loop))
  const elapsedMs = performance.now() - began
  await runner.drain(1_000)
  return figures(latencies, elapsedMs)
}

async function organization(stores: Stores): Promise<string> {
  const [existing] = await stores.organizations.list('all')
  return (existing ?? (await stores.organizations.create({ code: 'bench', name: 'Benchmark' }))).uuid
}
