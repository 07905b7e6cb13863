import { Command, InvalidArgumentError } from 'commander'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import { readConfig } from '../../../server/config/config.ts'
import { explainError } from '../../explain-error.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { printableJson } from '../../output/printable.ts'
import { writeOutput } from '../../output/write-output.ts'
import { shortestPath } from '../../playbook-files.ts'
import { stopSignal } from '../../stop-signal.ts'
import { findTestFiles } from '../../testing/find-test-files.ts'
import { jsonReport, junitReport } from '../../testing/machine-reports.ts'
import { recordTestFile } from '../../testing/record-run.ts'
import { coverageReport, fileReport, summary } from '../../testing/report.ts'
import { percentOf, runFiles } from '../../testing/run-files.ts'
import { watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

interface Options {
  readonly coverage?: boolean
  readonly min?: number
  readonly crash?: boolean
  readonly json?: boolean
  readonly junit?: string
  readonly watch?: boolean
  readonly record?: string
  readonly alert?: string
}

export function testCommand(): Command {
  return new Command('test')
    .description('run the tests of playbooks: files named <playbook>.test.yaml')
    .argument('[paths...]', 'tests, playbooks or folders; default: TOCSIN_PLAYBOOKS_DIR (./playbooks)')
    .option('--coverage', 'list the branches that no test covers')
    .option(
      '--min <percent>',
      'fail if fewer percent of the branches are covered; implies --coverage',
      percent,
    )
    .option('--crash', 'repeat each test with a crash after every write of the journal')
    .option('--watch', 'run again whenever a YAML file changes, until Ctrl-C')
    .option('--json', 'print JSON with files, tests, failures and coverage')
    .option('--junit <file>', 'also write a JUnit XML report')
    .option(
      '--record <run.json>',
      'print a test file made from a run (the answer of GET /runs/<id>); - for standard input',
    )
    .option('--alert <alert.json>', 'with --record: the alert of that run (the answer of GET /alerts/<id>)')
    .addHelpText(
      'after',
      `
Sends nothing: skills with connections are mocked, all others really run, on a case in memory.
Time is virtual: waits, retries and timeouts take no time.

Examples:
  tocsin test                                         all tests of the playbooks folder
  tocsin test playbooks/brute-force.yaml              the tests beside one playbook
  tocsin test --min 100 --crash --junit report.xml    for CI
  curl -sS … | tocsin test --record - > x.test.yaml   a test from a run

docs/testing-playbooks.md describes the files.`,
    )
    .action(async (paths: readonly string[], options: Options) => {
      const catalogue = await installedCatalogue()
      if (options.record !== undefined) {
        console.log((await recordTestFile(options.record, options.alert, catalogue)).trimEnd())
        return
      }
      const where = paths.length > 0 ? paths : [readConfig(process.env).playbooksDir]
      if (options.watch) await watchTests(where, catalogue, options)
      else if (!(await testOnce(where, catalogue, options))) throw new Exit(exitCodes.failed)
    })
}

async function watchTests(paths: readonly string[], catalogue: Catalogue, options: Options): Promise<void> {
  const again = async () => {
    try {
      await testOnce(paths, catalogue, options)
    } catch (error) {
      explainError(error)
    }
    console.log('waiting for changes; press Ctrl-C to stop')
  }
  await repeatOnChange(paths, again, stopSignal())
}

/** Resolves to whether all tests passed. */
async function testOnce(paths: readonly string[], catalogue: Catalogue, options: Options): Promise<boolean> {
  const { crash = false, json = false, junit, min } = options
  const found = await findTestFiles(paths.map(shortestPath))
  const onFile = json
    ? {}
    : { onFile: (file: Parameters<typeof fileReport>[0]) => console.log(fileReport(file)) }
  const tested = await runFiles(found, { catalogue, crash, ...onFile })
  if (junit !== undefined) await writeOutput(junit, junitReport(tested))
  if (json) console.log(printableJson(jsonReport(tested)))
  else {
    console.log(`\n${summary(tested)}`)
    if (options.coverage || min !== undefined) console.log(coverageReport(tested, min))
  }
  return tested.ok && (min === undefined || percentOf(tested.coverage) >= min)
}

function percent(text: string): number {
  if (/^\d{1,3}(?:\.\d+)?$/.test(text) && Number(text) <= 100) return Number(text)
  throw new InvalidArgumentError('It must be a number from 0 to 100.')
}

/** Editors save in several steps: changes within this time count as one. */
const settleMs = 100

/**
 * Runs `work` now and after each change of a YAML file at the paths, one at a time, until `stopped` resolves.
 */
async function repeatOnChange(
  paths: readonly string[],
  work: () => Promise<void>,
  stopped: Promise<void>,
): Promise<void> {
  const folders = await Promise.all(
    paths.map(async (path) => ((await stat(path)).isDirectory() ? path : dirname(path))),
  )
  const end = new AbortController()
  let wake = () => {}
  let changed = new Promise<void>((resolve) => (wake = resolve))
  let timer: NodeJS.Timeout | undefined
  const onChange = (_event: string, name: string | null) => {
    if (name !== null && !/\.ya?ml$/.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(() => wake(), settleMs)
  }
  const watchers = [...new Set(folders)].map((folder) => watch(folder, { recursive: true }, onChange))
  end.signal.addEventListener('abort', () => wake())
  void stopped.then(() => end.abort())
  try {
    while (!end.signal.aborted) {
      await work()
      await changed
      changed = new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
