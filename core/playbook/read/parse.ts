import { dyn, nullType, typeOfSchema, union, type Type } from '../../expression/index.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { longestEndMs } from '../scope/check-times.ts'
import { contentHash, type SourceText, type Span } from '../language/source-text.ts'
import type {
  CallablePlaybooks,
  ReadContext,
  KnownConnection,
  KnownNames,
  ParsedPlaybook,
} from '../scope/context.ts'
import type { Node } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { describe, readChoice, readFields, type Fields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { isFor } from '../check/owner.ts'
import type { ReadObserver } from '../template/observer.ts'
import { keptValue } from '../template/kept-value.ts'
import { openSourceInSlices } from '../yaml/open-source.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Concurrency, Inputs, Playbook, PlaybookMasks, Step } from '../language/playbook.ts'
import type { Problems } from '../language/problem.ts'
import { maskOfSchema, maskOfType } from '../check/mask-of-type.ts'
import { typeOfInputs } from '../steps/read-call.ts'
import { readEventHead } from './read-events.ts'
import { readDefaults, readHead } from './read-head.ts'
import { readShadow } from './read-shadow.ts'
import { readInputs, readWrittenSchema } from '../steps/read-inputs.ts'
import { readBranches, readSequence } from '../steps/read-steps.ts'
import { readPlaybookRate } from '../steps/read-rate.ts'
import { noStates, readState, typeOfState } from './read-state.ts'
import { readTriggers } from './read-triggers.ts'
import {
  errorNames,
  finallyNames,
  queueNames,
  runNames,
  NameScope,
  type Surroundings,
} from '../scope/scope.ts'
import { endsRun, reportUnusedOutputs } from '../check/step-advice.ts'
import { collectStepIds } from '../scope/step-ids.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

/** Maximum weight of all regular expressions of a playbook; a single expression may have a tenth of it. */
const maxPatternWeight = 100_000

export interface ParseOptions {
  /** Shown with the problems. */
  readonly file?: string | undefined
  /** The installed skills. Without it skills are not checked: for viewing a playbook, not for running it. */
  readonly catalogue?: Catalogue | undefined
  /** The connections of the organization that runs it; without them connections are not checked. */
  readonly connections?: readonly KnownConnection[] | undefined
  /** The names on the server, if it is for any organization; see `connections`. */
  readonly known?: KnownNames | undefined
  /** The playbooks that can be called; without them calls are not checked. */
  readonly playbooks?: CallablePlaybooks | undefined
  /** The call chain to this playbook; see `CallablePlaybooks.find`. */
  readonly callers?: readonly string[] | undefined
  readonly observer?: ReadObserver | undefined
}

/**
 * Reads and checks a playbook. Never throws: mistakes become problems at their places.
 *
 * @example
 * const { playbook, problems } = parsePlaybook(await readFile(file), { file, catalogue })
 * for (const problem of problems) console.error(formatProblem(problem, source))
 */
export const parsePlaybook = (source: string | Uint8Array, options: ParseOptions = {}): ParsedPlaybook =>
  runAtOnce(parseInSlices(source, options))

/** {@link parsePlaybook} in time slices. */
export function* parseInSlices(
  source: string | Uint8Array,
  options: ParseOptions = {},
): Sliced<ParsedPlaybook> {
  const {
    text,
    source: body,
    problems,
    root,
  } = yield* openSourceInSlices(source, options.file, options.observer ? 'tolerant' : 'repaired')
  // Editors also need invalid documents.
  if (root) options.observer?.document(root, body)
  const calls = new Set<string>()
  const playbook = root && (yield* readPlaybook(root, text, body, problems, calls, options))
  return {
    playbook: problems.hasErrors ? undefined : playbook,
    problems: problems.list(),
    calls: [...calls],
  }
}

function* readPlaybook(
  root: Node,
  text: string,
  source: SourceText,
  problems: Problems,
  calls: Set<string>,
  options: ParseOptions,
): Sliced<Playbook | undefined> {
  const fields = readFields(problems, root, grammar.playbook)
  if (fields === undefined) return undefined
  const head = readHead({ problems, known: options.known }, fields)
  const known = options.known && namesFor(options.known, head)
  const limits = { problems, patterns: { left: maxPatternWeight } }
  const inputsEntry = fields.get('inputs')
  const inputs: Inputs = inputsEntry ? yield* readInputs(limits, inputsEntry) : new Map()
  const stateEntry = fields.get('state')
  const states = stateEntry ? yield* readState(limits, stateEntry) : noStates
  const { state } = states
  const on = fields.get('on')
  const alertEntry = fields.get('alert')
  const alertSchema = alertEntry && readWrittenSchema(limits, alertEntry)
  const context: ReadContext = {
    ...limits,
    source,
    catalogue: options.catalogue,
    connections: options.connections,
    known,
    organization: head.organization,
    observer: options.observer,
    ids: collectStepIds(root, source, problems),
    readSequence,
    readBranches,
    defaults: readDefaults(problems, fields, {
      catalogue: options.catalogue,
      connections: options.connections ?? known?.connections,
    }),
    playbooks: options.playbooks,
    callers: [...(options.callers ?? []), head.name],
    states,
    // If `on` is invalid, `alert` counts as present to avoid follow-up problems.
    hasAlert: on?.value.kind !== 'map' || on.value.entries.some(({ name }) => name === 'alert'),
    calls,
    returns: [],
    readSteps: new Set(),
    producers: [],
  }
  if (alertEntry && !context.hasAlert) reportUnusedSchema(problems, alertEntry.key)
  const events = readEventHead(limits, on?.value)
  const surroundings = {
    trigger: events.type,
    alertData: context.hasAlert ? (alertSchema ? typeOfSchema(alertSchema) : dyn) : undefined,
    inputs: inputsEntry && typeOfInputs(inputs, 'resolved'),
    state: stateEntry && typeOfState(states),
  }
  const triggers = readTriggers(
    context,
    on?.value,
    inputs,
    queueNames({ ...surroundings, inputs: undefined, trigger: undefined }),
    events,
  )
  const runLimits = yield* readRunLimits(context, fields, queueNames(surroundings))
  const body = yield* readBody(context, fields, runNames(surroundings), head.timeoutMs)
  const playbook = {
    ...head,
    ...triggers,
    hash: contentHash(text),
    source: text,
    inputs,
    state,
    alertSchema,
    ...runLimits,
    ...body,
    masks: masksOf(surroundings, alertSchema, body.outputType),
    calls: [...calls],
  }
  if (!problems.hasErrors) reportUnusedOutputs(context)
  return playbook
}

const reportUnusedSchema = (problems: Problems, at: Span): void =>
  problems.add('E112', '`alert` describes alert content, but no alert starts this playbook', at)

/** Without the connections of other organizations than the one that the playbook belongs to. */
const namesFor = (known: KnownNames, playbook: Pick<Playbook, 'organization'>): KnownNames =>
  playbook.organization === undefined
    ? known
    : {
        ...known,
        connections: known.connections.filter(
          ({ organization }) => organization === undefined || isFor(playbook, organization),
        ),
      }

const masksOf = (
  { inputs, trigger }: Surroundings,
  alert: JsonSchema | undefined,
  output: Type,
): PlaybookMasks => ({
  inputs: inputs && maskOfType(inputs),
  trigger: trigger && maskOfType(trigger),
  alert: alert && maskOfSchema(alert),
  output: maskOfType(output),
})

/** Reads whether the playbook has runs, and what limits them. */
function* readRunLimits(
  context: ReadContext,
  fields: Fields,
  names: Readonly<Record<string, Type>>,
): Sliced<Pick<Playbook, 'shadow' | 'concurrency' | 'rate'>> {
  const concurrency = fields.get('concurrency')
  const rate = fields.get('rate')
  return {
    shadow: yield* readShadow(context, fields, fields.get('on')),
    concurrency: concurrency && (yield* readConcurrency(context, concurrency.value, names)),
    rate: rate && (yield* readPlaybookRate(context, rate, new NameScope(names, { isBefore: true }))),
  }
}

/** Reads `concurrency`. Its key is evaluated when a run is queued, from the alert and inputs. */
function* readConcurrency(
  context: ReadContext,
  node: Node,
  names: Readonly<Record<string, Type>>,
): Sliced<Concurrency | undefined> {
  const { problems } = context
  const fields = readFields(problems, node, grammar.concurrency)
  const key = fields?.get('key')
  const policy = fields?.get('policy')
  const chosen = policy && readChoice(problems, policy, ['queue', 'drop'])
  if (key === undefined) return undefined
  const { template, type } = yield* compileValue(context, new NameScope(names, { isBefore: true }), key.value)
  const isText = type.kind === 'string' || type.kind === 'dyn'
  if (!isText)
    problems.add('E211', 'expected a string for the key of `concurrency`', key.value, 'write string(…)')
  return { key: template, policy: chosen ?? 'queue' }
}

type Body = Pick<Playbook, 'steps' | 'onError' | 'finally' | 'outputs' | 'outputType'>

/** Reads all lists of steps and the outputs. */
function* readBody(
  context: ReadContext,
  fields: Fields,
  names: Readonly<Record<string, Type>>,
  timeoutMs: number,
): Sliced<Body> {
  const { states } = context
  const scope = new NameScope(names, { timeLimit: { ms: timeoutMs, of: 'run' }, states: states.state })
  function* list(name: string, inner: NameScope): Sliced<readonly Step[]> {
    const entry = fields.get(name)
    return entry ? yield* readSequence(context, entry.value, inner) : []
  }
  const steps = yield* list('steps', scope)
  const outputs = fields.get('outputs')
  const given = outputs && (yield* readOutputs(context, outputs.value, scope))
  const endLimit =
    timeoutMs < longestEndMs
      ? ({ ms: timeoutMs, of: 'run' } as const)
      : ({ ms: longestEndMs, of: 'end' } as const)
  const errorScope = new NameScope({ ...names, ...errorNames }, { timeLimit: endLimit, states: states.state })
  errorScope.adopt(scope, true)
  const onError = yield* list('on_error', errorScope)
  const finalScope = new NameScope(
    { ...names, ...finallyNames },
    { isFinally: true, timeLimit: endLimit, states: states.state },
  )
  finalScope.adopt(errorScope, true)
  const last = yield* list('finally', finalScope)
  const endsByReturn = outputs === undefined && steps.some(endsRun)
  const types = [...(endsByReturn ? [] : [given?.type ?? nullType]), ...context.returns]
  return { steps, onError, finally: last, outputs: given?.template, outputType: union(types) }
}

function* readOutputs(context: ReadContext, node: Node, scope: NameScope): Sliced<TypedTemplate | undefined> {
  if (node.kind === 'map') return keptValue(context.problems, yield* compileValue(context, scope, node))
  context.problems.add('E106', `expected a map of values for \`outputs\`, found ${describe(node)}`, node)
  return undefined
}
