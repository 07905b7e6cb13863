import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One file for the whole run: the processes of the tests inherit its name. */
const notes = (process.env['TOCSIN_TESTS_UNTESTED'] ??= join(
  import.meta.dirname,
  `../../.build/untested-${process.pid}`,
))

/** Has the end of the run say that something could not be tested on this machine, and why: tests that are skipped look like others. */
export function noteUntested(what: string): void {
  mkdirSync(dirname(notes), { recursive: true })
  appendFileSync(notes, `${what}\n`)
}

/** Loaded by mocha before any test (`.mocharc.json`); runs once, after the report. */
export function mochaGlobalTeardown(): void {
  let noted: string
  try {
    noted = readFileSync(notes, 'utf8')
  } catch {
    return // nothing was
  }
  rmSync(notes)
  for (const what of new Set(noted.trimEnd().split('\n'))) process.stdout.write(`  NOT TESTED: ${what}\n`)
  process.stdout.write('\n')
}
