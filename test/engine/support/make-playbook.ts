import type { CaseEvent } from '../../../core/domain/case.ts'
import { compileExpression, dyn, type Program } from '../../../core/expression/index.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { defaultRetry } from '../../../core/playbook/language/constants.ts'
import type {
  Foreach,
  OnInterrupted,
  Playbook,
  RetryPolicy,
  Step,
  Template,
} from '../../../core/playbook/language/playbook.ts'
import type { AskedPeople } from '../../../core/playbook/waits/waits.ts'

/** A step as in YAML; times in milliseconds. */
export interface StepSource {
  readonly id?: string
  readonly sensitive?: Step['sensitive']
  readonly if?: string
  readonly timeoutMs?: number
  readonly onError?: 'fail' | 'continue' | readonly StepSource[]
  readonly default?: unknown
  readonly foreach?: string | readonly unknown[]
  readonly as?: string
  readonly concurrency?: number
  readonly maxItems?: number
  readonly onItemError?: 'fail' | 'continue'
  readonly rate?: { readonly requests: number; readonly perMs: number; readonly policy?: 'wait' | 'fail' }
  readonly uses?: string
  readonly with?: unknown
  readonly retry?: Partial<RetryPolicy>
  readonly onInterrupted?: OnInterrupted
  readonly undo?: { readonly afterMs: number; readonly unless?: string }
  readonly repeat?: { readonly until: string; readonly everyMs: number; readonly max: number }
  readonly checkpoint?: {
    readonly via?: string
    readonly with?: unknown
    readonly answers: readonly string[]
    readonly withinMs: number
    readonly onTimeout?: string
    readonly people?: Partial<Omit<AskedPeople<Template>, 'ask' | 'escalate'>> & {
      readonly ask: unknown
      readonly escalate?: readonly { readonly afterMs: number; readonly ask: unknown }[]
    }
  }
  readonly call?: string
  readonly set?: unknown
  /** Of a group. */
  readonly output?: unknown
  readonly steps?: readonly StepSource[]
  readonly parallel?: readonly StepSource[]
  readonly switch?: readonly { readonly when: string; readonly steps: readonly StepSource[] }[]
  readonly else?: readonly StepSource[]
  readonly wait?: unknown
  readonly until?: unknown
  readonly event?: {
    readonly type?: unknown
    readonly provider?: unknown
    /** Changes of the own case instead. */
    readonly ofCase?: readonly CaseEvent[]
    readonly where?: string
    readonly schema?: JsonSchema
    readonly sinceRun?: boolean
    readonly withinMs: number
    readonly continues?: boolean
  }
  readonly return?: unknown
  readonly fail?: string
}

/** A checked playbook without YAML, so that engine tests do not depend on the parser. */
export function makePlaybook(source: {
  readonly steps: readonly StepSource[]
  readonly onError?: readonly StepSource[]
  readonly finally?: readonly StepSource[]
  readonly outputs?: unknown
  readonly timeoutMs?: number
  readonly name?: string
  readonly inputs?: Playbook['inputs']
  readonly alertSchema?: Playbook['alertSchema']
  readonly masks?: Partial<Playbook['masks']>
}): Playbook {
  return {
    name: source.name ?? 'tested',
    version: undefined,
    description: '',
    hash: 'a'.repeat(64),
    source: '',
    alertTrigger: undefined,
    startedBy: { hand: true, call: true },
    schedule: undefined,
    inputs: source.inputs ?? new Map(),
    state: new Map(),
    alertSchema: source.alertSchema,
    concurrency: undefined,
    onError: makeSteps(source.onError ?? []),
    outputType: dyn,
    masks: { inputs: undefined, alert: undefined, output: undefined, ...source.masks },
    calls: [],
    timeoutMs: source.timeoutMs ?? 86_400_000,
    steps: makeSteps(source.steps),
    finally: makeSteps(source.finally ?? []),
    outputs: source.outputs === undefined ? undefined : makeTemplate(source.outputs),
  }
}

const names = Object.fromEntries(
  'alert inputs run organization now case steps item index error host person event'
    .split(' ')
    .map((name) => [name, dyn]),
)

function makeProgram(source: string): Program {
  const { program, problems } = compileExpression(source, names, { types: 'off' })
  if (!program) throw new Error(`${source}: ${JSON.stringify(problems)}`)
  return program
}

function makeTemplate(value: unknown): Template {
  if (typeof value === 'string' && value.includes('${{')) {
    const parts = value.split(/\$\{\{(.*?)\}\}/)
    if (parts.length === 3 && parts[0] === '' && parts[2] === '') {
      return { kind: 'expression', program: makeProgram(parts[1]!.trim()) }
    }
    return { kind: 'text', parts: parts.map((part, at) => (at % 2 ? makeProgram(part.trim()) : part)) }
  }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(makeTemplate) }
  if (typeof value === 'object' && value !== null) {
    return { kind: 'map', entries: Object.entries(value).map(([key, each]) => [key, makeTemplate(each)]) }
  }
  return { kind: 'literal', value }
}

function makeSteps(sources: readonly StepSource[]): readonly Step[] {
  return sources.map((source, place) => ({ ...baseOf(source, place), ...actionOf(source) }) as Step)
}

function baseOf(source: StepSource, place: number) {
  return {
    id: source.id ?? null,
    key: source.id ?? String(place),
    name: undefined,
    sensitive: source.sensitive,
    if: source.if === undefined ? undefined : makeProgram(source.if),
    timeoutMs: source.timeoutMs,
    onError: typeof source.onError === 'object' ? makeSteps(source.onError) : (source.onError ?? 'fail'),
    default: source.default === undefined ? undefined : makeTemplate(source.default),
    foreach: foreachOf(source),
    rate: source.rate && {
      limit: { requests: source.rate.requests, perMs: source.rate.perMs },
      key: undefined,
      policy: source.rate.policy ?? 'wait',
    },
    repeat: source.repeat && { ...source.repeat, until: makeProgram(source.repeat.until) },
    place: { line: 1, column: 1 },
  }
}

function foreachOf(source: StepSource): Foreach | undefined {
  if (source.foreach === undefined) return undefined
  return {
    items: makeTemplate(source.foreach),
    as: source.as ?? 'item',
    concurrency: source.concurrency ?? 1,
    maxItems: source.maxItems ?? 100,
    onItemError: source.onItemError ?? 'fail',
  }
}

function actionOf(source: StepSource): object {
  const output = source.output === undefined ? {} : { output: makeTemplate(source.output) }
  if (source.uses !== undefined) {
    const retry = { ...defaultRetry, max: 0, backoffMs: 1_000, maxBackoffMs: 60_000, ...source.retry }
    return {
      action: 'uses',
      skill: source.uses,
      with: makeTemplate(source.with ?? {}),
      connection: undefined,
      retry,
      onInterrupted: source.onInterrupted,
      undo: source.undo && {
        afterMs: source.undo.afterMs,
        unless: source.undo.unless === undefined ? undefined : makeProgram(source.undo.unless),
      },
    }
  }
  if (source.checkpoint) {
    const { via = 'operator', answers, withinMs, onTimeout, with: input, people } = source.checkpoint
    return {
      action: 'checkpoint',
      via,
      with: makeTemplate(input ?? { message: 'Was it you?' }),
      connection: undefined,
      choices: { answers },
      answerWithinMs: makeTemplate(withinMs),
      onTimeout: onTimeout === undefined ? undefined : { answer: onTimeout },
      people: people && {
        quorum: 'all',
        veto: [],
        ...people,
        ask: makeTemplate(people.ask),
        escalate: (people.escalate ?? []).map((each) => ({ ...each, ask: makeTemplate(each.ask) })),
      },
    }
  }
  if (source.call !== undefined) {
    return { action: 'call', playbook: source.call, with: makeTemplate(source.with ?? {}) }
  }
  if (source.set !== undefined) return { action: 'set', set: makeTemplate(source.set) }
  if (source.steps) return { action: 'steps', steps: makeSteps(source.steps), ...output }
  if (source.parallel) {
    const steps = makeSteps(source.parallel)
    return { action: 'parallel', steps, concurrency: source.concurrency ?? steps.length, ...output }
  }
  if (source.switch) {
    const cases = source.switch.map((each) => ({
      when: makeProgram(each.when),
      steps: makeSteps(each.steps),
    }))
    return { action: 'switch', cases, else: makeSteps(source.else ?? []), ...output }
  }
  if (source.wait !== undefined) return { action: 'wait', wait: { durationMs: makeTemplate(source.wait) } }
  if (source.event !== undefined) {
    const {
      type,
      provider,
      ofCase,
      where,
      schema,
      sinceRun = false,
      withinMs,
      continues = false,
    } = source.event
    const event = {
      of: ofCase
        ? { kind: 'case', id: undefined, events: ofCase }
        : {
            kind: 'alert',
            type: type === undefined ? undefined : makeTemplate(type),
            provider: provider === undefined ? undefined : makeTemplate(provider),
          },
      where: where === undefined ? undefined : makeProgram(where),
      schema,
      sinceRun,
      withinMs: makeTemplate(withinMs),
      continues,
    }
    return { action: 'wait', wait: { event } }
  }
  if (source.until !== undefined) return { action: 'wait', wait: { until: makeTemplate(source.until) } }
  if ('return' in source) return { action: 'return', return: makeTemplate(source.return) }
  return { action: 'fail', message: makeTemplate(source.fail ?? '') }
}
