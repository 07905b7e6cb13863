import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { headOf, readChoice, readFields, readNumber, type Fields } from '../../playbook/template/fields.ts'
import { quote } from '../../playbook/language/problem.ts'
import { suggest } from '../../playbook/language/did-you-mean.ts'
import type { Context } from './context.ts'
import { grammar } from './grammar.ts'
import { nodeAt, placeOf, plainValue } from './place.ts'
import { withoutItems, type PlacedStep } from './placed-steps.ts'
import { expectedStatuses, type Expectations, type Expected, type ExpectedCall } from './playbook-test.ts'
import { readList, readString, readTimeRange, reportUnknownStep } from './read-values.ts'

const count = [0, 100_000] as const

/** `expect`; what is wrong in it is reported. */
export function readExpect(context: Context, entry: Entry): Expectations {
  const { problems } = context
  const fields: Fields = readFields(problems, entry.value, grammar.expect) ?? new Map()
  const status = fields.get('status')
  const calls = fields.get('calls')
  const duration = fields.get('duration')
  return {
    status: {
      value: (status && readChoice(problems, status, expectedStatuses)) ?? 'completed',
      place: () => placeOf(context.source, status?.value ?? entry.key),
    },
    path: readSteps(context, fields.get('path')),
    skipped: readSteps(context, fields.get('skipped')),
    calls: calls
      ? readList(problems, calls)
          .map((node) => readCall(context, node))
          .filter((call) => call !== undefined)
      : [],
    case: checkedKeys(context, fields.get('case'), grammar.case),
    outputs: anything(context, fields.get('outputs')),
    error: checkedKeys(context, fields.get('error'), grammar.expectedError),
    duration: located(context, duration, duration && readTimeRange(problems, duration)),
  }
}

function located<T>(
  { source }: Context,
  entry: Entry | undefined,
  value: T | undefined,
): Expected<T> | undefined {
  if (entry === undefined || value === undefined) return undefined
  return { value, place: (at = []) => placeOf(source, nodeAt(entry.value, at)) }
}

function anything(context: Context, entry: Entry | undefined): Expected | undefined {
  return entry && located(context, entry, plainValue(entry.value))
}

function checkedKeys(
  context: Context,
  entry: Entry | undefined,
  table: typeof grammar.case | typeof grammar.expectedError,
): Expected | undefined {
  if (entry === undefined || readFields(context.problems, entry.value, table) === undefined) return undefined
  return anything(context, entry)
}

/** Ids of steps, ids with an item (`each[1]`), or paths as the journal has them. */
function readSteps(context: Context, entry: Entry | undefined): Expected<readonly string[]> | undefined {
  if (entry === undefined) return undefined
  const nodes = readList(context.problems, entry)
  const names = nodes.map((value) => readStepName(context, { ...entry, value }, context.steps))
  return located(
    context,
    entry,
    names.filter((name) => name !== undefined),
  )
}

function readStepName({ problems }: Context, entry: Entry, steps: readonly PlacedStep[]): string | undefined {
  const { value } = entry
  // The place of a step without id is written as the number that it is.
  const name =
    value.kind === 'scalar' && typeof value.value === 'number'
      ? String(value.value)
      : readString(problems, entry)
  if (name === undefined) return undefined
  const plain = withoutItems(name)
  if (steps.some(({ path, step }) => step.id === plain || path === plain)) return name
  const known = steps.map(({ path, step }) => step.id ?? path)
  reportUnknownStep(problems, name, value, known)
  return undefined
}

function readCall(context: Context, node: Node): ExpectedCall | undefined {
  const { problems } = context
  const fields = readFields(problems, node, grammar.call)
  if (fields === undefined) return undefined
  const skill = fields.get('skill')
  const step = fields.get('step')
  if ((skill === undefined) === (step === undefined)) {
    const message = 'an expected call names a `skill` or a `step`'
    problems.add(skill ? 'E112' : 'E105', message, skill?.key ?? headOf(node))
    return undefined
  }
  const times = fields.get('times')
  const attempts = fields.get('attempts')
  const at = fields.get('at')
  return {
    skill: skill && readSkillName(context, skill),
    step: step && readStepName(context, step, context.named),
    place: placeOf(context.source, headOf(node)),
    times: located(context, times, times && readNumber(problems, times, count)),
    attempts: located(context, attempts, attempts && readNumber(problems, attempts, count)),
    with: anything(context, fields.get('with')),
    at: located(context, at, at && readTimeRange(problems, at)),
  }
}

function readSkillName({ problems, catalogue }: Context, entry: Entry): string | undefined {
  const name = readString(problems, entry)
  if (name === undefined || catalogue.skill(name) !== undefined) return name
  const names = catalogue.skills.map((each) => each.name)
  problems.add('E301', `there is no skill ${quote(name)}`, entry.value, () => suggest(name, names))
  return name
}
