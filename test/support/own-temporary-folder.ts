import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives each test run its own temporary folder, also for child processes, and fails if a suite leaves files
 * in it. Loaded by mocha before any test (`.mocharc.json`).
 */
const usual = tmpdir()
const own = mkdtempSync(join(usual, 'tocsin-tests-'))
process.env['TMPDIR'] = own
// Node caches compiled modules in the temporary folder; later runs should reuse them.
process.env['NODE_COMPILE_CACHE'] ??= join(usual, 'node-compile-cache')
process.on('exit', () => rmSync(own, { recursive: true, force: true }))

export const mochaHooks = {
  afterAll() {
    const left = readdirSync(own)
    if (left.length > 0)
      throw new Error(`tests left folders behind in the temporary folder: ${left.join(', ')}`)
  },
}
