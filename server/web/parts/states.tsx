import { Badge, type MantineColor } from '@mantine/core'
import type { CaseStatus, RunStatus, Severity, StepState, Verdict } from '../api/types.ts'

interface Look {
  readonly text: string
  readonly color: MantineColor
}

/** Names of `investigation_status`, as the alerts view shows them. */
export const alertStatuses: Readonly<Record<number, Look>> = {
  0: { text: 'Created', color: 'gray' },
  5: { text: 'Submitted', color: 'blue' },
  10: { text: 'InProgress', color: 'yellow' },
  15: { text: 'Completed', color: 'green' },
  20: { text: 'Failed', color: 'red' },
}

export const runStatuses: Readonly<Record<RunStatus, Look>> = {
  queued: { text: 'Queued', color: 'blue' },
  running: { text: 'Running', color: 'yellow' },
  waiting: { text: 'Waiting', color: 'grape' },
  completed: { text: 'Completed', color: 'green' },
  failed: { text: 'Failed', color: 'red' },
  cancelled: { text: 'Cancelled', color: 'gray' },
}

export const stepLooks: Readonly<Record<StepState, Look>> = {
  started: { text: 'Under way', color: 'yellow' },
  unknown: { text: 'Unknown', color: 'orange' },
  completed: { text: 'Completed', color: 'green' },
  failed: { text: 'Failed', color: 'red' },
  skipped: { text: 'Skipped', color: 'gray' },
}

export const severities: Readonly<Record<Severity, Look>> = {
  informational: { text: 'Informational', color: 'gray' },
  low: { text: 'Low', color: 'blue' },
  medium: { text: 'Medium', color: 'yellow' },
  high: { text: 'High', color: 'orange' },
  critical: { text: 'Critical', color: 'red' },
}

export const verdicts: Readonly<Record<Verdict, Look>> = {
  unknown: { text: 'Unknown', color: 'gray' },
  benign: { text: 'Benign', color: 'green' },
  suspicious: { text: 'Suspicious', color: 'orange' },
  malicious: { text: 'Malicious', color: 'red' },
}

export const caseStatuses: Readonly<Record<CaseStatus, Look>> = {
  open: { text: 'Open', color: 'blue' },
  in_progress: { text: 'In progress', color: 'yellow' },
  closed: { text: 'Closed', color: 'gray' },
}

function LookBadge({ look }: { readonly look: Look | undefined }) {
  if (look === undefined) return null
  return (
    <Badge variant="light" color={look.color} tt="none" radius="sm" className="state">
      {look.text}
    </Badge>
  )
}

export const AlertStatus = ({ status }: { readonly status: number }) => (
  <LookBadge look={alertStatuses[status]} />
)
export const RunState = ({ status }: { readonly status: RunStatus }) => (
  <LookBadge look={runStatuses[status]} />
)
export const StepStateBadge = ({ state }: { readonly state: StepState }) => (
  <LookBadge look={stepLooks[state]} />
)
export const SeverityBadge = ({ severity }: { readonly severity: Severity }) => (
  <LookBadge look={severities[severity]} />
)
export const VerdictBadge = ({ verdict }: { readonly verdict: Verdict }) => (
  <LookBadge look={verdicts[verdict]} />
)
export const CaseState = ({ status }: { readonly status: CaseStatus }) => (
  <LookBadge look={caseStatuses[status]} />
)

/** What a select offers: each value with the text that its badge has. */
export const choicesOf = (looks: Readonly<Record<string, Look>>) =>
  Object.entries(looks).map(([value, { text }]) => ({ value, label: text }))
