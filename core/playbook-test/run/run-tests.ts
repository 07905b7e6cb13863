import type { SourceProblem } from '../../errors/source-frame.ts'
import { correlationFor } from './rehearse.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { branchesTaken, calledCoverage, type CalledCoverage } from '../coverage/coverage.ts'
import { crashEverywhere } from './crash.ts'
import { judge, type TestFailure } from './judge.ts'
import type { PlaybookTest, PlaybookTests } from '../read/playbook-test.ts'
import { runTest, type TestBounds, type TestRun } from './run-test.ts'
import { showTrace, traceOf } from '../coverage/trace.ts'

export interface TestResult {
  readonly name: string
  readonly place: Pick<SourceProblem, 'line' | 'column'>
  readonly failures: readonly TestFailure[]
  /** The steps that ran: `found → sources → bad`. */
  readonly trace: string
  readonly status: TestRun['status']
  /** Duration of the run by the virtual clock. */
  readonly durationMs: number
  /** Real duration of the test. */
  readonly tookMs: number
  /** Number of simulated crashes. */
  readonly crashes: number
}

export interface FileResult {
  readonly tests: readonly TestResult[]
  /** Keys of the taken branches of the playbook. */
  readonly taken: ReadonlySet<string>
  /** Coverage of the called playbooks. */
  readonly takenInCalled: readonly CalledCoverage[]
  /** Failures for `unreachable` branches that a test took. */
  readonly failures: readonly TestFailure[]
}

export interface RunTestsOptions {
  readonly catalogue: Catalogue
  /** Also repeat each test with a crash after every write. */
  readonly crash?: boolean | undefined
  /** Bounds of all tests together. Default: none. */
  readonly bounds?: TestBounds | undefined
}

/**
 * Runs all tests of a file, one after another.
 *
 * @throws the reason of the bounds' signal, once it is aborted
 */
export async function runTests(tests: PlaybookTests, options: RunTestsOptions): Promise<FileResult> {
  const results: TestResult[] = []
  const taken = new Set<string>()
  const takenInCalled: CalledCoverage[] = []
  for (const test of tests.tests) results.push(await runOne(tests, test, options, { taken, takenInCalled }))
  return { tests: results, taken, takenInCalled, failures: reachedAfterAll(tests, taken) }
}

async function runOne(
  { playbook, called, file }: PlaybookTests,
  test: PlaybookTest,
  { catalogue, crash = false, bounds }: RunTestsOptions,
  { taken, takenInCalled }: { readonly taken: Set<string>; readonly takenInCalled: CalledCoverage[] },
): Promise<TestResult> {
  const startedAt = performance.now()
  const runnable = { playbook, called, fixtures: test.fixtures, mocks: test.mocks }
  const run = await runTest(runnable, catalogue, bounds)
  for (const key of branchesTaken(playbook, run.entries)) taken.add(key)
  takenInCalled.push(...calledCoverage(playbook, run.entries, called))
  const trace = traceOf(playbook, run.entries)
  const failures = judge(test, run, trace, {
    file,
    schedule: playbook.schedule,
    correlation: () => correlationFor(playbook, test.fixtures).keys.map(({ values }) => values),
  })
  // A test that already fails is not repeated with crashes.
  const crashes =
    crash && failures.length === 0 ? await crashEverywhere(runnable, catalogue) : { crashes: 0, failures: [] }
  for (const { write, message } of crashes.failures) {
    const text = `after a crash after write ${write} of the journal ${message}`
    failures.push({ code: 'crash', severity: 'error', message: text, ...test.place, ...(file && { file }) })
  }
  return {
    name: test.name,
    place: test.place,
    failures,
    trace: showTrace(trace),
    status: run.status,
    durationMs: run.durationMs,
    tookMs: performance.now() - startedAt,
    crashes: crashes.crashes,
  }
}

function reachedAfterAll(
  { unreachable, file }: PlaybookTests,
  taken: ReadonlySet<string>,
): readonly TestFailure[] {
  return unreachable
    .filter(({ value }) => taken.has(value))
    .map((branch) => ({
      code: 'unreachable',
      severity: 'error',
      message: `a test took the branch '${branch.value}'`,
      hint: 'remove it from `unreachable`',
      ...branch.place(),
      ...(file && { file }),
    }))
}
