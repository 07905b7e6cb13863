import { merged, type StepMasks } from '../../domain/mask.ts'
import { dyn, isSensitive, list, union, type Type } from '../../expression/index.ts'
import { checkFit } from '../check/check-fit.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { compileCondition, compileValue, type CompiledCondition } from '../template/expressions.ts'
import { describe, headSpan, readDuration, readFields, readText, type Fields } from '../template/fields.ts'
import { belongsTo, grammar } from '../language/grammar.ts'
import { defaultForeach, defaultSkillTimeoutMs } from '../language/constants.ts'
import { stepConditions, type Action } from '../language/step-keys.ts'
import { adviseDestructive } from '../check/destructive-advice.ts'
import { keptValue } from '../template/kept-value.ts'
import { maskOfType } from '../check/mask-of-type.ts'
import type { Step, Template, UsesStep } from '../language/playbook.ts'
import {
  readFail,
  readGroup,
  readParallel,
  readReturn,
  readSet,
  readSwitch,
  withOutput,
  type ActionResult,
} from './read-actions.ts'
import { readCall } from './read-call.ts'
import { readCheckpoint } from './read-checkpoint.ts'
import { readForeach } from './read-foreach.ts'
import { readStepRate, warnOfRate } from './read-rate.ts'
import { readRepeat } from './read-repeat.ts'
import { readStateStep } from './read-state-step.ts'
import { readWait } from '../waits/read-wait.ts'
import { readUses } from './read-uses.ts'
import { checkBelonging, chooseAction, stepIdOf } from './read-step-head.ts'
import { errorNames, stepProperty, type NameScope } from '../scope/scope.ts'
import { withoutEnumerations, withoutOptionals } from '../template/type-forms.ts'
import {
  adviseParallel,
  endsRun,
  endsRunIfRun,
  endsRunOnError,
  noteProducer,
  warnOfTimeout,
} from '../check/step-advice.ts'
import type { Sliced } from '../../common/sliced.ts'

/** Reads steps in order: each sees the ones before it. */
export function* readSequence(context: ReadContext, node: Node, scope: NameScope): Sliced<readonly Step[]> {
  const steps: { readonly step: Step; readonly node: Node; readonly index: number }[] = []
  let ended = false
  for (const [index, item] of itemsOf(context, node).entries()) {
    yield
    const step = yield* readStep(context, item, index, scope)
    if (step === undefined) continue
    if (ended)
      context.problems.add(
        'W401',
        'this step never runs',
        headSpan(item),
        'an earlier step always ends the run',
      )
    steps.push({ step, node: item, index })
    ended = ended || endsRun(step)
  }
  adviseParallel(context, steps)
  return steps.map(({ step }) => step)
}

/** Reads parallel steps: each sees the steps before all of them, but none of the others. */
export function* readBranches(context: ReadContext, node: Node, scope: NameScope): Sliced<readonly Step[]> {
  const steps: Step[] = []
  const branches: NameScope[] = []
  for (const [index, item] of itemsOf(context, node).entries()) {
    const branch = scope.inside({})
    yield
    const step = yield* readStep(context, item, index, branch)
    branches.push(branch)
    if (step) steps.push(step)
  }
  for (const branch of branches) scope.adopt(branch, false)
  return steps
}

function itemsOf({ problems }: ReadContext, node: Node): readonly Node[] {
  if (node.kind !== 'list') {
    problems.add('E106', `expected a list of steps, found ${describe(node)}`, node, hintForSteps(node))
    return []
  }
  if (node.items.length === 0) problems.add('E106', 'the list of steps is empty', headSpan(node))
  return node.items
}

function hintForSteps(node: Node): string {
  if (node.kind === 'scalar' && (node.value === 'continue' || node.value === 'fail'))
    return `put on_error: ${node.value} on a step; expected a list of steps here`
  const [first] = node.kind === 'map' ? node.entries : []
  if (first !== undefined && grammar.step.keys.some((key) => key === first.name)) {
    return `begin each step with -, as in - ${first.name}: …`
  }
  if (first === undefined || first.value.kind !== 'map') return 'begin each step with -'
  return `begin each step with -, and give its name as id: - id: ${first.name}`
}

/** The names of the items of a foreach. */
function itemNames(fields: Fields): readonly string[] {
  const as = fields.get('as')?.value
  return [as?.kind === 'scalar' ? String(as.value) : defaultForeach.as, 'index']
}

const unconditional: CompiledCondition = { program: undefined, whenTrue: [], whenFalse: [] }

function* readStep(
  context: ReadContext,
  node: Node,
  index: number,
  outer: NameScope,
): Sliced<Step | undefined> {
  const fields = readFields(context.problems, node, grammar.step)
  if (fields === undefined || node.kind !== 'map') return undefined
  const action = chooseAction(context, node, fields)
  if (action) checkBelonging(context, fields, action)
  const id = stepIdOf(context, fields)
  const scope = outer.inside({ current: node })

  const ifEntry = fields.get('if')
  const foreachEntry = fields.get('foreach')
  const asked = foreachEntry ? scope.inside({ beforeItems: itemNames(fields) }) : scope
  const condition = ifEntry ? compileCondition(context, asked, ifEntry) : unconditional
  const foreach = foreachEntry && (yield* readForeach(context, foreachEntry, fields, scope))
  const timeoutMs = timeoutOf(context, fields, action)
  const isLimited = timeoutMs !== undefined && action && belongsTo['timeout']!.includes(action)
  const timeLimit = isLimited ? { ms: timeoutMs, of: 'steps' as const } : undefined
  const body = scope.inside({ names: foreach?.names, given: condition.whenTrue, timeLimit })
  const rate = yield* readStepRate(context, fields.get('rate'), id, body)
  const result = action && (yield* readAction(context, action, fields, body))
  const repeatEntry = fields.get('repeat')
  const repeat = repeatEntry && readRepeat(context, repeatEntry, body, result?.output)
  warnOfTimeout(context, fields, action)
  if (repeat) body.learn(repeat.certain)

  const output = result?.output && foreach ? list(result.output) : result?.output
  const defaulted =
    fields.get('default') && (yield* readDefault(context, fields.get('default')!, scope, action, output))
  const onError = yield* readOnError(context, fields.get('on_error'), scope, foreach ? scope : body)
  const isConditional = stepConditions.some((key) => fields.has(key))
  const mayNotRun = isConditional || !endsRunOnError({ onError }) || isSkippedOnCrash(result)
  if (!foreach) outer.adopt(body, mayNotRun)
  outer.adopt(scope, true)
  if (id !== null) {
    const type = result?.output === undefined ? (result ? undefined : dyn) : (defaulted?.type ?? output)
    const outputIsOptional = mayNotRun && fields.get('default') === undefined
    const isForeach = foreachEntry !== undefined
    outer.add(id, stepProperty({ output: type, outputIsOptional, mayNotRun, isForeach }))
  }
  noteProducer(context, id, action, result, node, fields)
  // An invalid step, which has been reported, would cause misleading advice.
  if (result?.part === undefined || (ifEntry && !condition.program) || (repeatEntry && !repeat))
    return undefined
  const common = {
    id,
    key: id ?? String(index),
    name: textOf(context, fields.get('name')),
    if: condition.program,
    timeoutMs,
    onError,
    default: defaulted?.template,
    foreach: foreach?.foreach,
    rate,
    repeat: repeat?.repeat,
    place: context.source.place(node.start),
  }
  // Each action fits its own kind of step, which TypeScript cannot express for the union.
  const step = { ...common, ...masksOf(result, defaulted?.type), ...result.part } as Step
  warnOfRate(context, fields.get('rate'), step, scope)
  adviseDestructive(context, step, { foreach: foreachEntry?.key, repeat: repeatEntry?.key })
  // After `if: x` with a step that always ends the run, x is known to be false.
  if (endsRunIfRun(step)) outer.learn(condition.whenFalse)
  return step
}

/** The sensitive parts of the recorded step; for a `foreach`, of each item. */
function masksOf(
  { output, recorded, given, reference }: ActionResult<object>,
  preset: Type | undefined,
): { readonly sensitive?: StepMasks } {
  const types = [recorded ?? output, preset].filter((type) => type !== undefined)
  const found = { input: given, output: merged(...types.map(maskOfType)), reference }
  const masks = Object.fromEntries(Object.entries(found).filter(([, mask]) => mask !== undefined))
  return Object.keys(masks).length === 0 ? {} : { sensitive: masks }
}

/** `on_interrupted: skip`. */
function isSkippedOnCrash(result: ActionResult<object> | undefined): boolean {
  const part: Partial<Pick<UsesStep, 'onInterrupted'>> | undefined = result?.part
  return part?.onInterrupted === 'skip'
}

function* readAction(
  context: ReadContext,
  action: Action,
  fields: Fields,
  scope: NameScope,
): Sliced<
  (ActionResult<object> & { readonly isRead?: boolean; readonly isComparison?: boolean }) | undefined
> {
  const entry = fields.get(action)!
  switch (action) {
    case 'uses':
      return yield* readUses(context, entry, fields, scope)
    case 'set':
      return yield* readSet(context, entry, scope)
    case 'state':
      return yield* readStateStep(context, entry, scope)
    case 'steps':
      return yield* withOutput(context, fields, scope, yield* readGroup(context, entry, scope))
    case 'parallel':
      return yield* withOutput(context, fields, scope, yield* readParallel(context, entry, fields, scope))
    case 'switch':
      return yield* withOutput(context, fields, scope, yield* readSwitch(context, entry, fields, scope))
    case 'checkpoint':
      return yield* readCheckpoint(context, entry, scope)
    case 'call':
      return yield* readCall(context, entry, fields, scope)
    case 'wait':
      return yield* readWait(context, entry, scope)
    case 'return':
      return yield* readReturn(context, entry, scope)
    case 'fail':
      return yield* readFail(context, entry, scope)
  }
}

const defaultCodes = { unknown: 'E308', missing: 'E308', misfit: 'E308' } as const

/** The default of a skill must fit its output schema; for other actions the output is a union of both. */
function* readDefault(
  context: ReadContext,
  { value }: Entry,
  scope: NameScope,
  action: Action | undefined,
  output: Type | undefined,
): Sliced<{ readonly template: Template; readonly type: Type }> {
  const given = yield* compileValue(context, scope, value)
  if (output === undefined) return keptValue(context.problems, given)
  const isFree = action !== 'uses' && action !== 'checkpoint'
  const fits = checkFit(
    context.problems,
    given,
    isFree ? withoutEnumerations(output) : output,
    '',
    defaultCodes,
    value,
  )
  const type = fits && !isFree && !isSensitive(given.type) ? output : union([output, given.type])
  return { template: given.template, type: withoutOptionals(type) }
}

/** The steps of `on_error` see the steps inside the failed step (`body`), and the error. */
function* readOnError(
  context: ReadContext,
  entry: Entry | undefined,
  scope: NameScope,
  body: NameScope,
): Sliced<Step['onError']> {
  if (entry === undefined) return 'fail'
  const { value } = entry
  if (value.kind === 'list') {
    const handler = scope.inside({ names: errorNames })
    handler.adopt(body, true)
    const steps = yield* readSequence(context, value, handler)
    scope.adopt(handler, true)
    return steps
  }
  if (value.kind === 'scalar' && (value.value === 'fail' || value.value === 'continue')) return value.value
  const message = 'expected fail, continue or a list of steps for `on_error`'
  const hint = value.kind === 'scalar' ? 'write continue to proceed after a failure' : undefined
  context.problems.add(value.kind === 'scalar' ? 'E107' : 'E106', message, value, hint)
  return 'fail'
}

function timeoutOf(context: ReadContext, fields: Fields, action: Action | undefined): number | undefined {
  const entry = fields.get('timeout')
  const own = entry && readDuration(context.problems, entry)
  return own ?? (action === 'uses' ? (context.defaults.timeoutMs ?? defaultSkillTimeoutMs) : undefined)
}

const textOf = ({ problems }: ReadContext, entry: Entry | undefined): string | undefined =>
  entry && readText(problems, entry)
