/**
 * `npm test`: runs all test files, the slowest first, so that all processes end at about the same time: in two processes those that compute,
 * and beside them in two more those that mostly wait. Further arguments go to mocha.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** By measured time, see docs/testing.md. The order of the other files does not matter. */
const slowest = [
  'postgres/contract',
  'plugin-contract/every-plugin',
  'web/accessibility',
  'end-to-end/package',
  'end-to-end/demo',
  'migrate/interruptions',
  'playbook-test/shipped-playbooks',
  'migrate/refusals',
  'end-to-end/bulk-killed',
  'end-to-end/messaging-killed',
  'faults/poison',
  'faults/read-errors',
  'migrate/comparison',
  'migrate/command',
  'playbook-test/recorded-runs',
  'faults/disk',
  'http/access',
  'http/large-playbooks',
  'migrate/round-trip',
  'golden/golden',
  'playbook/hostile',
  'end-to-end/single-sign-on-killed',
  'cli/full-disk',
  'sqlite/contract',
  'web/session',
  'web/questions',
  'web/hostile-content',
  'web/page',
  'web/saving',
  'web/list-address',
  'web/case-list',
  'web/case-page',
  'cli/older-node',
  'cli/new-plugin',
  'cli/start-errors',
  'cli/doctor',
  'playbook/time-slices',
  'security/process',
  'end-to-end/sign-in',
].map(pathOf)

/** For leases, timeouts and other processes. They need a quarter of a processor. */
const waiting = [
  'nodes/lost-database',
  'nodes/long-outage',
  'nodes/failover',
  'nodes/rolling-upgrade',
  'nodes/rate-over-nodes',
  'nodes/cluster-faults',
  'postgres/outages',
  'nodes/wrong-clock',
  'nodes/bad-database',
  'faults/health',
  'faults/data-directory',
  'nodes/across-nodes',
  'nodes/behind-caddy',
  'faults/signals',
  'faults/storm',
  'nodes/first-start',
  'nodes/newer-runs',
  'postgres/commit-outcome',
  'end-to-end/traces',
].map(pathOf)

const root = join(import.meta.dirname, '..')
const found = globSync(['test/**/*.test.ts', 'plugins/**/*.test.ts'], { cwd: root })
const files = found.map((file) => file.replaceAll('\\', '/')).toSorted()
const missing = [...slowest, ...waiting].filter((file) => !files.includes(file))
if (missing.length > 0) throw new Error(`no such test files: ${missing.join(', ')}`)
const computing = [...new Set([...slowest, ...files])].filter((file) => !waiting.includes(file))

const beside = runMocha(waiting, 'pipe')
const printed = beside.stdout === null ? '' : text(beside.stdout)
const statuses = await Promise.all([beside, runMocha(computing, 'inherit')].map((run) => once(run, 'close')))
process.stdout.write(await printed)
process.exitCode = statuses.every(([status]) => status === 0) ? 0 : 1

function runMocha(those: readonly string[], output: 'inherit' | 'pipe') {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
  return spawn(process.execPath, [mocha, ...those, ...process.argv.slice(2)], {
    cwd: root,
    stdio: ['inherit', output, 'inherit'],
  })
}

function pathOf(name: string): string {
  return `test/${name}.test.ts`
}
