import type { StoredError } from '../../domain/run.ts'
import { covers, merged } from '../../domain/mask.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import { maskOfSchema, maskOfType } from '../../playbook/check/mask-of-type.ts'
import { typeOfInputs } from '../../playbook/steps/read-call.ts'
import type { CallStep, Playbook } from '../../playbook/language/playbook.ts'
import { TocsinError } from '../../plugin/index.ts'
import { checkAlert } from './check-alert.ts'
import { valueOf } from '../scope/evaluate.ts'
import type { Flow } from '../scope/flow.ts'
import { runPlaybook } from './run-playbook.ts'
import { advance, emptyThread, type Deadline, type Scope } from '../scope/scope.ts'
import { attempt, remember, type Walk } from './walk.ts'

/** Runs another playbook inside of this one: steps, journal and deadline are part of this run; names and ids are its own. */
export async function runCall(walk: Walk, step: CallStep, path: string, scope: Scope): Promise<Flow> {
  const startedAt = scope.thread.nowMs
  const failed = (error: StoredError) => remember(walk, step, path, scope, () => ({ state: 'failed', error }))
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
  return await remember(
    walk,
    step,
    path,
    scope,
    () => (error === null ? { state: 'completed', output } : { state: 'failed', error }),
    startedAt,
    merged(step.sensitive?.output, maskOfType(called.playbook.outputType)),
  )
}

/**
 * What is sensitive was settled when this playbook was checked, with the version that the other one had then. A version that declares
 * less of what it is given, or more of what it gives, would let sensitive values go on as if they were not.
 */
function requireSameMarks(playbook: Playbook, { sensitive }: CallStep, { alertMask }: Scope): void {
  const inputs = maskOfType(typeOfInputs(playbook.inputs, 'resolved'))
  const alert = playbook.alertSchema && maskOfSchema(playbook.alertSchema)
  const less = [
    covers(inputs, sensitive?.input) ? '' : 'its inputs',
    !playbook.alertTrigger || covers(alert, alertMask) ? '' : 'the alert',
    covers(sensitive?.output, maskOfType(playbook.outputType)) ? '' : 'its outputs',
  ].find((what) => what !== '')
  if (less === undefined) return
  throw new TocsinError(
    'call_marks_differ',
    `the playbook '${playbook.name}' says otherwise than its caller what is sensitive in ${less}`,
    { hint: 'validate the calling playbook, and publish it again' },
  )
}

/** What the called playbook sees: its own inputs and steps, and the alert of the run where it works on alerts. */
function scopeOf(playbook: Playbook, step: CallStep, path: string, scope: Scope): Scope {
  if (scope.callers.includes(playbook.name)) {
    const circle = [...scope.callers, playbook.name].join(' → ')
    throw new TocsinError('call_cycle', `the playbook would call itself: ${circle}`)
  }
  const given = valueOf(step.with, scope) as Readonly<Record<string, unknown>>
  const inputs = resolveInputs(playbook, given)
  const { alert, ...names } = scope.names
  if (playbook.alertTrigger) checkAlert(playbook, alert)
  const thread = emptyThread(playbook, scope.thread.nowMs)
  return {
    names: { ...names, inputs, ...(playbook.alertTrigger ? { alert } : {}) },
    locals: {},
    thread,
    deadline: deadlineOf(playbook, step, path, scope),
    callers: [...scope.callers, playbook.name],
    alertMask: playbook.alertSchema && maskOfSchema(playbook.alertSchema),
    shielded: scope.shielded,
  }
}

function deadlineOf(playbook: Playbook, step: CallStep, path: string, scope: Scope): Deadline {
  const timeoutMs = Math.min(playbook.timeoutMs, step.timeoutMs ?? Infinity)
  const atMs = scope.thread.nowMs + timeoutMs
  if (atMs >= scope.deadline.atMs) return scope.deadline
  const message = `the playbook called by '${path}' took longer than ${timeoutMs / 1000} s`
  return { atMs, path, error: { code: 'step_timeout', message, details: { timeout_ms: timeoutMs } } }
}
