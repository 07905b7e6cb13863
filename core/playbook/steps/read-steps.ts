import { merged, type StepMasks } from '../../domain/mask.ts'
import { dyn, isSensitive, list, union, type Type } from '../../expression/index.ts'
import { checkFit } from '../check/check-fit.ts'
import type { Context } from '../scope/context.ts'
import type { Entry, MapNode, Node } from '../yaml/document.ts'
import { compileCondition, compileValue, type Condition } from '../template/expressions.ts'
import { describe, headOf, readDuration, readFields, readText, type Fields } from '../template/fields.ts'
import {
  actions,
  belongsTo,
  defaultForeach,
  defaultSkillTimeoutMs,
  grammar,
  isAction,
  type Action,
} from '../language/grammar.ts'
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
  readWait,
  type ActionResult,
} from './read-actions.ts'
import { readCall } from './read-call.ts'
import { readCheckpoint } from './read-checkpoint.ts'
import { readForeach } from './read-foreach.ts'
import { readRepeat } from './read-repeat.ts'
import { readUses } from './read-uses.ts'
import { errorNames, stepProperty, type Scope } from '../scope/scope.ts'
import type { Span } from '../language/source-text.ts'
import { widened, withoutOptionals } from '../template/type-forms.ts'
import { adviseParallel, endsRun, endsRunIfRun, endsRunOnError } from '../check/step-advice.ts'
import type { Sliced } from '../../common/sliced.ts'

/** Steps in order: each sees those before it. What they add stays in the scope. */
export function* readSequence(context: Context, node: Node, scope: Scope): Sliced<readonly Step[]> {
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
        headOf(item),
        'an earlier step always ends the run',
      )
    steps.push({ step, node: item, index })
    ended = ended || endsRun(step)
  }
  adviseParallel(context, steps)
  return steps.map(({ step }) => step)
}

/** Steps at once: each sees what was before all of them, and none of the others. */
export function* readBranches(context: Context, node: Node, scope: Scope): Sliced<readonly Step[]> {
  const steps: Step[] = []
  const branches: Scope[] = []
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

function itemsOf({ problems }: Context, node: Node): readonly Node[] {
  if (node.kind !== 'list') {
    problems.add('E106', `steps are written as a list, not as ${describe(node)}`, node, hintForSteps(node))
    return []
  }
  if (node.items.length === 0) problems.add('E106', 'there are no steps here', headOf(node))
  return node.items
}

function hintForSteps(node: Node): string {
  if (node.kind === 'scalar' && (node.value === 'continue' || node.value === 'fail'))
    return `on_error: ${node.value} is said of a step; here stands a list of steps`
  const [first] = node.kind === 'map' ? node.entries : []
  if (first !== undefined && grammar.step.keys.some((key) => key === first.name)) {
    return `begin each step with -, as in - ${first.name}: …`
  }
  if (first === undefined || first.value.kind !== 'map') return 'begin each step with -'
  return `begin each step with -, and give its name as id: - id: ${first.name}`
}

/** What the items of a foreach will be called. */
function itemNames(fields: Fields): readonly string[] {
  const as = fields.get('as')?.value
  return [as?.kind === 'scalar' ? String(as.value) : defaultForeach.as, 'index']
}

const unconditional: Condition = { program: undefined, whenTrue: [], whenFalse: [] }

function* readStep(context: Context, node: Node, index: number, outer: Scope): Sliced<Step | undefined> {
  const fields = readFields(context.problems, node, grammar.step)
  if (fields === undefined || node.kind !== 'map') return undefined
  const action = chooseAction(context, node, fields)
  if (action) checkBelonging(context, fields, action)
  const id = idOf(context, fields)
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
  const result = action && (yield* readAction(context, action, fields, body))
  const repeatEntry = fields.get('repeat')
  const repeat = repeatEntry && readRepeat(context, repeatEntry, body, result?.output)
  warnOfTimeout(context, fields, action)
  if (repeat) body.learn(repeat.certain)

  const output = result?.output && foreach ? list(result.output) : result?.output
  const defaulted =
    fields.get('default') && (yield* readDefault(context, fields.get('default')!, scope, action, output))
  const onError = yield* readOnError(context, fields.get('on_error'), scope, foreach ? scope : body)
  const mayNotRun = ifEntry !== undefined || !endsRunOnError({ onError }) || isSkippedOnCrash(result)
  if (!foreach) outer.adopt(body, mayNotRun)
  outer.adopt(scope, true)
  if (id !== null) {
    const type = result?.output === undefined ? (result ? undefined : dyn) : (defaulted?.type ?? output)
    const outputIsOptional = mayNotRun && fields.get('default') === undefined
    const isForeach = foreachEntry !== undefined
    outer.add(id, stepProperty({ output: type, outputIsOptional, mayNotRun, isForeach }))
  }
  noteProducer(context, id, action, result, node, fields)
  // What is broken has been reported, and would only lead to false advice about the steps around it.
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
    repeat: repeat?.repeat,
    place: context.source.place(node.start),
  }
  // The parts of each action fit their own kind of step; the union over all of them is what cannot be written down.
  const step = { ...common, ...masksOf(result, defaulted?.type), ...result.part } as Step
  adviseDestructive(context, step, { foreach: foreachEntry?.key, repeat: repeatEntry?.key })
  // Whoever comes past `if: x` with what always ends the run knows that x did not hold.
  if (endsRunIfRun(step)) outer.learn(condition.whenFalse)
  return step
}

/** Where something sensitive stands in what is recorded of the step; of a `foreach`, of each item. */
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

function chooseAction({ problems }: Context, node: MapNode, fields: Fields): Action | undefined {
  const present = [...fields.keys()].filter(isAction)
  const [first, second] = present
  if (second !== undefined) {
    const others = present.slice(1).map((name) => `\`${name}\``)
    const message = `a step does one thing: \`${first}\` stands beside ${others.join(' and ')}`
    problems.add('E109', message, fields.get(second)!.key, 'make them steps of their own')
  }
  const hasUnread = node.entries.some(({ name }) => !fields.has(name))
  // A mistyped or unsupported action has been reported under its own name.
  if (first === undefined && !hasUnread && !problems.hasErrorIn(node)) {
    const hint = fields.has('with')
      ? 'add uses: <plugin>.<skill>, or call: <playbook>, which take `with`'
      : `add one of ${actions.join(', ')}`
    problems.add('E109', 'the step does nothing', headOf(node), hint)
  }
  return first
}

function checkBelonging({ problems }: Context, fields: Fields, action: Action): void {
  for (const [name, { key }] of fields) {
    const owners = belongsTo[name]
    if (
      owners === undefined ||
      owners.includes(action) ||
      (owners.includes('foreach') && fields.has('foreach'))
    )
      continue
    const isElse = name === 'else' && fields.has('if')
    const hint = isElse
      ? 'write a switch: with - when: … and steps: …, which has an else'
      : `it goes with ${owners.map((owner) => `\`${owner}\``).join(', ')}`
    problems.add('E112', `\`${name}\` does not belong to a step with \`${action}\``, key, hint)
  }
}

function idOf({ ids }: Context, fields: Fields): string | null {
  const node = fields.get('id')?.value
  const value = node?.kind === 'scalar' ? node.value : undefined
  // Bad and duplicate ids have been reported; the first step keeps the id.
  return typeof value === 'string' && ids.has(value) && isOwner(ids.get(value)!.span, node!) ? value : null
}

const isOwner = (step: Span, id: Span): boolean => step.start <= id.start && step.end >= id.end

function* readAction(
  context: Context,
  action: Action,
  fields: Fields,
  scope: Scope,
): Sliced<(ActionResult<object> & { readonly isRead?: boolean }) | undefined> {
  const entry = fields.get(action)!
  switch (action) {
    case 'uses':
      return yield* readUses(context, entry, fields, scope)
    case 'set':
      return yield* readSet(context, entry, scope)
    case 'steps':
      return yield* readGroup(context, entry, scope)
    case 'parallel':
      return yield* readParallel(context, entry, fields, scope)
    case 'switch':
      return yield* readSwitch(context, entry, fields, scope)
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

/** Of a skill the default has to fit the schema; what is `set`, or called, has none: the output is then one or the other. */
function* readDefault(
  context: Context,
  { value }: Entry,
  scope: Scope,
  action: Action | undefined,
  output: Type | undefined,
): Sliced<{ readonly template: Template; readonly type: Type }> {
  const given = yield* compileValue(context, scope, value)
  if (output === undefined) return keptValue(context.problems, given)
  const isFree = action === 'set' || action === 'call'
  const fits = checkFit(context.problems, given, isFree ? widened(output) : output, '', defaultCodes, value)
  const type = fits && !isFree && !isSensitive(given.type) ? output : union([output, given.type])
  return { template: given.template, type: withoutOptionals(type) }
}

/** The steps of `on_error` see what had run inside of the failed step (`body`), and the error. */
function* readOnError(
  context: Context,
  entry: Entry | undefined,
  scope: Scope,
  body: Scope,
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
  const message = '`on_error` must be fail, continue or a list of steps'
  const hint = value.kind === 'scalar' ? 'write continue to go on after a failure' : undefined
  context.problems.add(value.kind === 'scalar' ? 'E107' : 'E106', message, value, hint)
  return 'fail'
}

function timeoutOf(context: Context, fields: Fields, action: Action | undefined): number | undefined {
  const entry = fields.get('timeout')
  const own = entry && readDuration(context.problems, entry)
  return own ?? (action === 'uses' ? (context.defaults.timeoutMs ?? defaultSkillTimeoutMs) : undefined)
}

/** The time of a group is that of one round, which is easily taken for that of all. */
function warnOfTimeout({ problems }: Context, fields: Fields, action: Action | undefined): void {
  const timeout = fields.get('timeout')
  const loop = ['repeat', 'foreach'].find((name) => fields.has(name))
  const isGroup = action === 'steps' || action === 'parallel' || action === 'switch' || action === 'call'
  if (timeout === undefined || loop === undefined || !isGroup) return
  const each = loop === 'repeat' ? 'each time anew' : 'for each item anew'
  const hint = 'for all of them, put it on a group around this step; for each of them, on a group inside'
  problems.add('W423', `with \`${loop}\`, this timeout counts ${each}`, timeout.value, hint)
}

const textOf = ({ problems }: Context, entry: Entry | undefined): string | undefined =>
  entry && readText(problems, entry)

/** Remembers steps that are there for their output alone. */
function noteProducer(
  { producers }: Context,
  id: string | null,
  action: Action | undefined,
  result: { readonly isRead?: boolean } | undefined,
  node: MapNode,
  fields: Fields,
): void {
  if (action !== 'set' && !(action === 'uses' && result?.isRead === true)) return
  const what = action === 'set' ? 'what this step sets' : 'the output of this step'
  producers.push({ id, span: fields.get('id')?.value ?? headOf(node), what })
}
