import { dyn, nullType, typeOfSchema, union, type Type } from '../../expression/index.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { CallablePlaybooks } from '../scope/callable-playbooks.ts'
import { longestEndMs } from '../scope/check-times.ts'
import { contentHash } from '../language/content-hash.ts'
import type { Context, KnownConnection, KnownNames } from '../scope/context.ts'
import type { Node } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { describe, readFields, type Fields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import type { ReadObserver } from '../template/observer.ts'
import { keptValue } from '../template/kept-value.ts'
import { openSourceInSlices } from '../yaml/open-source.ts'
import type { Inputs, Playbook, Step } from '../language/playbook.ts'
import type { Problem, Problems } from '../language/problem.ts'
import { typeOfInputs } from '../steps/read-call.ts'
import { readConcurrency } from './read-concurrency.ts'
import { readDefaults, readHead } from './read-head.ts'
import { readInputs, readWrittenSchema } from '../steps/read-inputs.ts'
import { readBranches, readSequence } from '../steps/read-steps.ts'
import { readTriggers } from './read-triggers.ts'
import { errorNames, finallyNames, queueNames, runNames, Scope } from '../scope/scope.ts'
import type { SourceText } from '../language/source-text.ts'
import { endsRun, reportUnusedOutputs } from '../check/step-advice.ts'
import { collectStepIds } from '../scope/step-ids.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

/** What the patterns of a playbook may weigh, which are compiled when it is read; an expression may have a tenth of it. */
const maxPatternWeight = 100_000

export interface ParseOptions {
  /** Shown with the problems. */
  readonly file?: string | undefined
  /** The installed skills. Without it skills are taken as they come: for looking at a playbook, not for running it. */
  readonly catalogue?: Catalogue | undefined
  /** The connections of the organization it shall run for; without them connections are not checked. */
  readonly connections?: readonly KnownConnection[] | undefined
  /** The names that there are on a server, where it is for any organization; see `connections`. */
  readonly known?: KnownNames | undefined
  /** The playbooks that can be called; without them calls are not checked. */
  readonly playbooks?: CallablePlaybooks | undefined
  /** Names of the playbooks that lead to this one; see `CallablePlaybooks.find`. */
  readonly callers?: readonly string[] | undefined
  readonly observer?: ReadObserver | undefined
}

export interface ParsedPlaybook {
  /** Undefined exactly if one of the problems is an error. */
  readonly playbook: Playbook | undefined
  /** All that was found, by place. */
  readonly problems: readonly Problem[]
  /** Names of the playbooks that it calls, also if it has mistakes. */
  readonly calls: readonly string[]
}

/**
 * Reads and checks a playbook. Never throws, whatever the source: everything wrong with it becomes a problem at its place.
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
  // An editor wants to know what is there, also where it is wrong.
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
  const head = readHead(problems, fields)
  const limits = { problems, patterns: { left: maxPatternWeight } }
  const inputsEntry = fields.get('inputs')
  const inputs: Inputs = inputsEntry ? yield* readInputs(limits, inputsEntry) : new Map()
  const on = fields.get('on')
  const alertEntry = fields.get('alert')
  const alertSchema = alertEntry && readWrittenSchema(limits, alertEntry)
  const context: Context = {
    ...limits,
    source,
    catalogue: options.catalogue,
    connections: options.connections,
    known: options.known,
    observer: options.observer,
    ids: collectStepIds(root, source, problems),
    readSequence,
    readBranches,
    defaults: readDefaults(problems, fields, {
      catalogue: options.catalogue,
      connections: options.connections ?? options.known?.connections,
    }),
    playbooks: options.playbooks,
    callers: [...(options.callers ?? []), head.name],
    // Nothing is said about `alert` where it is only missing because `on` is wrong.
    hasAlert: on?.value.kind !== 'map' || on.value.entries.some(({ name }) => name === 'alert'),
    calls,
    returns: [],
    readSteps: new Set(),
    producers: [],
  }
  if (alertEntry && !context.hasAlert) {
    problems.add('E112', '`alert` says what alerts hold, and none starts this playbook', alertEntry.key)
  }
  const surroundings = {
    alertData: context.hasAlert ? (alertSchema ? typeOfSchema(alertSchema) : dyn) : undefined,
    inputs: inputsEntry ? typeOfInputs(inputs, 'resolved') : undefined,
  }
  const triggers = readTriggers(
    context,
    on?.value,
    inputs,
    queueNames({ ...surroundings, inputs: undefined }),
  )
  const concurrency = fields.get('concurrency')
  const body = yield* readBody(context, fields, runNames(surroundings), head.timeoutMs)
  const playbook = {
    ...head,
    ...triggers,
    hash: contentHash(text),
    source: text,
    inputs,
    alertSchema,
    concurrency:
      concurrency && (yield* readConcurrency(context, concurrency.value, queueNames(surroundings))),
    ...body,
    calls: [...calls],
  }
  if (!problems.hasErrors) reportUnusedOutputs(context)
  return playbook
}

type Body = Pick<Playbook, 'steps' | 'onError' | 'finally' | 'outputs' | 'outputType'>

/** All lists of steps, and what comes of them. */
function* readBody(
  context: Context,
  fields: Fields,
  names: Readonly<Record<string, Type>>,
  timeoutMs: number,
): Sliced<Body> {
  const scope = new Scope(names, { timeLimit: { ms: timeoutMs, of: 'run' } })
  function* list(name: string, inner: Scope): Sliced<readonly Step[]> {
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
  const errorScope = new Scope({ ...names, ...errorNames }, { timeLimit: endLimit })
  errorScope.adopt(scope, true)
  const onError = yield* list('on_error', errorScope)
  const finalScope = new Scope({ ...names, ...finallyNames }, { isFinally: true, timeLimit: endLimit })
  finalScope.adopt(errorScope, true)
  const last = yield* list('finally', finalScope)
  const endsByReturn = outputs === undefined && steps.some(endsRun)
  const types = [...(endsByReturn ? [] : [given?.type ?? nullType]), ...context.returns]
  return { steps, onError, finally: last, outputs: given?.template, outputType: union(types) }
}

function* readOutputs(context: Context, node: Node, scope: Scope): Sliced<TypedTemplate | undefined> {
  if (node.kind === 'map') return keptValue(context.problems, yield* compileValue(context, scope, node))
  context.problems.add('E106', `\`outputs\` must be a map of values, not ${describe(node)}`, node)
  return undefined
}
