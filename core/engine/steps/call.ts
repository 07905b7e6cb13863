import type { StoredError } from '../../domain/run.ts'
import { covers, merged } from '../../domain/mask.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import type { CallStep, Playbook } from '../../playbook/language/playbook.ts'
import { TocsinError } from '../../plugin/index.ts'
import { checkAlert } from './check-alert.ts'
import { templateValue } from '../scope/evaluate.ts'
import type { Flow } from '../scope/flow.ts'
import { runPlaybook } from './run-playbook.ts'
import { advance, earlierDeadline, emptyThread, type StepScope } from '../scope/scope.ts'
import { attempt, rememberResult, type Walk } from './walk.ts'

/**
 * Runs another playbook inside this run: it shares the journal and deadline, but has separate names and ids.
 */
export async function runCall(walk: Walk, step: CallStep, path: string, scope: StepScope): Promise<Flow> {
  const startedAt = scope.thread.nowMs
  const failed = (error: StoredError) =>
    rememberResult(walk, step, path, scope, () => ({ state: 'failed', error }))
  const called = await walk.called(step.playbook)
  if ('error' in called) return await failed(called.error)
  const inner = attempt(() => {
    requireSameMarks(called.playbook, step, scope)
    return scopeOf(called.playbook, step, path, scope)
  })
  if ('error' in inner) return await failed(inner.error)
  const outcome = await runPlaybook(walk, called.playbook, path, inner.value)
  advance(scope, inner.value.thread.nowMs)
  if (outcome.status === 'cancelled') return { state: 'run_ends', outcome }
  const { error, output } = outcome
  return await rememberResult(
    walk,
    step,
    path,
    scope,
    () => (error === null ? { state: 'completed', output } : { state: 'failed', error }),
    startedAt,
    merged(step.sensitive?.output, called.playbook.masks.output),
  )
}

/**
 * Sensitivity was checked with an earlier version of the called playbook. A version that marks fewer inputs or
 * more outputs as sensitive would leak them.
 */
function requireSameMarks(playbook: Playbook, { sensitive }: CallStep, { alertMask }: StepScope): void {
  const { inputs, alert, output } = playbook.masks
  const less = [
    covers(inputs, sensitive?.input) ? '' : 'its inputs',
    !playbook.alertTrigger || covers(alert, alertMask) ? '' : 'the alert',
    covers(sensitive?.output, output) ? '' : 'its outputs',
  ].find((what) => what !== '')
  if (less === undefined) return
  throw new TocsinError(
    'call_marks_differ',
    `the playbook '${playbook.name}' and its caller mark different parts of ${less} as sensitive`,
    { hint: 'validate the calling playbook, and publish it again' },
  )
}

/** The called playbook sees its own inputs and steps, and the alert if it has an alert trigger. */
function scopeOf(playbook: Playbook, step: CallStep, path: string, scope: StepScope): StepScope {
  if (scope.callers.includes(playbook.name)) {
    const circle = [...scope.callers, playbook.name].join(' → ')
    throw new TocsinError('call_cycle', `the playbook would call itself: ${circle}`)
  }
  const given = templateValue(step.with, scope) as Readonly<Record<string, unknown>>
  const inputs = resolveInputs(playbook, given)
  const { alert, ...names } = scope.names
  if (playbook.alertTrigger) checkAlert(playbook, alert)
  const thread = emptyThread(playbook, scope.thread.nowMs)
  const timeoutMs = Math.min(playbook.timeoutMs, step.timeoutMs ?? Infinity)
  return {
    names: { ...names, inputs, trigger: { kind: 'call' }, ...(playbook.alertTrigger ? { alert } : {}) },
    locals: {},
    thread,
    deadline: earlierDeadline(scope, timeoutMs, path, `the playbook called by '${path}'`),
    state: playbook.state,
    callers: [...scope.callers, playbook.name],
    alertMask: playbook.masks.alert,
    shielded: scope.shielded,
  }
}
