import type { ChosenCall } from '../../interface/choose-calls.ts'
import { interfaceNamed } from '../../interface/definitions.ts'
import type { InterfaceCalls } from '../../interface/interface-calls.ts'
import { usedInterface } from '../../interface/interface-skills.ts'
import type { CheckpointStep, Step, UsesStep } from '../../playbook/language/playbook.ts'
import type { WorkOutcome } from '../journal/durable-context.ts'
import { callPath, choicePath, itemPath, outputPath } from '../journal/paths.ts'
import { plainJson } from '../journal/plain-json.ts'
import { templateValue } from '../scope/evaluate.ts'
import { fromOutcome, joined, type Failed, type Flow } from '../scope/flow.ts'
import { advance, fork, type StepScope } from '../scope/scope.ts'
import { approvedInput, performSkill, type CallSettings } from './calls-of.ts'
import { limited } from './limited.ts'
import { attempt, rememberResult, type Walk } from './walk.ts'

/** Calls of an interface that asks several systems at the same time. */
const concurrentCalls = 8

/**
 * Calls the skills that implement an interface. The choice is recorded, so that a replay calls the same ones.
 */
export async function runInterface(
  walk: Walk,
  step: UsesStep,
  of: string,
  path: string,
  scope: StepScope,
): Promise<Flow> {
  const evaluate = () => plainJson(approvedInput(path, scope) ?? templateValue(step.with, scope))
  const chosen = await chooseFor(walk, { step, of, connection: step.connection, path, scope, evaluate })
  if ('state' in chosen) return chosen
  return interfaceNamed(of)?.gathers === undefined
    ? await callOne(walk, step, of, path, scope, chosen)
    : await callAll(walk, step, of, path, scope, chosen)
}

interface Choosing {
  readonly step: Step
  readonly of: string
  readonly connection: string | undefined
  readonly path: string
  readonly scope: StepScope
  /** The input of the interface. */
  readonly evaluate: () => unknown
}

interface Chosen {
  readonly interfaces: InterfaceCalls
  /** The input of the interface. */
  readonly given: unknown
  readonly calls: readonly ChosenCall[]
}

async function chooseFor(
  walk: Walk,
  { step, of, connection, path, scope, evaluate }: Choosing,
): Promise<Chosen | Failed> {
  const fails = async (error: Failed['error']): Promise<Failed> => {
    await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error }))
    return { state: 'failed', error, path }
  }
  const { interfaces } = walk.skills
  if (interfaces === undefined || interfaceNamed(of) === undefined)
    return await fails({ code: 'skill_not_found', message: `the interface '${of}' cannot be used here` })
  const given = attempt(evaluate)
  if ('error' in given) return await fails(given.error)
  const { organizationUuid } = walk.run
  const wanted = { of, input: given.value, connection, organizationUuid, path }
  // Chosen before the journal is read; a recorded choice takes precedence.
  const asked = await interfaces.choose(wanted).then(
    (calls) => () => calls,
    (error: unknown) => () => {
      throw error
    },
  )
  const outcome = await walk.context.remember({
    path: choicePath(path),
    stepId: null,
    kind: 'choice',
    evaluate: () => ({ state: 'completed', output: { interface: of, calls: asked() } }),
  })
  advance(scope, outcome.endedAt)
  if (outcome.state === 'failed') return await fails(outcome.error)
  const { calls } = outcome.output as { readonly calls: readonly ChosenCall[] }
  return { interfaces, given: given.value, calls }
}

/** The call is recorded at the path of the step, like any other call. */
async function callOne(
  walk: Walk,
  step: UsesStep,
  of: string,
  path: string,
  scope: StepScope,
  { interfaces, given, calls }: Chosen,
): Promise<Flow> {
  const [call] = calls
  if (call === undefined) throw new Error(`no call was chosen for '${path}'`)
  const settings = settingsOf(step, call, interfaces)
  const outcome = await performSkill(walk, settings, path, scope, () =>
    interfaces.input(of, call.skill, given),
  )
  if (outcome.state !== 'completed' || outcome.outputUnknown !== undefined) return fromOutcome(outcome, path)
  const mapped = await walk.context.remember({
    path: outputPath(path),
    stepId: null,
    kind: 'output',
    evaluate: () => {
      const output = interfaces.output(of, call.skill, outcome.output, given)
      return { state: 'completed', output: withConnection(of, output, call.connection) }
    },
  })
  advance(scope, mapped.endedAt)
  return fromOutcome(mapped, path)
}

const settingsOf = (
  step: UsesStep,
  { skill, connection }: ChosenCall,
  interfaces: InterfaceCalls,
): CallSettings => ({
  ...step,
  skill,
  connection: connection ?? undefined,
  sensitive: interfaces.masks(skill),
})

/** A new entity belongs to the connection that made it. */
function withConnection(of: string, output: unknown, connection: string | null): unknown {
  const gives = interfaceNamed(of)?.gives
  if (gives === undefined) return output
  const fields = output as Readonly<Record<string, object>>
  return { ...fields, [gives]: { ...fields[gives], connection } }
}

/** Asks all, and joins their lists. Fails only if none gives a result. */
async function callAll(
  walk: Walk,
  step: UsesStep,
  of: string,
  path: string,
  scope: StepScope,
  { interfaces, given, calls }: Chosen,
): Promise<Flow> {
  const startedAt = scope.thread.nowMs
  const outcomes = await limited(calls.length, concurrentCalls, async (index) => {
    const call = calls[index]!
    const settings = { ...settingsOf(step, call, interfaces), id: null }
    const branch = fork(scope)
    return await performSkill(walk, settings, itemPath(callPath(path), index), branch, () =>
      interfaces.input(of, call.skill, given),
    )
  })
  for (const { endedAt } of outcomes) advance(scope, endedAt)
  const cancelled = joined(outcomes.map((outcome) => fromOutcome(outcome, path)))
  if (cancelled?.state === 'run_ends') return cancelled
  const evaluate = () => {
    const results = calls.map((call, index) => resultOf(interfaces, of, given, call, outcomes[index]!))
    const failed = results.flatMap((result) => ('error' in result ? [result.error] : []))
    if (failed.length === results.length) return { state: 'failed' as const, error: failed[0]! }
    return { state: 'completed' as const, output: gathered(of, calls, results) }
  }
  return await rememberResult(walk, step, path, scope, evaluate, startedAt)
}

type Result = { readonly items: readonly object[] } | { readonly error: Failed['error'] }

function resultOf(
  interfaces: InterfaceCalls,
  of: string,
  given: unknown,
  { skill }: ChosenCall,
  outcome: WorkOutcome,
): Result {
  if (outcome.state === 'failed') return { error: outcome.error }
  if (outcome.state === 'skipped' || outcome.outputUnknown !== undefined)
    return { error: { code: 'step_interrupted', message: 'the call was interrupted and skipped' } }
  const mapped = attempt(() => interfaces.output(of, skill, outcome.output, given))
  if ('error' in mapped) return mapped
  return {
    items: (mapped.value as Readonly<Record<string, readonly object[]>>)[interfaceNamed(of)!.gathers!]!,
  }
}

const gathered = (of: string, calls: readonly ChosenCall[], results: readonly Result[]) => ({
  [interfaceNamed(of)!.gathers!]: results.flatMap((result, index) =>
    'error' in result ? [] : result.items.map((item) => ({ ...item, connection: calls[index]!.connection })),
  ),
  sources: results.map((result, index) => ({
    ...calls[index]!,
    ok: !('error' in result),
    error: 'error' in result ? result.error.message : null,
  })),
  incomplete: results.some((result) => 'error' in result),
})

/** The checkpoint with its skill. If it asks through an interface, the skill is chosen once and recorded. */
export async function chosenCheckpoint(
  walk: Walk,
  step: CheckpointStep,
  path: string,
  scope: StepScope,
): Promise<CheckpointStep | Failed> {
  const of = usedInterface(step.via)
  if (of === undefined) return step
  const evaluate = () => plainJson(templateValue(step.with, scope))
  const chosen = await chooseFor(walk, { step, of, connection: step.connection, path, scope, evaluate })
  if ('state' in chosen) return chosen
  const { interfaces, given, calls } = chosen
  const { skill: via, connection } = calls[0]!
  const input = attempt(() => plainJson(interfaces.input(of, via, given)))
  if ('error' in input) {
    await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error: input.error }))
    return { state: 'failed', error: input.error, path }
  }
  const masks = interfaces.masks(via)
  return {
    ...step,
    via,
    connection: connection ?? undefined,
    with: { kind: 'literal', value: input.value },
    sensitive: masks && { ...step.sensitive, input: masks.input, reference: masks.output },
  }
}
