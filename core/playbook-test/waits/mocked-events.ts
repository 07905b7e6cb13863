import { stringifyJson } from '../../common/json.ts'
import type { Alert } from '../../domain/alert.ts'
import { composeCaseId } from '../../domain/ids.ts'
import type { RunTrigger } from '../../domain/run.ts'
import { isObject } from '../../plugin/index.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { createMemoryEvents, type MemoryEvents } from '../../events/memory-events.ts'
import type { WakeUps } from '../../engine/journal/wake-ups.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AwaitedAlerts, AwaitedChanges, NewEventWait } from '../../ports/runs/event-wait-store.ts'
import type { NamedStep } from '../read/named-steps.ts'
import type { MockEvent, Mocks } from '../read/playbook-test.ts'
import { answerOfPerson, type AnswerChoice } from '../run/checkpoint-answers.ts'
import { stepReplies, type Unmocked } from '../run/mocked-skills.ts'
import { alertOf } from '../run/rehearse.ts'

export interface MockedEventsOptions {
  readonly mocks: Mocks
  readonly organizationCode: string
  readonly clock: Clock
  readonly wakeUps: WakeUps
  readonly stepAt: (path: string) => NamedStep | undefined
  /** `{ answer }`: an event with this data comes at once. Takes precedence over mocks. */
  readonly choose?: (path: string, name: string) => AnswerChoice | undefined
  /** Called for a wait without an event in the test. */
  readonly onUnanswered: (wait: NewEventWait, name: string) => void
}

const nothingStops = new AbortController().signal

/** Waits whose events are the mocks of their steps, after a delay or never. */
export function createMockedEvents(options: MockedEventsOptions): MemoryEvents {
  const { mocks, clock, wakeUps, organizationCode } = options
  let count = 0

  async function addLater(
    { path, filter }: NewEventWait,
    mock: MockEvent & { readonly delayMs: number },
    isGiven: boolean,
  ): Promise<void> {
    await clock.sleep(mock.delayMs, nothingStops)
    count++
    const at = clock.now()
    const content =
      filter.kind === 'case'
        ? { change: exampleOfChange(filter, mock.change ?? {}, at, organizationCode) }
        : { alert: alertFor(filter, mock) }
    events.add(path, { at, content }, isGiven)
    wakeUps.wake()
  }

  function alertFor(filter: AwaitedAlerts, { type, provider, data }: MockEvent): Alert {
    const fixture = {
      type: type ?? filter.types?.[0] ?? 'event',
      provider: provider ?? filter.provider ?? 'test',
      content: stringifyJson(data ?? {}),
      id: `${organizationCode}-event-${count}`,
      uuid: `00000000-0000-4000-8000-${String(count).padStart(12, 'e')}`,
      createdAt: clock.now(),
      createdAtSource: null,
    }
    return alertOf(fixture, organizationCode)
  }

  const events = createMemoryEvents((wait) => {
    const name = options.stepAt(wait.path)?.name ?? wait.path
    const choice = options.choose?.(wait.path, name)
    const chosen = choice && answerOfPerson(choice, { group: null })
    if (chosen === 'timeout') return
    if (chosen !== undefined)
      return void addLater(
        wait,
        { ...unsaid, data: chosen.answer, change: asChange(chosen.answer), delayMs: 0 },
        true,
      )
    const replies = stepReplies(mocks, wait.path, name)
    if (replies === undefined) return options.onUnanswered(wait, name)
    for (const reply of replies) if (reply.kind === 'event') void addLater(wait, reply, false)
  })
  return events
}

const unsaid = { type: undefined, provider: undefined }

const asChange = (given: unknown): Readonly<Record<string, unknown>> => (isObject(given) ? given : {})

/** A change that fits the filter, with the given fields. */
function exampleOfChange(
  { caseId, events }: AwaitedChanges,
  given: Readonly<Record<string, unknown>>,
  at: number,
  organizationCode: string,
): RunTrigger {
  const happened = (given['events'] as readonly string[] | undefined) ?? [events?.[0] ?? 'status_changed']
  const isClosed = happened.includes('closed')
  const fields = {
    title: 'Example',
    summary: '',
    severity: 'medium',
    verdict: 'unknown',
    assignee: null,
    closing_reason: null,
    resolution: '',
  }
  const id = caseId ?? composeCaseId(organizationCode, 1)
  return {
    kind: 'case',
    at: new Date(at).toISOString(),
    chain: [],
    events: happened,
    actor: { kind: 'api_key', name: 'analyst', ...asChange(given['actor']) },
    case: { id, ...fields, status: isClosed ? 'closed' : 'open', ...asChange(given['case']) },
    before: happened.includes('opened')
      ? null
      : { ...fields, status: isClosed ? 'in_progress' : 'open', ...asChange(given['before']) },
  }
}

/** The failure of a test without an event for the wait. */
export const withoutEvent = ({ path }: NewEventWait, name: string): Unmocked => ({
  path,
  message: `step '${path}' waits for an event, but the test has none`,
  hint: `add to mocks: steps.${name}: { event: { data: { … } } } (or timeout)`,
})

/** A wait as a question, whose answer is the data of the event: for dry runs that try both ways. */
export function asQuestion({ path, filter }: NewEventWait, named: NamedStep | undefined): Checkpoint {
  const wait = named?.step.action === 'wait' ? named.step.wait : undefined
  const schema = wait !== undefined && 'event' in wait ? wait.event.schema : undefined
  const form = schema ?? (filter.kind === 'case' ? { type: 'object' } : {})
  return {
    id: '',
    runUuid: '',
    organizationUuid: '',
    playbookName: '',
    alertId: null,
    caseId: null,
    path,
    stepId: named?.step.id ?? null,
    question: { via: viaEvent, input: filter, answers: null, form },
    group: null,
    connection: null,
    reference: null,
    state: 'waiting',
    createdAt: 0,
    timeoutAt: 0,
    onTimeout: null,
    answer: null,
  }
}

/** The `via` of a question that an event answers. */
export const viaEvent = 'event'
