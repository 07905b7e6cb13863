import { apiChanges } from '../../transitions/case.ts'
import { isDeepStrictEqual } from 'node:util'
import { comparedValue } from '../../correlation/compared-value.ts'
import { nextTimes, writeLocalTime, type CronTimes } from '../../trigger/schedule.ts'
import type { SourceProblem } from '../../errors/source-frame.ts'
import { plainState } from '../../state/given-state.ts'
import { compareValues, show } from '../read/compare.ts'
import type { SeenCall } from './mocked-skills.ts'
import type { PlaceRange } from '../read/place.ts'
import { withoutItems } from '../read/placed-steps.ts'
import type { Expectation, ExpectedCall, PlaybookTest, ExpectedTimeRange } from '../read/playbook-test.ts'
import type { TestRun } from './run-test.ts'
import type { RanStep } from '../coverage/trace.ts'

/** A failed expectation. `code` names it: `status`, `path`, `calls`, `case.verdict`, `mock`, … */
export type TestFailure = SourceProblem

interface JudgeOptions {
  readonly file?: string | undefined
  readonly schedule: CronTimes | undefined
  /** The compared values of each rule that applies to the alert. */
  readonly correlation: () => readonly Readonly<Record<string, string>>[]
}

/** All failed expectations about a run, with their positions in the file. */
export function judge(
  test: PlaybookTest,
  run: TestRun,
  trace: readonly RanStep[],
  { file, schedule, correlation }: JudgeOptions,
): TestFailure[] {
  const fail: Fail = (code, message, place, hint) => ({
    code,
    severity: 'error',
    message,
    ...place,
    ...(hint === undefined ? {} : { hint }),
    ...(file === undefined ? {} : { file }),
  })
  const { expect } = test
  return [
    ...run.unmocked.map(({ message, hint }) => fail('mock', message, test.place, hint)),
    ...run.bugs.map((message) => fail('bug', message, test.place)),
    ...judgeStatus(expect.status, run, fail),
    ...(expect.path ? judgePath(expect.path, trace, fail) : []),
    ...(expect.skipped ? judgeSkipped(expect.skipped, trace, fail) : []),
    ...expect.calls.flatMap((call) => judgeCall(call, run, fail)),
    ...differences('case', expect.case, { ...(run.case && apiChanges(run.case)), notes: run.notes }, fail),
    ...differences('outputs', expect.outputs, run.outcome?.output ?? null, fail),
    ...judgeState(test, run, fail),
    ...differences('error', expect.error, run.outcome?.error ?? null, fail),
    ...differences('containments', expect.containments, run.containments, fail),
    ...judgeTime('duration', expect.duration, run.durationMs, fail),
    ...(expect.nextRuns ? judgeNextRuns(expect.nextRuns, test.fixtures.nowMs, schedule, fail) : []),
    ...(expect.correlation ? judgeCorrelation(expect.correlation, correlation(), fail) : []),
  ]
}

function judgeNextRuns(
  expected: Expectation<readonly number[]>,
  nowMs: number,
  schedule: CronTimes | undefined,
  fail: Fail,
): TestFailure[] {
  if (schedule === undefined) return []
  const times = nextTimes(schedule, nowMs, expected.value.length)
  const say = (at: number | undefined) => (at === undefined ? 'none' : writeLocalTime(at, schedule.timezone))
  return expected.value.flatMap((wanted, index) =>
    times[index] === wanted
      ? []
      : [fail('next_runs', `expected ${say(wanted)}, got ${say(times[index])}`, expected.place([index]))],
  )
}

function judgeCorrelation(
  expected: Expectation<readonly unknown[]>,
  actual: readonly Readonly<Record<string, string>>[],
  fail: Fail,
): TestFailure[] {
  const said = (rules: readonly unknown[]) =>
    rules.length === 0 ? 'no rule to apply' : rules.map((rule) => show(rule)).join(' and ')
  const wanted = expected.value.map(comparedValues)
  if (
    isDeepStrictEqual(
      wanted,
      actual.map((values) => ({ ...values })),
    )
  )
    return []
  const hint =
    'a rule applies if each of its values is present and not too common; values are compared in lower case'
  return [fail('correlation', `expected ${said(wanted)}, got ${said(actual)}`, expected.place(), hint)]
}

/** Values are compared as rules compare them. */
function comparedValues(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule
  const values = Object.entries(rule).map(([name, value]) => {
    const compared = comparedValue(value)
    return [name, typeof compared === 'object' ? compared.text : value]
  })
  return Object.fromEntries(values.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

function judgeState({ expect, fixtures }: PlaybookTest, run: TestRun, fail: Fail): TestFailure[] {
  if (expect.state === undefined) return []
  const endedAtMs = fixtures.nowMs + run.durationMs
  const actual = plainState(run.state, run.playbook, endedAtMs, expect.state.value)
  return differences('state', expect.state, actual, fail)
}

type Fail = (code: string, message: string, place: PlaceRange, hint?: string) => TestFailure

function judgeStatus(expected: Expectation<string>, run: TestRun, fail: Fail): TestFailure[] {
  if (expected.value === run.status) return []
  const error = run.outcome?.error
  const why = run.notStarted ?? (error ? `${error.code}: ${error.message}` : undefined)
  const path = error?.details?.['path']
  const at = typeof path === 'string' ? ` at step '${path}'` : ''
  const reason = why === undefined ? '' : ` (${why}${at})`
  return [fail('status', `expected ${expected.value}, got ${run.status}${reason}`, expected.place())]
}

function matches(name: string, ran: RanStep): boolean {
  return ran.path === name || ran.name === name
}

/** The steps must have run in this order; others may have run in between. */
function judgePath(
  expected: Expectation<readonly string[]>,
  trace: readonly RanStep[],
  fail: Fail,
): TestFailure[] {
  let from = 0
  for (const [index, name] of expected.value.entries()) {
    const found = trace.findIndex((ran, at) => at >= from && matches(name, ran))
    if (found < 0) {
      const earlier = trace.some((ran) => matches(name, ran))
      const after = index === 0 ? '' : ` after '${expected.value[index - 1]}'`
      const message = earlier
        ? `expected '${name}'${after}, but it ran before`
        : `expected '${name}' to run${after}, but it did not`
      return [fail('path', message, expected.place([index]))]
    }
    from = found + 1
  }
  return []
}

function judgeSkipped(
  expected: Expectation<readonly string[]>,
  trace: readonly RanStep[],
  fail: Fail,
): TestFailure[] {
  return expected.value.flatMap((name, index) =>
    trace.some((ran) => matches(name, ran))
      ? [fail('skipped', `expected '${name}' not to run, but it did`, expected.place([index]))]
      : [],
  )
}

function judgeCall(expected: ExpectedCall, run: TestRun, fail: Fail): TestFailure[] {
  const subject = expected.skill ?? `step '${expected.step}'`
  const asked = run.calls.filter((call) => isAbout(expected, call))
  const input = expected.with
  const calls = input ? asked.filter((call) => compareValues(input.value, call.input).length === 0) : asked
  const seen =
    asked.length === 0
      ? 'there was none at all'
      : `it was called with ${asked.map((call) => show(call.input)).join(' and ')}`
  const failures: TestFailure[] = []
  if (expected.times && expected.times.value !== calls.length) {
    const which = input ? ` with ${show(input.value)}` : ''
    const got = input ? `${calls.length}; ${seen}` : String(calls.length)
    const message = `expected ${times(expected.times.value, 'call')} of ${subject}${which}, got ${got}`
    failures.push(fail('calls', message, expected.times.place()))
  } else if (!expected.times && calls.length === 0) {
    if (input && asked.length === 1) return differences('calls.with', input, asked[0]!.input, fail)
    const message = input
      ? `expected a call of ${subject} with ${show(input.value)}; ${seen}`
      : `expected a call of ${subject}, but there was none`
    return [fail('calls', message, input?.place() ?? expected.place)]
  }
  const attempts = calls.reduce((sum, call) => sum + call.attempts, 0)
  if (expected.attempts && expected.attempts.value !== attempts) {
    const message = `expected ${times(expected.attempts.value, 'attempt')} of ${subject}, got ${attempts}`
    failures.push(fail('calls.attempts', message, expected.attempts.place()))
  }
  const [first] = calls
  if (expected.at && first === undefined)
    failures.push(fail('calls.at', `expected a call of ${subject}, but there was none`, expected.at.place()))
  else if (first) failures.push(...judgeTime('calls.at', expected.at, first.atMs - run.startedAtMs, fail))
  return failures
}

const times = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function isAbout({ skill, step }: ExpectedCall, call: SeenCall): boolean {
  if (skill !== undefined) return call.skill === skill
  return (
    call.path === step || withoutItems(call.path) === step || nameOfCall(call) === step || call.step === step
  )
}

const nameOfCall = ({ path, step }: SeenCall): string => step + (/(?:\[\d+\]|#\d+)+$/.exec(path)?.[0] ?? '')

function judgeTime(
  code: string,
  expected: Expectation<ExpectedTimeRange> | undefined,
  gotMs: number,
  fail: Fail,
): TestFailure[] {
  if (expected === undefined) return []
  const { minMs, maxMs } = expected.value
  if (gotMs >= minMs && gotMs <= maxMs) return []
  const range =
    minMs === maxMs
      ? showDuration(minMs)
      : maxMs === Infinity
        ? `at least ${showDuration(minMs)}`
        : `${showDuration(minMs)} to ${showDuration(maxMs)}`
  return [fail(code, `expected ${range}, got ${showDuration(gotMs)}`, expected.place())]
}

/** A duration in the syntax of playbooks: `1h30m`. */
export function showDuration(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
    ['ms', 1],
  ] as const
  let rest = ms
  let text = ''
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * size
  }
  return text === '' ? '0s' : text
}

function differences(
  code: string,
  expected: Expectation | undefined,
  actual: unknown,
  fail: Fail,
): TestFailure[] {
  if (expected === undefined) return []
  return compareValues(expected.value, actual).map(({ at, ...difference }) =>
    fail(
      [code, ...at].join('.'),
      `expected ${difference.expected}, got ${difference.got}`,
      expected.place(at),
    ),
  )
}
