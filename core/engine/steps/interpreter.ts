import { NotFoundError } from '../../errors/errors.ts'
import type { Foreach, Playbook, RepeatSettings, Step } from '../../playbook/language/playbook.ts'
import { runFail, runReturn, runSet, runState, runUses, runWait, untilAdmitted } from './actions.ts'
import { runCall } from './call.ts'
import { checkAlert } from './check-alert.ts'
import type { DurableContext } from '../journal/durable-context.ts'
import { holds, templateValue } from '../scope/evaluate.ts'
import { goesOn, type Failed, type Flow, type RunOutcome } from '../scope/flow.ts'
import { runForeach } from './foreach.ts'
import { runGroup } from './groups.ts'
import { inside, onErrorPath, playbookPath } from '../journal/paths.ts'
import { caseReadsOf } from '../scope/run-case.ts'
import { runRepeated } from './repeat.ts'
import { withState } from '../scope/state-reads.ts'
import { runCheckpoint } from './waits/run-checkpoint.ts'
import { failedRun, runPlaybook, runTimedOut } from './run-playbook.ts'
import {
  emptyThread,
  isOver,
  viewOf,
  withLocals,
  type Deadline,
  type RunNames,
  type StepScope,
} from '../scope/scope.ts'
import type { SkillCallRun, Skills } from '../skills/skill-caller.ts'
import { attempt, rememberResult, type CalledPlaybooks, type Walk } from './walk.ts'

export interface RunInputs {
  readonly run: SkillCallRun
  readonly names: RunNames
  /** Opens the case of the run; idempotent, and rejects like the context. Default: there is a case. */
  readonly openCase?: (() => Promise<unknown>) | undefined
  /** Default: no playbook can be called. */
  readonly playbooks?: CalledPlaybooks | undefined
}

/**
 * Interprets a playbook. Deterministic: depends only on the playbook, the names and the outcomes of the context,
 * never on a clock, randomness or the speed of branches. So a new process with the same journal reaches the same
 * place.
 *
 * Rejects if the context does (RunSuspended), and on bugs.
 */
export async function interpret(
  playbook: Playbook,
  inputs: RunInputs,
  context: DurableContext,
  skills: Skills,
): Promise<RunOutcome> {
  const { run, openCase } = inputs
  const walk: Walk = {
    context,
    skills,
    run,
    openCase,
    runSteps: (steps, prefix, scope) => runSteps(walk, steps, prefix, scope),
    runStep: (step, prefix, scope) => runStep(walk, step, prefix, scope),
    called: createCalled(context, inputs.playbooks),
  }
  // Checked first: neither the steps nor `finally` were validated for another alert.
  const fits = attempt(() => checkAlert(playbook, inputs.names['alert']))
  if ('error' in fits) return failedRun({ error: fits.error, path: '' })
  const outcome = await runPlaybook(walk, playbook, '', rootScope(playbook, inputs, context))
  await context.finish()
  return outcome
}

async function runSteps(walk: Walk, steps: readonly Step[], prefix: string, scope: StepScope): Promise<Flow> {
  for (const step of steps) {
    const flow = await runStep(walk, step, prefix, scope)
    // Checked first: a passed deadline takes precedence over the result of the step.
    if (flow.state !== 'run_ends' && isOver(scope.deadline, scope)) return tooLate(scope.deadline)
    if (!goesOn(flow)) return flow
  }
  return { state: 'completed', output: undefined }
}

/** One step with its condition, items, error handling and default. */
async function runStep(walk: Walk, step: Step, prefix: string, scope: StepScope): Promise<Flow> {
  const path = inside(prefix, step.key)
  const read = await withState(walk, step, path, scope)
  if ('error' in read) return await endStep(walk, step, path, scope, { state: 'failed', ...read, path })
  return await endStep(walk, step, path, read.scope, await unlessSkipped(walk, step, path, read.scope))
}

/** Handles a failure, and makes the result visible. */
async function endStep(walk: Walk, step: Step, path: string, scope: StepScope, flow: Flow): Promise<Flow> {
  const handled = flow.state === 'failed' ? await handleFailure(walk, step, path, scope, flow) : flow
  if (step.id !== null && handled.state !== 'run_ends') scope.thread.steps[step.id] = viewOf(handled)
  return handled
}

async function unlessSkipped(walk: Walk, step: Step, path: string, scope: StepScope): Promise<Flow> {
  if (walk.openCase !== undefined && caseReadsOf(step).before) await walk.openCase()
  const wanted = attempt(() => isWanted(step, scope))
  if ('error' in wanted) {
    return await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error: wanted.error }))
  }
  if (wanted.value) {
    if (walk.openCase !== undefined && caseReadsOf(step).all) await walk.openCase()
    return await runAllItems(walk, step, path, scope)
  }
  const evaluate = () => ({ state: 'skipped' as const, output: defaultOf(step, scope) })
  const flow = await rememberResult(walk, step, path, scope, evaluate, undefined, step.sensitive?.output)
  return flow.state === 'skipped' && !step.default ? { ...flow, output: undefined } : flow
}

/** Whether the conditions of a step let it run. */
function isWanted(step: Step, scope: StepScope): boolean {
  if (step.if !== undefined && !holds(step.if, scope)) return false
  return true
}

function runAllItems(walk: Walk, step: Step, path: string, scope: StepScope): Promise<Flow> {
  if (!hasForeach(step)) return runAllTimes(walk, step, path, scope)
  return runForeach(walk, step, path, scope, (itemPath, item) => runAllTimes(walk, step, itemPath, item))
}

async function runAllTimes(walk: Walk, step: Step, path: string, scope: StepScope): Promise<Flow> {
  const flow = hasRepeat(step)
    ? await runRepeated(walk, step, path, scope, (timePath, here) => runAction(walk, step, timePath, here))
    : await runAction(walk, step, path, scope)
  // A person decided to skip an interrupted call.
  if (flow.state !== 'skipped') return flow
  const output = attempt(() => defaultOf(step, scope))
  return 'error' in output
    ? { state: 'failed', error: output.error, path }
    : { ...flow, output: output.value }
}

function runAction(walk: Walk, step: Step, path: string, scope: StepScope): Promise<Flow> {
  if (step.rate === undefined) return runAdmitted(walk, step, path, scope)
  const admitted = untilAdmitted(walk, step, path, scope)
  return admitted.then((held) => held ?? runAdmitted(walk, step, path, scope))
}

function runAdmitted(walk: Walk, step: Step, path: string, scope: StepScope): Promise<Flow> {
  switch (step.action) {
    case 'uses':
      return runUses(walk, step, path, scope).then((flow) => withDefault(flow, step, path, scope))
    case 'set':
      return runSet(walk, step, path, scope)
    case 'state':
      return runState(walk, step, path, scope)
    case 'checkpoint':
      return runCheckpoint(walk, step, path, scope)
    case 'call':
      return runCall(walk, step, path, scope)
    case 'wait':
      return runWait(walk, step, path, scope)
    case 'return':
      return runReturn(walk, step, path, scope)
    case 'fail':
      return runFail(walk, step, path, scope)
    case 'steps':
    case 'parallel':
    case 'switch':
      return runGroup(walk, step, path, scope)
  }
}

async function handleFailure(
  walk: Walk,
  step: Step,
  path: string,
  scope: StepScope,
  failed: Failed,
): Promise<Flow> {
  if (step.onError === 'fail') return failed
  const { error, items } = failed
  const inner = withLocals(scope, { error })
  if (step.onError !== 'continue') {
    const flow = await runSteps(walk, step.onError, onErrorPath(path), inner)
    if (!goesOn(flow)) return flow
  }
  const output = attempt(() => defaultOf(step, inner))
  if ('error' in output) return { state: 'failed', error: output.error, path }
  return { state: 'handled', error, output: output.value, items }
}

function rootScope(playbook: Playbook, inputs: RunInputs, context: DurableContext): StepScope {
  const run = {
    dry_run: false,
    ...inputs.names.run,
    id: context.runUuid,
    status: 'running',
    started_at: new Date(context.startedAt).toISOString(),
  }
  const thread = emptyThread(playbook, context.startedAt)
  return {
    names: { ...inputs.names, run },
    locals: {},
    thread,
    deadline: { atMs: context.startedAt + playbook.timeoutMs, path: '', error: runTimedOut },
    state: playbook.state,
    callers: [playbook.name],
    alertMask: playbook.masks.alert,
    shielded: false,
  }
}

/** The first call of a playbook fixes its version for the whole run. */
function createCalled(context: DurableContext, playbooks: CalledPlaybooks | undefined): Walk['called'] {
  const known = new Map<string, ReturnType<Walk['called']>>()
  const settle: Walk['called'] = async (name) => {
    const outcome = await context.remember({
      path: playbookPath(name),
      stepId: null,
      kind: 'call',
      evaluate: () => {
        const hash = playbooks?.newest(name)
        if (hash !== undefined) return { state: 'completed', output: { name, hash } }
        throw new NotFoundError('playbook_not_found', `there is no playbook '${name}' to call`)
      },
    })
    if (outcome.state === 'failed') return { error: outcome.error }
    const { hash } = outcome.output as { readonly hash: string }
    if (playbooks === undefined)
      throw new NotFoundError('playbook_not_found', 'no playbook can be called here')
    return { playbook: await playbooks.load(hash) }
  }
  return (name) => {
    const settled = known.get(name) ?? settle(name)
    known.set(name, settled)
    return settled
  }
}

function tooLate(deadline: Deadline): Failed {
  return { state: 'failed', error: deadline.error, path: deadline.path }
}

/** The default of a step replaces an unknown output. */
function withDefault(flow: Flow, step: Step, path: string, scope: StepScope): Flow {
  if (flow.state !== 'completed' || flow.outputUnknown === undefined || step.default === undefined)
    return flow
  const output = attempt(() => defaultOf(step, scope))
  return 'error' in output
    ? { state: 'failed', error: output.error, path }
    : { state: 'completed', output: output.value }
}

function defaultOf(step: Step, scope: StepScope): unknown {
  return step.default === undefined ? undefined : templateValue(step.default, scope)
}

function hasRepeat(step: Step): step is Step & { readonly repeat: RepeatSettings } {
  return step.repeat !== undefined
}

function hasForeach(step: Step): step is Step & { readonly foreach: Foreach } {
  return step.foreach !== undefined
}
