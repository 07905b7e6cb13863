import { comparedValue } from '../../correlation/compared-value.ts'
import { correlationBounds, defaultCorrelation } from '../../correlation/correlation.ts'
import { toJsonOrNothing, type Program, type Type } from '../../expression/index.ts'
import { correlationNamePattern, idRule } from '../language/constants.ts'
import { writeDuration } from '../language/durations.ts'
import { grammar } from '../language/grammar.ts'
import type { Correlation } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import type { ReadContext } from '../scope/context.ts'
import { NameScope } from '../scope/scope.ts'
import { compileBare } from '../template/expressions.ts'
import { describe, headSpan, readDuration, readFields, readNumber } from '../template/fields.ts'
import type { Entry, Node } from '../yaml/document.ts'

const example = 'write by: { user: alert.data.user }'

/** Reads `on.alert.correlate`: a rule, or a list of rules. */
export function readCorrelate(
  context: ReadContext,
  { value }: Entry,
  names: Readonly<Record<string, Type>>,
): readonly Correlation[] {
  const { problems } = context
  const rules = value.kind === 'list' ? value.items : [value]
  const { rules: most } = correlationBounds
  if (rules.length === 0) problems.add('E106', '`correlate` is empty', headSpan(value), example)
  if (rules.length > most)
    problems.add('E107', `\`correlate\` has ${rules.length} rules; at most ${most} are allowed`, rules[most]!)
  return rules
    .slice(0, most)
    .map((rule) => readRule(context, rule, names))
    .filter((rule) => rule !== undefined)
}

function readRule(
  context: ReadContext,
  node: Node,
  names: Readonly<Record<string, Type>>,
): Correlation | undefined {
  const { problems } = context
  const fields = readFields(problems, node, grammar.correlation)
  const by = fields?.get('by')
  const within = fields?.get('within')
  const max = fields?.get('max')
  const withinMs = within && readWithin(context, within)
  const most = max && readNumber(problems, max, correlationBounds.max)
  const programs = by && readBy(context, by, names)
  if (programs === undefined) return undefined
  return {
    by: programs.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    withinMs: withinMs ?? defaultCorrelation.withinMs,
    max: most ?? defaultCorrelation.max,
  }
}

function readWithin({ problems }: ReadContext, entry: Entry): number | undefined {
  const ms = readDuration(problems, entry)
  const [least, most] = correlationBounds.withinMs
  if (ms === undefined || (ms >= least && ms <= most)) return ms
  const message = `\`within\` must be between ${writeDuration(least)} and ${writeDuration(most)}`
  problems.add('E107', message, entry.value)
  return undefined
}

function readBy(
  context: ReadContext,
  { value }: Entry,
  names: Readonly<Record<string, Type>>,
): readonly (readonly [string, Program])[] | undefined {
  const { problems } = context
  if (value.kind !== 'map') {
    const message = `expected a map of expressions for \`by\`, found ${describe(value)}`
    problems.add('E106', message, value, example)
    return undefined
  }
  const { names: most } = correlationBounds
  if (value.entries.length === 0) problems.add('E106', '`by` is empty', headSpan(value), example)
  if (value.entries.length > most)
    problems.add('E107', `\`by\` has ${value.entries.length} names; at most ${most} are allowed`, value)
  const read = value.entries.map((entry) => readPart(context, entry, names))
  const programs = read.filter((part) => part !== undefined)
  if (programs.length !== value.entries.length || programs.length === 0) return undefined
  const relatesAll = programs.every(([, program]) => typeof valueForNothing(program) === 'object')
  if (relatesAll) problems.add('E331', relatesEverything(programs), value, example)
  return programs
}

function readPart(
  context: ReadContext,
  { name, key, value }: Entry,
  names: Readonly<Record<string, Type>>,
): readonly [string, Program] | undefined {
  const { problems } = context
  if (!new RegExp(correlationNamePattern).test(name)) {
    problems.add('E107', `invalid name ${quote(name)} in \`by\``, key, idRule)
    return undefined
  }
  const program = compileBare(context, new NameScope(names, { isBefore: true }), name, value)
  if (program === undefined) return undefined
  const isChoice = program.type.kind === 'bool'
  if (isChoice || !program.references.some(({ root }) => root === 'alert')) {
    const what = isChoice ? 'this expression is true or false' : 'this expression does not read the alert'
    problems.add('E331', `${what}, so unrelated alerts would share a case`, value, example)
    return undefined
  }
  return [name, program]
}

/** An alert without any data: a rule that applies to it would relate unrelated alerts. */
const nothing = {
  alert: {
    id: '',
    uuid: '',
    type: 'any',
    provider: 'any_provider',
    content: '',
    title: null,
    severity: 'medium',
    occurred_at: null,
    source_id: null,
    created_at: 0,
    created_at_source: null,
    data: {},
  },
  organization: { code: 'any_organization', name: 'any organization' },
}

function valueForNothing(program: Program) {
  try {
    return comparedValue(toJsonOrNothing(program.evaluate(nothing)))
  } catch {
    return 'missing'
  }
}

function relatesEverything(programs: readonly (readonly [string, Program])[]): string {
  const values = programs.map(([name]) => name).join(' and ')
  return `${values} ${programs.length > 1 ? 'have values' : 'has a value'} even for an empty alert, so unrelated alerts would share a case`
}
