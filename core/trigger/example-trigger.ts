import { composeAlertId, composeCaseId } from '../domain/ids.ts'
import type { RunTrigger, TriggerKind } from '../domain/run.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { schemaOfTrigger } from './trigger-schema.ts'

type Triggered = Pick<
  Playbook,
  | 'alertTrigger'
  | 'caseTrigger'
  | 'entityTrigger'
  | 'webhookTrigger'
  | 'questionTrigger'
  | 'runTrigger'
  | 'schedule'
  | 'startedBy'
>

/** The kinds of events that start a playbook. */
export const eventKindsOf = ({
  caseTrigger,
  entityTrigger,
  webhookTrigger,
  questionTrigger,
  runTrigger,
}: Triggered): readonly TriggerKind[] => [
  ...(caseTrigger ? ['case' as const] : []),
  ...(entityTrigger ? ['entity' as const] : []),
  ...(webhookTrigger ? ['webhook' as const] : []),
  ...(questionTrigger ? ['question' as const] : []),
  ...(runTrigger ? ['run' as const] : []),
]

/** Whether every run of the playbook has an event. */
export const needsEvent = (playbook: Triggered): boolean =>
  eventKindsOf(playbook).length > 0 &&
  playbook.alertTrigger === undefined &&
  playbook.schedule === undefined &&
  !playbook.startedBy.hand &&
  !playbook.startedBy.call

export const whereOf = (playbook: Triggered, kind: TriggerKind) => playbook[`${kind}Trigger`]?.where

export const schemaFor = ({ webhookTrigger }: Triggered, kind: TriggerKind) =>
  schemaOfTrigger(kind, webhookTrigger?.body)

const exampleValues: Readonly<Record<ObservableKind, string>> = {
  ip: '198.51.100.7',
  domain: 'example.com',
  url: 'https://example.com/',
  hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  email: 'anna@example.com',
  host: 'laptop-1',
  user: 'anna',
  vulnerability: 'CVE-2026-0001',
  company: 'Example',
}

/** An event that starts the playbook, for tests and dry runs. */
export function exampleTrigger(
  playbook: Triggered,
  kind: TriggerKind,
  { nowMs, organizationCode }: { readonly nowMs: number; readonly organizationCode: string },
): RunTrigger {
  const at = new Date(nowMs).toISOString()
  const alertId = composeAlertId(organizationCode, 'custom', 1)
  const fields = {
    case: () => exampleChange(playbook, organizationCode),
    entity: () => {
      const entityKind = playbook.entityTrigger?.kinds[0] ?? observableKinds[0]
      return {
        entity: { kind: entityKind, value: exampleValues[entityKind] },
        count: playbook.entityTrigger?.times ?? 1,
        first_seen: at,
        alerts: [alertId],
        alert: { id: alertId, type: 'example', provider: 'custom', title: null, severity: null },
      }
    },
    webhook: () => ({ body: {} }),
    question: () => ({
      question: {
        kind: 'approval:edr.isolate_machine',
        is_approval: true,
        skill: 'edr.isolate_machine',
        step_id: 'isolate',
        asked_at: new Date(nowMs - (playbook.questionTrigger?.afterMs ?? 0)).toISOString(),
        expires_at: new Date(nowMs + 86_400_000).toISOString(),
      },
      run: exampleRun(organizationCode),
      waited_seconds: Math.floor((playbook.questionTrigger?.afterMs ?? 0) / 1000),
    }),
    run: () => ({
      events: [playbook.runTrigger?.events[0] ?? 'failed'],
      run: exampleRun(organizationCode),
      step: { path: 'isolate', skill: 'edr.isolate_machine' },
      error: { code: 'http_503', message: 'The other system is not available' },
    }),
  }
  return { kind, at, chain: [], ...fields[kind]() }
}

const exampleRun = (organizationCode: string) => ({
  id: '00000000-0000-4000-8000-000000000002',
  playbook: 'example',
  alert_id: composeAlertId(organizationCode, 'custom', 1),
  case_id: composeCaseId(organizationCode, 1),
})

function exampleChange({ caseTrigger }: Triggered, organizationCode: string) {
  const event = caseTrigger?.events[0] ?? 'closed'
  const fields = {
    title: 'Example',
    summary: '',
    severity: 'medium',
    verdict: 'unknown',
    assignee: null,
    closing_reason: null,
    resolution: '',
  }
  const status = event === 'closed' ? 'closed' : 'open'
  return {
    events: event === 'closed' || event === 'reopened' ? [event, 'status_changed'] : [event],
    actor: { kind: 'api_key', name: 'analyst' },
    case: { id: composeCaseId(organizationCode, 1), ...fields, status },
    before: event === 'opened' ? null : { ...fields, status: event === 'closed' ? 'in_progress' : status },
  }
}
