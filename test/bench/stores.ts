import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { table } from '../../cli/output/table.ts'
import type { NewAlert } from '../../core/domain/alert.ts'
import type { Stores } from '../../core/ports.ts'
import { readConfig } from '../../server/config.ts'
import { openStores } from '../../server/open-stores.ts'

const callers = [1, 32, 256]
const content = JSON.stringify({ message: 'x'.repeat(2_000) })

/** Alerts of 2 KB stored per second, each acknowledged after its commit, by how many callers there are at once. */
export async function benchStores(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'))
  const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: folder }), 'exclusive')
  try {
    const alert = await prepare(stores)
    const rows: string[][] = []
    for (const count of callers) rows.push([String(count), ...(await measure(stores, alert, count, seconds))])
    console.log('\nStores: alerts of 2 KB created, each answered after its commit\n')
    console.log(table(['CALLERS', 'ALERTS/S', 'P50 MS', 'P99 MS'], rows))
  } finally {
    await stores.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function prepare(stores: Stores): Promise<NewAlert> {
  const { uuid } = await stores.organizations.create({ code: 'bench', name: 'Benchmark' })
  await stores.providers.create({ code: 'bench', name: 'Benchmark' })
  const source = { provider: 'bench', organizationUuid: uuid, createdBy: uuid }
  return { ...source, content, type: 'phishing', createdAtSource: null }
}

/** Closed loop: each caller sends its next alert when the one before has been acknowledged. */
async function measure(stores: Stores, alert: NewAlert, count: number, seconds: number): Promise<string[]> {
  const latencies: number[] = []
  const began = performance.now()
  const until = began + seconds * 1000
  async function call(): Promise<void> {
    while (performance.now() < until) {
      const sent = performance.now()
      await stores.alerts.create(alert)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: count }, call))
  const perSecond = (latencies.length * 1000) / (performance.now() - began)
  latencies.sort((a, b) => a - b)
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2)
  return [Math.round(perSecond).toLocaleString('en'), at(0.5), at(0.99)]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await benchStores(2)
