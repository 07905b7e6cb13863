import type { Mask } from '../../domain/mask.ts'
import {
  duration,
  dyn,
  explainMismatch,
  object,
  string,
  timestamp,
  type Fact,
  type Type,
} from '../../expression/index.ts'
import { checkFit } from '../check/check-fit.ts'
import { checkMessage } from '../check/check-sensitive.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import {
  hintForDuration,
  parseDurationMs,
  parseOverlongTimeMs,
  parseTimeMs,
  timeHint,
} from '../language/durations.ts'
import { compileCondition, compileValue } from '../template/expressions.ts'
import { describe, readFields, readNumber, type Fields } from '../template/fields.ts'
import { keptValue } from '../template/kept-value.ts'
import { typeInWords } from '../template/plain-words.ts'
import { grammar } from '../language/grammar.ts'
import { bounds } from '../language/constants.ts'
import type {
  FailStep,
  GroupStep,
  ParallelStep,
  ReturnStep,
  SetStep,
  Step,
  SwitchStep,
  Template,
} from '../language/playbook.ts'
import type { NameScope } from '../scope/scope.ts'
import { endsRun } from '../check/step-advice.ts'
import type { Sliced } from '../../common/sliced.ts'

/** The result of reading an action: its fields of the step, and the type of its output. */
export interface ActionResult<Part> {
  readonly part: Part | undefined
  readonly output?: Type
  /** The sensitive parts of its input. */
  readonly given?: Mask | undefined
  /** See `StepMasks`. */
  readonly reference?: Mask | undefined
  /** Type of the recorded value, if that is not the output. */
  readonly recorded?: Type
}

export type Own<S extends Step, K extends keyof S> = Pick<S, 'action' | K>

export function* readSet(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<ActionResult<Own<SetStep, 'set'>>> {
  if (value.kind !== 'map') {
    context.problems.add('E106', `expected a map of values for \`set\`, found ${describe(value)}`, value)
    return { part: undefined }
  }
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, value))
  return { part: { action: 'set', set: template }, output: type }
}

export function* readGroup(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
): Sliced<ActionResult<Own<GroupStep, 'steps'>>> {
  return { part: { action: 'steps', steps: yield* context.readSequence(context, value, scope) } }
}

export function* readParallel(
  context: ReadContext,
  { value }: Entry,
  fields: Fields,
  scope: NameScope,
): Sliced<ActionResult<Own<ParallelStep, 'steps' | 'concurrency'>>> {
  const steps = yield* context.readBranches(context, value, scope)
  const concurrency = fields.get('concurrency')
  const limit =
    concurrency && !fields.has('foreach')
      ? readNumber(context.problems, concurrency, bounds.concurrency)
      : undefined
  return { part: { action: 'parallel', steps, concurrency: limit ?? Math.max(1, steps.length) } }
}

export function* readSwitch(
  context: ReadContext,
  entry: Entry,
  fields: Fields,
  scope: NameScope,
): Sliced<ActionResult<Own<SwitchStep, 'cases' | 'else'>>> {
  const { problems } = context
  const { value } = entry
  if (value.kind !== 'list' || value.items.length === 0) {
    problems.add(
      'E106',
      'expected a list of cases for `switch`',
      value,
      'write - when: … and steps: … for each',
    )
    return { part: undefined }
  }
  const otherwise = fields.get('else')
  const cases: SwitchStep['cases'][number][] = []
  const branches: { readonly branch: NameScope; readonly steps: readonly Step[] }[] = []
  const before: Fact[] = []
  for (const item of value.items) {
    const read = yield* readCase(context, item, scope, [...before])
    if (read === undefined) continue
    branches.push(read)
    before.push(...read.whenFalse)
    if (read.case) cases.push(read.case)
  }
  if (!otherwise && !problems.hasErrorIn(value))
    problems.add('W402', 'nothing happens if no case is true', entry.key, 'add an else')
  const last = scope.inside({ given: before })
  const elseSteps = otherwise ? yield* context.readSequence(context, otherwise.value, last) : []
  const ways = [...branches, { branch: last, steps: elseSteps }]
  scope.adoptOneOf(
    ways.filter(({ steps }) => !steps.some(endsRun)).map(({ branch }) => branch),
    ways.map(({ branch }) => branch),
  )
  return { part: { action: 'switch', cases, else: elseSteps } }
}

function* readCase(context: ReadContext, node: Node, scope: NameScope, given: readonly Fact[]) {
  const fields = readFields(context.problems, node, grammar.case)
  const whenEntry = fields?.get('when')
  const stepsEntry = fields?.get('steps')
  const when = whenEntry && compileCondition(context, scope.inside({ given }), whenEntry)
  const branch = scope.inside({ given: [...given, ...(when?.whenTrue ?? [])] })
  const steps = stepsEntry ? yield* context.readSequence(context, stepsEntry.value, branch) : []
  const program = when?.program
  return { branch, steps, whenFalse: when?.whenFalse ?? [], case: program && { when: program, steps } }
}

/** The `output` of a group sees the steps inside. */
export function* withOutput(
  context: ReadContext,
  fields: Fields,
  scope: NameScope,
  { part, ...rest }: ActionResult<Group>,
): Sliced<ActionResult<Group>> {
  const entry = fields.get('output')
  if (entry === undefined) return { part, ...rest }
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, entry.value))
  // A `switch` also records its case.
  const recorded = part?.action === 'switch' ? { recorded: object({ case: dyn, output: type }) } : {}
  return { part: part && { ...part, output: template }, output: type, ...recorded }
}

type Group = Pick<GroupStep | ParallelStep | SwitchStep, 'action' | 'output'>

/** Reads a duration or an expression; literals become milliseconds. */
export function* durationTemplate(
  context: ReadContext,
  node: Node,
  scope: NameScope,
  what = '`wait`',
): Sliced<Template | undefined> {
  const { template, type } = yield* compileValue(context, scope, node)
  if (template.kind === 'literal') {
    const durationMs = typeof template.value === 'string' ? parseDurationMs(template.value) : undefined
    if (durationMs !== undefined && durationMs > 0) return { kind: 'literal', value: durationMs }
    if (type.kind === 'dyn') return undefined
  } else if (explainMismatch(type, duration) === undefined || explainMismatch(type, string) === undefined)
    return template
  const isWritten = template.kind === 'literal' && node.kind === 'scalar'
  const hint = isWritten ? hintForDuration(String(node.value)) : 'write duration(…)'
  context.problems.add('E310', `expected a duration for ${what}, found ${given(node, type)}`, node, hint)
  return undefined
}

export function* timeTemplate(
  context: ReadContext,
  node: Node,
  scope: NameScope,
): Sliced<Template | undefined> {
  const { template, type } = yield* compileValue(context, scope, node)
  if (template.kind === 'literal') {
    if (typeof template.value === 'string' && parseTimeMs(template.value) !== undefined) return template
    const meantMs = typeof template.value === 'string' ? parseOverlongTimeMs(template.value) : undefined
    if (meantMs !== undefined) {
      const meant = new Date(meantMs).toISOString()
      context.problems.add('W411', `this date does not exist; it is read as ${meant}`, node, timeHint)
      return { kind: 'literal', value: meant }
    }
    if (type.kind === 'dyn') return undefined
  } else if (explainMismatch(type, timestamp) === undefined || explainMismatch(type, string) === undefined)
    return template
  context.problems.add(
    'E310',
    `expected a timestamp for \`until\`, found ${given(node, type)}`,
    node,
    timeHint,
  )
  return undefined
}

const given = (node: Node, type: Type): string =>
  node.kind === 'scalar' && !String(node.value).includes('${{')
    ? JSON.stringify(node.value)
    : typeInWords(type)

export function* readReturn(
  context: ReadContext,
  entry: Entry,
  scope: NameScope,
): Sliced<ActionResult<Own<ReturnStep, 'return'>>> {
  checkMayEnd(context, entry, scope)
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, entry.value))
  context.returns.push(type)
  return { part: { action: 'return', return: template }, recorded: type }
}

const failCodes = { unknown: 'E106', missing: 'E106', misfit: 'E106' } as const

export function* readFail(
  context: ReadContext,
  entry: Entry,
  scope: NameScope,
): Sliced<ActionResult<Own<FailStep, 'message'>>> {
  checkMayEnd(context, entry, scope)
  const value = yield* compileValue(context, scope, entry.value)
  const { template, type } = value
  checkMessage(context.problems, type, entry.value)
  if (template.kind === 'expression') {
    const fits = checkFit(context.problems, value, string, entry.name, failCodes)
    return { part: fits ? { action: 'fail', message: template } : undefined }
  }
  if (type.kind === 'dyn' || type.kind === 'string') return { part: { action: 'fail', message: template } }
  context.problems.add(
    'E106',
    `expected a string for \`fail\`, found ${describe(entry.value)}`,
    entry.value,
    'say why the run fails',
  )
  return { part: undefined }
}

function checkMayEnd(context: ReadContext, { name, key }: Entry, scope: NameScope): void {
  if (!scope.place.isFinally) return
  context.problems.add(
    'E113',
    `\`${name}\` is not allowed in \`finally\``,
    key,
    'leave it out: the outcome of the run is already decided',
  )
}
