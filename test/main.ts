/**
 * `npm test`: runs all test files in two processes, the slowest files first, so that both end at about the same time.
 * Further arguments go to mocha.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

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
].map((name) => `test/${name}.test.ts`)

const root = join(import.meta.dirname, '..')
const found = globSync(['test/**/*.test.ts', 'plugins/**/*.test.ts'], { cwd: root })
const files = found.map((file) => file.replaceAll('\\', '/')).toSorted()
const missing = slowest.filter((file) => !files.includes(file))
if (missing.length > 0) throw new Error(`no such test files: ${missing.join(', ')}`)
const ordered = [...slowest, ...files.filter((file) => !slowest.includes(file))]

const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const { status } = spawnSync(process.execPath, [mocha, ...ordered, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
