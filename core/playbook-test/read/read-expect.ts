import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { headSpan, readChoice, readFields, readNumber, type Fields } from '../../playbook/template/fields.ts'
import { quote } from '../../playbook/language/problem.ts'
import { suggest } from '../../playbook/language/did-you-mean.ts'
import type { TestContext } from './context.ts'
import { maxNextRuns, testGrammar } from './grammar.ts'
import { nodeAt, testPlaceOf, plainValue } from './place.ts'
import { withoutItems, type PlacedStep } from './placed-steps.ts'
import { expectedStatuses, type Expectations, type Expectation, type ExpectedCall } from './playbook-test.ts'
import { readPlainState } from './read-fixtures.ts'
import { writeDuration } from '../../playbook/language/durations.ts'
import {
  readSpan,
  readTestList,
  readTestString,
  readTime,
  readTimeRange,
  reportUnknownStep,
} from './read-values.ts'

const count = [0, 100_000] as const

/** Parses `expect` and reports mistakes. */
export function readExpect(context: TestContext, entry: Entry): Expectations {
  const { problems } = context
  const fields: Fields = readFields(problems, entry.value, testGrammar.expect) ?? new Map()
  const status = fields.get('status')
  const calls = fields.get('calls')
  const duration = fields.get('duration')
  const state = fields.get('state')
  return {
    status: {
      value: (status && readChoice(problems, status, expectedStatuses)) ?? 'completed',
      place: () => testPlaceOf(context.source, status?.value ?? entry.key),
    },
    path: readSteps(context, fields.get('path')),
    skipped: readSteps(context, fields.get('skipped')),
    calls: calls
      ? readTestList(problems, calls)
          .map((node) => readCall(context, node))
          .filter((call) => call !== undefined)
      : [],
    case: checkedKeys(context, fields.get('case'), testGrammar.case),
    outputs: anything(context, fields.get('outputs')),
    state: located(context, state, state && readPlainState(context, state)),
    error: checkedKeys(context, fields.get('error'), testGrammar.expectedError),
    duration: located(context, duration, duration && readTimeRange(problems, duration)),
    nextRuns: readNextRuns(context, fields.get('next_runs')),
    correlation: readCorrelation(context, fields.get('correlation')),
    containments: readContainments(context, fields.get('containments')),
  }
}

function located<T>(
  { source }: TestContext,
  entry: Entry | undefined,
  value: T | undefined,
): Expectation<T> | undefined {
  if (entry === undefined || value === undefined) return undefined
  return { value, place: (at = []) => testPlaceOf(source, nodeAt(entry.value, at)) }
}

function anything(context: TestContext, entry: Entry | undefined): Expectation | undefined {
  return entry && located(context, entry, plainValue(entry.value))
}

function checkedKeys(
  context: TestContext,
  entry: Entry | undefined,
  table: typeof testGrammar.case | typeof testGrammar.expectedError,
): Expectation | undefined {
  if (entry === undefined || readFields(context.problems, entry.value, table) === undefined) return undefined
  return anything(context, entry)
}

/** Parses the times at which the schedule of the playbook is due after `now`. */
function readNextRuns(
  context: TestContext,
  entry: Entry | undefined,
): Expectation<readonly number[]> | undefined {
  if (entry === undefined) return undefined
  const { problems, playbook } = context
  if (playbook.schedule === undefined)
    problems.add('E112', '`next_runs` needs a schedule, but the playbook has none', entry.key)
  const times = readTestList(problems, entry).map((value) => readTime(problems, { ...entry, value }))
  if (times.length > maxNextRuns) problems.add('E107', `at most ${maxNextRuns} times`, entry.key)
  return located(
    context,
    entry,
    times.filter((time) => time !== undefined),
  )
}

/** Parses the rules that apply to the alert, each a map from the names of its values. */
function readCorrelation(
  context: TestContext,
  entry: Entry | undefined,
): Expectation<readonly unknown[]> | undefined {
  if (entry === undefined) return undefined
  const { problems, playbook } = context
  if (playbook.alertTrigger?.correlate === undefined)
    problems.add('E112', '`correlation` needs `on.alert.correlate`, but the playbook has none', entry.key)
  return located(context, entry, readTestList(problems, entry).map(plainValue))
}

const expiryOutcomes = ['undone', 'kept', 'overdue'] as const

/** Parses the containments that the run leaves. */
function readContainments(
  context: TestContext,
  entry: Entry | undefined,
): Expectation<readonly unknown[]> | undefined {
  if (entry === undefined) return undefined
  const { problems } = context
  const all = readTestList(problems, entry).map((node) => {
    const fields = readFields(problems, node, testGrammar.containment)
    const readers: Readonly<Record<string, (each: Entry) => unknown>> = {
      step: (each) => readStepName(context, each, context.named),
      skill: (each) => readSkillName(context, each),
      expires: (each) => writeDuration(readSpan(problems, each) ?? 0),
      at_expiry: (each) => readChoice(problems, each, expiryOutcomes),
    }
    return Object.fromEntries(
      Array.from(fields ?? [], ([name, each]) => {
        const isNull = each.value.kind === 'scalar' && each.value.value === null
        return [name, isNull ? null : readers[name]?.(each)]
      }),
    )
  })
  return located(context, entry, all)
}

/** Parses step ids, ids with an item (`each[1]`), or paths in the journal. */
function readSteps(
  context: TestContext,
  entry: Entry | undefined,
): Expectation<readonly string[]> | undefined {
  if (entry === undefined) return undefined
  const nodes = readTestList(context.problems, entry)
  const names = nodes.map((value) => readStepName(context, { ...entry, value }, context.steps))
  return located(
    context,
    entry,
    names.filter((name) => name !== undefined),
  )
}

function readStepName(
  { problems }: TestContext,
  entry: Entry,
  steps: readonly PlacedStep[],
): string | undefined {
  const { value } = entry
  // The position of a step without id is written as a number.
  const name =
    value.kind === 'scalar' && typeof value.value === 'number'
      ? String(value.value)
      : readTestString(problems, entry)
  if (name === undefined) return undefined
  const plain = withoutItems(name)
  if (steps.some(({ path, step }) => step.id === plain || path === plain)) return name
  const known = steps.map(({ path, step }) => step.id ?? path)
  reportUnknownStep(problems, name, value, known)
  return undefined
}

function readCall(context: TestContext, node: Node): ExpectedCall | undefined {
  const { problems } = context
  const fields = readFields(problems, node, testGrammar.call)
  if (fields === undefined) return undefined
  const skill = fields.get('skill')
  const step = fields.get('step')
  if ((skill === undefined) === (step === undefined)) {
    const message = 'an expected call names a `skill` or a `step`'
    problems.add(skill ? 'E112' : 'E105', message, skill?.key ?? headSpan(node))
    return undefined
  }
  const times = fields.get('times')
  const attempts = fields.get('attempts')
  const at = fields.get('at')
  return {
    skill: skill && readSkillName(context, skill),
    step: step && readStepName(context, step, context.named),
    place: testPlaceOf(context.source, headSpan(node)),
    times: located(context, times, times && readNumber(problems, times, count)),
    attempts: located(context, attempts, attempts && readNumber(problems, attempts, count)),
    with: anything(context, fields.get('with')),
    at: located(context, at, at && readTimeRange(problems, at)),
  }
}

function readSkillName({ problems, catalogue }: TestContext, entry: Entry): string | undefined {
  const name = readTestString(problems, entry)
  if (name === undefined || catalogue.skill(name) !== undefined) return name
  const names = catalogue.usable.map((each) => each.name)
  problems.add('E301', `there is no skill ${quote(name)}`, entry.value, () => suggest(name, names))
  return name
}
