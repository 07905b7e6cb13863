import type { CaseStatus, RunStatus, Severity, Step, StepState, Verdict } from '../../api/types.ts'
import './states.css'

/**
 * Colours mean states, alike everywhere, and never stand without the name: gray is nothing to do, blue waits for its turn, yellow
 * is under way, grape waits for a person, green is well, orange needs a look, red is bad.
 */
export type StateColor = 'gray' | 'blue' | 'yellow' | 'grape' | 'green' | 'orange' | 'red'

interface Look {
  readonly text: string
  readonly color: StateColor
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

/** A state that something is in, or what was judged of it. One element by itself: tables show very many. */
export function StateBadge({ text, color }: Look) {
  return (
    <span className="state" data-color={color}>
      {text}
    </span>
  )
}

const LookBadge = ({ look }: { readonly look: Look | undefined }) => look && <StateBadge {...look} />

export const AlertStatus = ({ status }: { readonly status: number }) => (
  <LookBadge look={alertStatuses[status]} />
)
export const RunState = ({ status }: { readonly status: RunStatus }) => (
  <LookBadge look={runStatuses[status]} />
)
/** Of a step; one that asks a person is under way for as long as it waits. */
const lookOfStep = (state: StepState, kind: string): Look =>
  state === 'started' && kind === 'checkpoint' ? runStatuses.waiting : stepLooks[state]

export const StepStateBadge = ({
  step: { state, kind },
}: {
  readonly step: Pick<Step, 'state' | 'kind'>
}) => <LookBadge look={lookOfStep(state, kind)} />
export const VerdictBadge = ({ verdict }: { readonly verdict: Verdict }) => (
  <LookBadge look={verdicts[verdict]} />
)

const levels: readonly Severity[] = ['low', 'medium', 'high', 'critical']

/** How bad it is, as bars: verdicts and states beside it have the same colours. */
export function SeverityLevel({ severity }: { readonly severity: Severity }) {
  const { text, color } = severities[severity]
  const reached = levels.indexOf(severity)
  return (
    <span className="severity">
      <span className={`severity-bars state-${color}`} aria-hidden>
        {levels.map((level, index) => (
          <i key={level} data-on={index <= reached || undefined} />
        ))}
      </span>
      {text}
    </span>
  )
}

const shapes: Readonly<Record<CaseStatus, string>> = { open: 'ring', in_progress: 'half', closed: 'full' }

/** How far a case is, as a dot that fills. */
export function CaseState({ status }: { readonly status: CaseStatus }) {
  const { text, color } = caseStatuses[status]
  return (
    <span className="progress-state">
      <span className={`state-dot state-${color}`} data-shape={shapes[status]} aria-hidden />
      {text}
    </span>
  )
}

/** What a select offers: each value with the text that its badge has. */
export const choicesOf = (looks: Readonly<Record<string, Look>>) =>
  Object.entries(looks).map(([value, { text }]) => ({ value, label: text }))
