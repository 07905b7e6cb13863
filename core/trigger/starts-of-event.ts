import type { Alert } from '../domain/alert.ts'
import type { CaseEvent } from '../domain/case.ts'
import type { Organization } from '../domain/organization.ts'
import type { NewRun, RunEvent, RunTrigger } from '../domain/run.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { ReachedCount } from '../ports/runs/trigger-store.ts'
import { textAt } from '../plugin/index.ts'
import { whereOf } from './example-trigger.ts'
import { startForEvent, type EventStart } from './start-for-event.ts'

/** The runs that an event starts, and the playbooks that it should have started. */
export interface EventStarts {
  readonly runs: readonly NewRun[]
  readonly refused: readonly {
    readonly playbook: Playbook
    readonly reason: string
    readonly error?: unknown
  }[]
}

export const noStarts: EventStarts = { runs: [], refused: [] }

/** All playbooks that react to a change of a case start. */
export function caseStarts(
  playbooks: readonly Playbook[],
  organization: Organization,
  trigger: RunTrigger,
  caseId: string,
): EventStarts {
  const events = trigger['events'] as readonly CaseEvent[]
  const concerned = playbooks.filter(({ caseTrigger }) =>
    caseTrigger?.events.some((event) => events.includes(event)),
  )
  return gather(
    concerned.map((playbook) => {
      const { where } = playbook.caseTrigger!
      return [playbook, startForEvent({ playbook, organization, trigger, where, caseId })] as const
    }),
  )
}

/** Playbooks start that wait as long for an answer as the question has waited. */
export function questionStarts(
  playbooks: readonly Playbook[],
  organization: Organization,
  trigger: RunTrigger,
  waitedMs: number,
): EventStarts {
  const concerned = playbooks.filter(({ questionTrigger }) => questionTrigger?.afterMs === waitedMs)
  return startAll(concerned, organization, trigger)
}

/** Playbooks start that react to what happened to a run. */
export function runStarts(
  playbooks: readonly Playbook[],
  organization: Organization,
  trigger: RunTrigger,
): EventStarts {
  const events = trigger['events'] as readonly RunEvent[]
  const concerned = playbooks.filter(({ runTrigger }) =>
    runTrigger?.events.some((event) => events.includes(event)),
  )
  return startAll(concerned, organization, trigger)
}

/** Their runs work in the case of the run that the event is about. */
const startAll = (
  playbooks: readonly Playbook[],
  organization: Organization,
  trigger: RunTrigger,
): EventStarts =>
  gather(
    playbooks.map((playbook) => {
      const where = whereOf(playbook, trigger.kind)
      const caseId = textAt(trigger['run'], 'case_id') ?? undefined
      return [playbook, startForEvent({ playbook, organization, trigger, where, caseId })] as const
    }),
  )

/** A run for each observable that has reached the count of a playbook. */
export function entityStarts(
  playbooks: readonly Playbook[],
  organization: Organization,
  alert: Alert,
  reached: readonly ReachedCount[],
  at: number,
): EventStarts {
  return gather(
    reached.flatMap((one) => {
      const playbook = playbooks.find(({ name }) => name === one.playbookName)
      if (playbook === undefined) return []
      const trigger = entityTriggerOf(one, alert, at)
      const { where } = playbook.entityTrigger!
      return [[playbook, startForEvent({ playbook, organization, trigger, where })] as const]
    }),
  )
}

function entityTriggerOf(
  { kind, value, count, firstAt, alerts }: ReachedCount,
  { id, type, provider, title, severity }: Pick<Alert, 'id' | 'type' | 'provider' | 'title' | 'severity'>,
  at: number,
): RunTrigger {
  return {
    kind: 'entity',
    at: new Date(at).toISOString(),
    chain: [],
    entity: { kind, value },
    count,
    first_seen: new Date(firstAt).toISOString(),
    alerts,
    alert: { id, type, provider, title, severity },
  }
}

function gather(starts: readonly (readonly [Playbook, EventStart])[]): EventStarts {
  const runs: NewRun[] = []
  const refused: EventStarts['refused'][number][] = []
  for (const [playbook, start] of starts) {
    if (start === undefined) continue
    if ('run' in start) runs.push(start.run)
    else refused.push({ playbook, reason: start.refused, error: start.error })
  }
  return { runs, refused }
}
