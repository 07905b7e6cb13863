import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One file for the whole run: child processes inherit its name. */
const notes = (process.env['TOCSIN_TESTS_UNTESTED'] ??= join(
  import.meta.dirname,
  `../../.build/untested-${process.pid}`,
))

/**
 * Lists in the summary of the test run what could not be tested on this machine, and why: skipped tests are
 * easily overlooked.
 */
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
    return // no test was skipped
  }
  rmSync(notes)
  for (const what of new Set(noted.trimEnd().split('\n'))) process.stdout.write(`  NOT TESTED: ${what}\n`)
  process.stdout.write('\n')
}
