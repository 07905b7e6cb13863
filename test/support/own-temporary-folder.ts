import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives each test run its own temporary folder, also for child processes, and fails a suite that leaves files
 * in it, but not the suites after it. Loaded by mocha before any test (`.mocharc.json`).
 */
const usual = tmpdir()
const own = mkdtempSync(join(usual, 'tocsin-tests-'))
process.env['TMPDIR'] = own
// Node caches compiled modules in the temporary folder; later runs should reuse them.
process.env['NODE_COMPILE_CACHE'] ??= join(usual, 'node-compile-cache')
process.on('exit', () => rmSync(own, { recursive: true, force: true }))

const known = new Set<string>()

export const mochaHooks = {
  afterAll() {
    const left = readdirSync(own).filter((name) => !known.has(name))
    for (const name of left) known.add(name)
    if (left.length > 0)
      throw new Error(`tests left folders behind in the temporary folder: ${left.join(', ')}`)
  },
}
