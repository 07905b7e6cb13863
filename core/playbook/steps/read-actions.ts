import type { Mask } from '../../domain/mask.ts'
import { duration, explainMismatch, string, timestamp, type Fact, type Type } from '../../expression/index.ts'
import { checkFit } from '../check/check-fit.ts'
import { checkMessage } from '../check/check-sensitive.ts'
import { checkTimeFits } from '../scope/check-times.ts'
import type { Context } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { hintForDuration, parseDurationMs } from '../language/durations.ts'
import { compileCondition, compileValue } from '../template/expressions.ts'
import { describe, readFields, readNumber, type Fields } from '../template/fields.ts'
import { keptValue } from '../template/kept-value.ts'
import { typeInWords } from '../template/plain-words.ts'
import { bounds, grammar } from '../language/grammar.ts'
import type {
  FailStep,
  GroupStep,
  ParallelStep,
  ReturnStep,
  SetStep,
  Step,
  SwitchStep,
  Template,
  WaitStep,
} from '../language/playbook.ts'
import type { Scope } from '../scope/scope.ts'
import { endsRun } from '../check/step-advice.ts'
import { parseOverlongTimeMs, parseTimeMs, timeHint } from '../language/times.ts'
import type { Sliced } from '../../common/sliced.ts'

/** What an action comes to: its own part of the step, and the type of its output, if it has one. */
export interface ActionResult<Part> {
  readonly part: Part | undefined
  readonly output?: Type
  /** Where something sensitive stands in what it is given. */
  readonly given?: Mask | undefined
  /** See `StepMasks`. */
  readonly reference?: Mask | undefined
  /** Of what is recorded, where that is no output. */
  readonly recorded?: Type
}

type Own<S extends Step, K extends keyof S> = Pick<S, 'action' | K>

export function* readSet(
  context: Context,
  { value }: Entry,
  scope: Scope,
): Sliced<ActionResult<Own<SetStep, 'set'>>> {
  if (value.kind !== 'map') {
    context.problems.add('E106', `\`set\` must be a map of values, not ${describe(value)}`, value)
    return { part: undefined }
  }
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, value))
  return { part: { action: 'set', set: template }, output: type }
}

export function* readGroup(
  context: Context,
  { value }: Entry,
  scope: Scope,
): Sliced<ActionResult<Own<GroupStep, 'steps'>>> {
  return { part: { action: 'steps', steps: yield* context.readSequence(context, value, scope) } }
}

export function* readParallel(
  context: Context,
  { value }: Entry,
  fields: Fields,
  scope: Scope,
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
  context: Context,
  entry: Entry,
  fields: Fields,
  scope: Scope,
): Sliced<ActionResult<Own<SwitchStep, 'cases' | 'else'>>> {
  const { problems } = context
  const { value } = entry
  if (value.kind !== 'list' || value.items.length === 0) {
    problems.add('E106', '`switch` must be a list of cases', value, 'write - when: … and steps: … for each')
    return { part: undefined }
  }
  const otherwise = fields.get('else')
  const cases: SwitchStep['cases'][number][] = []
  const branches: { readonly branch: Scope; readonly steps: readonly Step[] }[] = []
  const before: Fact[] = []
  for (const item of value.items) {
    const read = yield* readCase(context, item, scope, [...before])
    if (read === undefined) continue
    branches.push(read)
    before.push(...read.whenFalse)
    if (read.case) cases.push(read.case)
  }
  if (!otherwise && !problems.hasErrorIn(value))
    problems.add('W402', 'nothing happens when no case holds', entry.key, 'add an else')
  const last = scope.inside({ given: before })
  const elseSteps = otherwise ? yield* context.readSequence(context, otherwise.value, last) : []
  const ways = [...branches, { branch: last, steps: elseSteps }]
  scope.adoptOneOf(
    ways.filter(({ steps }) => !steps.some(endsRun)).map(({ branch }) => branch),
    ways.map(({ branch }) => branch),
  )
  return { part: { action: 'switch', cases, else: elseSteps } }
}

function* readCase(context: Context, node: Node, scope: Scope, given: readonly Fact[]) {
  const fields = readFields(context.problems, node, grammar.case)
  const whenEntry = fields?.get('when')
  const stepsEntry = fields?.get('steps')
  const when = whenEntry && compileCondition(context, scope.inside({ given }), whenEntry)
  const branch = scope.inside({ given: [...given, ...(when?.whenTrue ?? [])] })
  const steps = stepsEntry ? yield* context.readSequence(context, stepsEntry.value, branch) : []
  const program = when?.program
  return { branch, steps, whenFalse: when?.whenFalse ?? [], case: program && { when: program, steps } }
}

export function* readWait(
  context: Context,
  { value }: Entry,
  scope: Scope,
): Sliced<ActionResult<Own<WaitStep, 'wait'>>> {
  if (value.kind === 'map') {
    const until = readFields(context.problems, value, grammar.wait)?.get('until')
    const time = until && (yield* timeTemplate(context, until.value, scope))
    return { part: time && { action: 'wait', wait: { until: time } } }
  }
  const durationMs = yield* durationTemplate(context, value, scope)
  if (durationMs) checkTimeFits(context, value, durationMs, scope, 'wait')
  return { part: durationMs && { action: 'wait', wait: { durationMs } } }
}

/** A duration that may be an expression; literals as milliseconds. */
export function* durationTemplate(
  context: Context,
  node: Node,
  scope: Scope,
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
  context.problems.add('E310', `${what} needs a duration, not ${given(node, type)}`, node, hint)
  return undefined
}

function* timeTemplate(context: Context, node: Node, scope: Scope): Sliced<Template | undefined> {
  const { template, type } = yield* compileValue(context, scope, node)
  if (template.kind === 'literal') {
    if (typeof template.value === 'string' && parseTimeMs(template.value) !== undefined) return template
    const meantMs = typeof template.value === 'string' ? parseOverlongTimeMs(template.value) : undefined
    if (meantMs !== undefined) {
      const meant = new Date(meantMs).toISOString()
      context.problems.add('W411', `there is no such time: it is taken for ${meant}`, node, timeHint)
      return { kind: 'literal', value: meant }
    }
    if (type.kind === 'dyn') return undefined
  } else if (explainMismatch(type, timestamp) === undefined || explainMismatch(type, string) === undefined)
    return template
  context.problems.add('E310', `\`until\` needs a timestamp, not ${given(node, type)}`, node, timeHint)
  return undefined
}

const given = (node: Node, type: Type): string =>
  node.kind === 'scalar' && !String(node.value).includes('${{')
    ? JSON.stringify(node.value)
    : typeInWords(type)

export function* readReturn(
  context: Context,
  entry: Entry,
  scope: Scope,
): Sliced<ActionResult<Own<ReturnStep, 'return'>>> {
  checkMayEnd(context, entry, scope)
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, entry.value))
  context.returns.push(type)
  return { part: { action: 'return', return: template }, recorded: type }
}

const failCodes = { unknown: 'E106', missing: 'E106', misfit: 'E106' } as const

export function* readFail(
  context: Context,
  entry: Entry,
  scope: Scope,
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
    `\`fail\` must be a text, not ${describe(entry.value)}`,
    entry.value,
    'say why the run fails',
  )
  return { part: undefined }
}

function checkMayEnd(context: Context, { name, key }: Entry, scope: Scope): void {
  if (!scope.place.isFinally) return
  context.problems.add(
    'E113',
    `\`${name}\` cannot stand in \`finally\``,
    key,
    'the end of the run is decided already',
  )
}
