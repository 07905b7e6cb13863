import type { JournalEntry } from '../../domain/run.ts'
import { assumedOutput } from '../../dry-run/assumed-output.ts'
import { stringifyJson } from '../../common/json.ts'
import { hidden } from '../../domain/mask.ts'
import { parseTests, type ParseTestsOptions } from '../read/parse.ts'
import { reachesOut, runTest, type TestRun } from '../run/run-test.ts'
import { traceOf } from '../coverage/trace.ts'
import { expectOf, writesOf, writeTests, type Expected } from './record.ts'
import { withoutTimes } from '../run/tries-before.ts'
import { isCall, type MockStyle } from './recorded-mocks.ts'
import { checkedRun, type RecordedRun, type RecordOptions } from './recorded-run.ts'

export interface RecordPassingOptions extends RecordOptions {
  /** The called playbooks. Default: only the playbook itself. */
  readonly loadPlaybook?: ParseTestsOptions['loadPlaybook'] | undefined
}

/** Every difference in outputs adds a mock; remaining differences are left out of the expectations. */
const maxTries = 20

/**
 * Like `recordTests`, but the test is run first, so that it passes. Results that a test cannot repeat (those
 * that depend on the time of day, redacted values or other cases) are omitted, with a comment.
 *
 * @throws ValidationError `run_unusable`
 */
export async function recordPassingTests(given: unknown, options: RecordPassingOptions): Promise<string> {
  const run = checkedRun(given)
  const { playbook, playbookFile } = options
  let style: MockStyle = { byPlace: false, local: new Set() }
  if (playbook === undefined || playbook.hash !== run.playbook_hash) return writeTests(run, options, style)
  const loadPlaybook = (name: string) =>
    name === playbookFile ? playbook.source : options.loadPlaybook?.(name)
  const checked: ParseTestsOptions['checked'] = new Map()
  const readTest = () => {
    const parsed = parseTests(writeTests(run, options, style), {
      catalogue: options.catalogue,
      file: undefined,
      loadPlaybook,
      checked,
    })
    return { parsed, test: parsed.tests?.tests[0] }
  }
  for (let left = maxTries; ; left--) {
    const { parsed, test } = readTest()
    if (test === undefined) {
      const first = parsed.problems.find(({ severity }) => severity === 'error')
      return writeTests(run, options, style, {
        expect: expectOf(run, options),
        notes: [`This test cannot run: ${first?.message ?? 'it has errors'}.`],
      })
    }
    const rehearsed = await runTest({ ...parsed.tests!, ...test }, options.catalogue)
    const next = left > 0 ? nextStyle(run, rehearsed, options, style) : undefined
    if (next === undefined) return writeTests(run, options, style, inCommon(run, rehearsed, options))
    style = next
  }
}

/** Additional or other mocks that bring the test closer to the run; undefined if there are none. */
function nextStyle(
  run: RecordedRun,
  { entries, unmocked, calls }: TestRun,
  { catalogue }: RecordOptions,
  style: MockStyle,
): MockStyle | undefined {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const differing = run.steps.filter((step) => differs(step, byPath.get(step.path)))
  const local = differing
    .filter((step) => isCall(step) && !reachesOut(catalogue, step.kind) && !style.local.has(step.path))
    .filter(({ path, input }) => isShownAlike(input, byPath.get(path)?.input))
    .map(({ path }) => path)
  if (local.length > 0) return { ...style, local: new Set([...style.local, ...local]) }
  if (style.byPlace && unmocked.length > 0) {
    const skills = new Map(calls.map((call) => [call.path, call]))
    const further = unmocked.map(({ path }) => {
      const call = skills.get(path)
      const skill = call && catalogue.skill(call.skill)?.skill
      const reply =
        skill === undefined ? { timeout: true } : { output: assumedOutput(skill, call!.input).output }
      return [`steps.${withoutTimes(path.replace(/\/@[a-z_]+$/, ''))}`, reply] as const
    })
    return { ...style, further: { ...style.further, ...Object.fromEntries(further) } }
  }
  return !style.byPlace && (unmocked.length > 0 || differing.length > 0)
    ? { ...style, byPlace: true }
    : undefined
}

const differs = (
  { state, output }: Pick<JournalEntry, 'state' | 'output'>,
  rehearsed: JournalEntry | undefined,
): boolean => state !== rehearsed?.state || !isShownAlike(output, rehearsed.output)

/** Equal except for redacted parts. */
function isShownAlike(shown: unknown, actual: unknown): boolean {
  return stringifyJson(shown ?? null) === stringifyJson(actual ?? null) || isRedactionOf(shown, actual)
}

function isRedactionOf(shown: unknown, actual: unknown): boolean {
  if (typeof shown === 'string' && shown.includes(hidden)) return true
  if (typeof shown !== 'object' || shown === null || typeof actual !== 'object' || actual === null)
    return stringifyJson(shown ?? null) === stringifyJson(actual ?? null)
  const [a, b] = [Object.entries(shown), actual as Readonly<Record<string, unknown>>]
  return a.length === Object.keys(b).length && a.every(([name, value]) => isRedactionOf(value, b[name]))
}

/** Results of the run that the test repeats; a comment names the others. */
function inCommon(
  run: RecordedRun,
  rehearsed: TestRun,
  options: RecordOptions,
): { readonly expect: Expected; readonly notes: readonly string[] } {
  const recorded = expectOf(run, options)
  const left: string[] = []
  const same = (name: string, of: unknown, actual: unknown): unknown => {
    if (of === undefined) return undefined
    const shared = sharedOf(of, actual, name, left)
    return typeof shared === 'object' && shared !== null && Object.keys(shared).length === 0 && !isEmpty(of)
      ? undefined
      : shared
  }
  const trace = traceOf(options.playbook!, rehearsed.entries)
  const ran = new Set(trace.map(({ name }) => name))
  const path = recorded['path'] as readonly string[] | undefined
  const skipped = (recorded['skipped'] as readonly string[] | undefined)?.filter((id) => !ran.has(id))
  const isInOrder =
    path !== undefined &&
    isSubsequence(
      path,
      trace.map(({ name }) => name),
    )
  if (path !== undefined && !isInOrder) left.push('path')
  const isAsIt = run.status === rehearsed.status
  const expect = {
    status: rehearsed.status,
    path: isInOrder ? path : undefined,
    skipped: skipped?.length === 0 ? undefined : skipped,
    calls: callsInCommon(run, rehearsed, options, left),
    case: same('case', recorded['case'], rehearsed.case),
    outputs: same('outputs', recorded['outputs'], rehearsed.outcome?.output),
    error: isAsIt ? same('error', recorded['error'], rehearsed.outcome?.error) : undefined,
  }
  const notes = [
    ...(isAsIt ? [] : [`The run was ${run.status}, but the test is ${rehearsed.status}.`]),
    ...(left.length === 0
      ? []
      : [
          `Not expected, since it differs in a test (times, redacted values, other cases): ${left.join(', ')}.`,
        ]),
  ]
  return { expect, notes: notes.map((note) => note.replaceAll(/\s+/g, ' ')) }
}

function callsInCommon(
  run: RecordedRun,
  { calls }: TestRun,
  { catalogue }: RecordOptions,
  left: string[],
): readonly object[] | undefined {
  const byPath = new Map(calls.map((call) => [call.path, call]))
  const found = writesOf(run, catalogue).flatMap(({ path, kind, input }) => {
    const call = byPath.get(path)
    if (call?.skill !== kind) {
      left.push(`the call of ${path}`)
      return []
    }
    const shared = sharedOf(input, call.input, `the call of ${path}`, left)
    return [{ skill: kind, with: typeof shared === 'object' && shared !== null ? shared : undefined }]
  })
  return found.length === 0 ? undefined : found
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** For maps, the equal fields at every depth; otherwise all or nothing. Differences are added to `left`. */
function sharedOf(recorded: unknown, actual: unknown, name: string, left: string[]): unknown {
  if (isMap(recorded) && isMap(actual)) {
    const fields = Object.entries(recorded).map(([field, value]) => {
      return [field, sharedOf(value, actual[field], `${name}.${field}`, left)] as const
    })
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
  }
  const text = stringifyJson(recorded ?? null)
  if (text === stringifyJson(actual ?? null) && !text.includes(hidden)) return recorded
  left.push(name)
  return undefined
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isSubsequence(names: readonly string[], all: readonly string[]): boolean {
  let from = 0
  for (const name of names) {
    const found = all.indexOf(name, from)
    if (found < 0) return false
    from = found + 1
  }
  return true
}
