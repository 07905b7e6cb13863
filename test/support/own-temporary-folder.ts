import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives each run of the tests a temporary folder of its own, for the programs that tests start as well, and fails where a suite
 * leaves something behind in it. Loaded by mocha before any test (`.mocharc.json`).
 */
const usual = tmpdir()
const own = mkdtempSync(join(usual, 'tocsin-tests-'))
process.env['TMPDIR'] = own
// Node keeps compiled modules in the temporary folder; they are to serve the next run as well.
process.env['NODE_COMPILE_CACHE'] ??= join(usual, 'node-compile-cache')
process.on('exit', () => rmSync(own, { recursive: true, force: true }))

export const mochaHooks = {
  afterAll() {
    const left = readdirSync(own)
    if (left.length > 0)
      throw new Error(`tests left folders behind in the temporary folder: ${left.join(', ')}`)
  },
}
