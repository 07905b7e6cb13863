import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The process of the whole run, whose children inherit the name of its file: also mocha in a test of its own. */
const isWholeRun = process.env['TOCSIN_TESTS_UNTESTED'] === undefined
const notes = (process.env['TOCSIN_TESTS_UNTESTED'] ??= join(
  import.meta.dirname,
  `../../.build/untested-${process.pid}`,
))

/**
 * Lists in the summary of the test run what could not be tested on this machine, and why: skipped tests are
 * easily overlooked.
 */
export function noteUntested(what: string): void {
  note(`NOT TESTED: ${what}`)
}

/** Lists in the summary what the tests used and what differs between machines, such as the version of a server. */
export function noteUsed(what: string): void {
  note(`Used: ${what}`)
}

/** Loaded by mocha before any test (`.mocharc.json`); runs once, after the report. */
export function mochaGlobalTeardown(): void {
  if (!isWholeRun) return
  let noted: string
  try {
    noted = readFileSync(notes, 'utf8')
  } catch {
    return // nothing was noted
  }
  rmSync(notes)
  for (const what of new Set(noted.trimEnd().split('\n'))) process.stdout.write(`  ${what}\n`)
  process.stdout.write('\n')
}

function note(line: string): void {
  mkdirSync(dirname(notes), { recursive: true })
  appendFileSync(notes, `${line}\n`)
}
