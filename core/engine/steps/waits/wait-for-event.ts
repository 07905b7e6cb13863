import type { Template, WaitStep } from '../../../playbook/language/playbook.ts'
import { eventName } from '../../../playbook/language/constants.ts'
import { anyCase, type AwaitedEvent, type CaseOfWait } from '../../../playbook/waits/waits.ts'
import type { EventFilter, EventWait, StoredEvent } from '../../../ports/runs/event-wait-store.ts'
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
    const error = { code: 'no_events', message: 'waiting for events is not possible here' }
    return await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error }))
  }
  if (event.of.kind === 'case' && event.of.id === undefined) await walk.openCase?.()
  const outcome = await context.awaitEvent({
    path,
    stepId: step.id,
    kind: 'event',
    sensitive: step.sensitive && { output: step.sensitive.output },
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    request: () => ({
      filter: filterOf(event.of, scope),
      sinceRun: event.sinceRun,
      withinMs: templateDurationMs(event.withinMs, scope),
    }),
    matches: (stored) => matches(event, stored, scope),
    received: (stored, counts) => ({
      state: 'completed',
      output: {
        timed_out: false,
        event: valueOf(stored),
        received_at: new Date(stored.at).toISOString(),
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
    examined === 0 ? '' : `; ${examined} other ${examined === 1 ? 'event was' : 'events were'} examined`
  const why = failed === 0 ? '' : `, and the condition failed for ${failed}: ${lastFailure ?? ''}`
  return `'${path}' received no matching event in time${seen}${why}`
}

/** The `event` of expressions. */
function valueOf({ content }: StoredEvent): Readonly<Record<string, unknown>> & { readonly data?: unknown } {
  if ('alert' in content) return { ...eventScope(content.alert) }
  const { kind: _, chain: __, ...change } = content.change
  return change
}

function filterOf(of: AwaitedEvent<Template>['event']['of'], scope: StepScope): EventFilter {
  if (of.kind === 'case') return changesOf(of, scope)
  const { type, provider } = of
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
function changesOf({ id, events }: CaseOfWait<Template>, scope: StepScope): EventFilter {
  const { id: own } = (scope.names['case'] ?? {}) as { readonly id?: unknown }
  const given = id === undefined ? own : templateValue(id, scope)
  if (typeof given !== 'string' || given === '')
    throw new TocsinError('event_case_invalid', 'the `id` of the case must be a string')
  return { kind: 'case', caseId: given === anyCase ? null : given, events: events ?? null }
}

function matches(
  { where, schema }: AwaitedEvent<Template>['event'],
  stored: StoredEvent,
  scope: StepScope,
): boolean {
  const event = valueOf(stored)
  if (schema !== undefined) {
    const [first] = compileSchema(schema).problems(event.data)
    if (first !== undefined)
      throw new TocsinError('event_not_as_declared', `${first.pointer || 'the content'} ${first.message}`)
  }
  return where === undefined || holds(where, withLocals(scope, { [eventName]: event }))
}
