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
  'web/accessibility',
  'end-to-end/package',
  'end-to-end/messaging-killed',
  'faults/poison',
  'faults/disk',
  'end-to-end/demo',
  'web/session',
  'web/questions',
  'web/hostile-content',
  'playbook-test/shipped-playbooks',
  'cli/start-errors',
  'web/page',
  'web/saving',
  'web/list-address',
  'faults/health',
  'cli/older-node',
  'crash/kill',
  'end-to-end/kill',
  'end-to-end/messaging-checkpoint',
  'plugin-contract/every-plugin',
  'http/large-playbooks',
  'architecture/imports',
].map(pathOf)

/** For leases, timeouts and other processes. They need a quarter of a processor. */
const waiting = [
  'nodes/lost-database',
  'nodes/failover',
  'nodes/rolling-upgrade',
  'nodes/rate-over-nodes',
  'nodes/cluster-faults',
  'nodes/wrong-clock',
  'nodes/bad-database',
  'nodes/across-nodes',
  'nodes/first-start',
  'nodes/newer-runs',
  'faults/health',
  'faults/data-directory',
  'faults/signals',
  'faults/storm',
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
