import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Proof } from './promised.ts'
import { promises } from './promises.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const mocha = here('../../node_modules/mocha/bin/mocha.js')

export interface RanTest {
  /** Below `test/`. */
  readonly file: string
  /** Without the seed. */
  readonly title: string
  readonly state: 'passed' | 'failed' | 'pending'
}

export interface MochaOptions {
  /** Root of the tests. Default: this checkout. */
  readonly root?: string
  /** Only tests whose full title matches. */
  readonly grep?: string
  readonly dryRun?: boolean
  /** Exits even if failed tests left resources open. Default false. */
  readonly exits?: boolean
  readonly env?: Readonly<Record<string, string>>
}

export const provingFiles: readonly string[] = [
  ...new Set(promises.flatMap(({ proofs }) => proofs.map(({ file }) => file))),
]

/** Runs test files in a separate process. */
export async function runMocha(
  files: readonly string[],
  options: MochaOptions = {},
): Promise<readonly RanTest[]> {
  const { root = here('../..'), grep, dryRun = false, exits = false, env = {} } = options
  const report = join(tmpdir(), `tocsin-mocha-${process.pid}-${Math.random()}.json`)
  const args = [
    '--reporter',
    'json',
    '--reporter-option',
    `output=${report}`,
    '--parallel=false',
    ...(dryRun ? ['--dry-run'] : []),
    ...(exits ? ['--exit'] : []),
    ...(grep === undefined ? [] : ['--grep', grep]),
    ...files.map((file) => join(root, 'test', file)),
  ]
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [mocha, ...args], { cwd: root, env: { ...process.env, ...env } }, () =>
      resolve(),
    )
  })
  const text = await readFile(report, 'utf8').catch(() => '{"tests":[],"passes":[],"pending":[]}')
  await rm(report, { force: true })
  return readReport(JSON.parse(text) as Report, join(root, 'test/'))
}

interface Report {
  readonly tests: readonly ReportedTest[]
  readonly passes: readonly ReportedTest[]
  readonly pending: readonly ReportedTest[]
}

interface ReportedTest {
  readonly file: string
  readonly fullTitle: string
}

function readReport({ tests, passes, pending }: Report, folder: string): readonly RanTest[] {
  const keyOf = ({ file, fullTitle }: ReportedTest) => `${file}\n${fullTitle}`
  const passed = new Set(passes.map(keyOf))
  const skipped = new Set(pending.map(keyOf))
  return tests.map((test) => ({
    file: test.file.replaceAll('\\', '/').replace(folder.replaceAll('\\', '/'), ''),
    title: test.fullTitle.replace(/ \(seed \d+\)/, ''),
    state: passed.has(keyOf(test)) ? 'passed' : skipped.has(keyOf(test)) ? 'pending' : 'failed',
  }))
}

/** The tests that a promise refers to. */
export function testsOf(proof: Proof, tests: readonly RanTest[]): readonly RanTest[] {
  return tests.filter(({ file, title }) => file === proof.file && title.startsWith(proof.title))
}
