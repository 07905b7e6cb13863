import type { Alert } from '../../../domain/alert.ts'
import type { Template, WaitStep } from '../../../playbook/language/playbook.ts'
import { eventName } from '../../../playbook/language/constants.ts'
import type { AwaitedEvent } from '../../../playbook/waits/waits.ts'
import type { EventFilter, EventWait } from '../../../ports/runs/event-wait-store.ts'
import { compileSchema } from '../../../schema/index.ts'
import { TocsinError } from '../../../plugin/index.ts'
import type { PureResult } from '../../journal/durable-context.ts'
import { eventScope } from '../../scope/alert-scope.ts'
import { holds, templateDurationMs, templateValue } from '../../scope/evaluate.ts'
import { fromOutcome, type Flow } from '../../scope/flow.ts'
import { advance, withLocals, type StepScope } from '../../scope/scope.ts'
import { rememberResult, type Walk } from '../walk.ts'

/** Waits for an alert that matches, or for the timeout. */
export async function waitForEvent(
  walk: Walk,
  step: WaitStep,
  { event }: AwaitedEvent<Template>,
  path: string,
  scope: StepScope,
): Promise<Flow> {
  const { context } = walk
  if (context.awaitEvent === undefined) {
    const error = { code: 'no_events', message: 'no event can be waited for here' }
    return await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error }))
  }
  const outcome = await context.awaitEvent({
    path,
    stepId: step.id,
    kind: 'event',
    sensitive: step.sensitive && { output: step.sensitive.output },
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    request: () => ({
      filter: filterOf(event, scope),
      sinceRun: event.sinceRun,
      withinMs: templateDurationMs(event.withinMs, scope),
    }),
    matches: (alert) => matches(event, alert, scope),
    received: (alert, counts) => ({
      state: 'completed',
      output: {
        timed_out: false,
        event: eventScope(alert),
        received_at: new Date(alert.createdAt).toISOString(),
        ...countsOf(counts),
      },
    }),
    timedOut: (_atMs, counts): PureResult =>
      event.continues
        ? { state: 'completed', output: { timed_out: true, ...countsOf(counts) } }
        : { state: 'failed', error: { code: 'event_timeout', message: lateText(path, counts) } },
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

const countsOf = ({ examined, failed }: EventWait) => ({ examined, failed })

function lateText(path: string, { examined, failed, lastFailure }: EventWait): string {
  const seen =
    examined === 0 ? '' : `; ${examined} other ${examined === 1 ? 'alert was' : 'alerts were'} examined`
  const why = failed === 0 ? '' : `, and the condition failed for ${failed}: ${lastFailure ?? ''}`
  return `'${path}' received no matching event in time${seen}${why}`
}

function filterOf({ type, provider }: AwaitedEvent<Template>['event'], scope: StepScope): EventFilter {
  const types = type && [templateValue(type, scope)].flat()
  const code = provider && templateValue(provider, scope)
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
  if (types?.every(isText) === false || types?.length === 0)
    throw new TocsinError(
      'event_type_invalid',
      'the `type` of the event must be a string or a list of strings',
    )
  if (code !== undefined && !isText(code))
    throw new TocsinError('event_provider_invalid', 'the `provider` of the event must be a string')
  return {
    kind: 'alert',
    types: types === undefined ? null : types,
    provider: code ?? null,
  }
}

/** Throws the error that counts the alert as failed. */
function matches(
  { where, schema }: AwaitedEvent<Template>['event'],
  alert: Alert,
  scope: StepScope,
): boolean {
  const event = eventScope(alert)
  if (schema !== undefined) {
    const [first] = compileSchema(schema).problems(event.data)
    if (first !== undefined)
      throw new TocsinError('event_not_as_declared', `${first.pointer || 'the content'} ${first.message}`)
  }
  return where === undefined || holds(where, withLocals(scope, { [eventName]: event }))
}
