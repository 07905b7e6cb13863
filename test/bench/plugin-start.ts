import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'

/**
 * Startup time added by forty declarative plugins: `node test/bench/plugin-start.ts`. They are copies of a
 * shipped plugin with five skills. The first start checks them; later starts use the file of checked plugins,
 * as the first start of the published package does for its own plugins.
 */

const root = join(import.meta.dirname, '../..')
const count = 40

mkdirSync(join(root, '.build'), { recursive: true })
const folder = mkdtempSync(join(root, '.build', 'plugin-start-'))
const pluginsDir = join(folder, 'plugins')
const checkedFile = join(folder, 'tocsin.plugins.json')
for (let at = 0; at < count; at++) {
  const copy = join(pluginsDir, `vendor-${at}`)
  cpSync(join(root, 'plugins/abuseipdb'), copy, { recursive: true })
  const path = join(copy, 'plugin.yaml')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^plugin: .*$/m, `plugin: vendor_${at}`))
}

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const from = process.cpuUsage()
  const startedMs = performance.now()
  await work()
  const { user, system } = process.cpuUsage(from)
  const [cpu, wall] = [(user + system) / 1000, performance.now() - startedMs].map((ms) => ms.toFixed(0))
  console.log(`${what}: ${cpu} ms of processor time, ${wall} ms`)
}

try {
  await measure('shipped plugins', () => discoverPlugins({ pluginsDir: join(root, 'plugins') }))
  await measure('no plugins', () => discoverPlugins({ pluginsDir: join(folder, 'none'), checkedFile }))
  await measure(`${count} plugins, first start`, () => discoverPlugins({ pluginsDir, checkedFile }))
  await measure(`${count} plugins, later start`, () => discoverPlugins({ pluginsDir, checkedFile }))
} finally {
  rmSync(folder, { recursive: true })
}
