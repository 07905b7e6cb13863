import { serverTime } from './time.ts'
import type { CaseStatus, Severity, Verdict } from '../../../core/plugin/index.ts'
import type { RunStatus, StepState } from '../../../core/domain/run.ts'
import type { ApiStep } from '../api/types.ts'
import './states.css'

/**
 * Colours have the same meaning everywhere and never appear without text: gray is inactive, blue queued,
 * yellow running, grape waiting for a person, green good, orange a warning, red bad.
 */
export type StateColor = 'gray' | 'blue' | 'yellow' | 'grape' | 'green' | 'orange' | 'red'

interface Look {
  readonly text: string
  readonly color: StateColor
}

export const alertStatusLooks: Readonly<Record<number, Look>> = {
  0: { text: 'Created', color: 'gray' },
  5: { text: 'Submitted', color: 'blue' },
  10: { text: 'InProgress', color: 'yellow' },
  15: { text: 'Completed', color: 'green' },
  20: { text: 'Failed', color: 'red' },
}

export const runStatusLooks: Readonly<Record<RunStatus, Look>> = {
  queued: { text: 'Queued', color: 'blue' },
  running: { text: 'Running', color: 'yellow' },
  waiting: { text: 'Waiting', color: 'grape' },
  completed: { text: 'Completed', color: 'green' },
  failed: { text: 'Failed', color: 'red' },
  cancelled: { text: 'Cancelled', color: 'gray' },
}

export const stepLooks: Readonly<Record<StepState, Look>> = {
  started: { text: 'Running', color: 'yellow' },
  unknown: { text: 'Unknown', color: 'orange' },
  completed: { text: 'Completed', color: 'green' },
  failed: { text: 'Failed', color: 'red' },
  skipped: { text: 'Skipped', color: 'gray' },
}

export const severityLooks: Readonly<Record<Severity, Look>> = {
  informational: { text: 'Informational', color: 'gray' },
  low: { text: 'Low', color: 'blue' },
  medium: { text: 'Medium', color: 'yellow' },
  high: { text: 'High', color: 'orange' },
  critical: { text: 'Critical', color: 'red' },
}

export const verdictLooks: Readonly<Record<Verdict, Look>> = {
  unknown: { text: 'Unknown', color: 'gray' },
  benign: { text: 'Benign', color: 'green' },
  suspicious: { text: 'Suspicious', color: 'orange' },
  malicious: { text: 'Malicious', color: 'red' },
}

export const caseStatusLooks: Readonly<Record<CaseStatus, Look>> = {
  open: { text: 'Open', color: 'blue' },
  in_progress: { text: 'In progress', color: 'yellow' },
  closed: { text: 'Closed', color: 'gray' },
}

/** A state. Plain elements, because tables show many. */
export function StateBadge({ text, color }: Look) {
  const name = `--mantine-color-${color}-light`
  return (
    <span className="state" style={{ color: `var(${name}-color)`, background: `var(${name})` }}>
      {text}
    </span>
  )
}

const LookBadge = ({ look }: { readonly look: Look | undefined }) => look && <StateBadge {...look} />

export const AlertStatusBadge = ({ status }: { readonly status: number }) => (
  <LookBadge look={alertStatusLooks[status]} />
)
export const RunStatusBadge = ({ status }: { readonly status: RunStatus }) => (
  <LookBadge look={runStatusLooks[status]} />
)
/** A checkpoint waits while it is running. */
const lookOfStep = (state: StepState, kind: string): Look =>
  state === 'started' && kind === 'checkpoint' ? runStatusLooks.waiting : stepLooks[state]

/** Whether the question of a step is asked only if those before it do not decide (`escalate`). */
function isAskedLater({ input }: Pick<ApiStep, 'input'>): boolean {
  const from = (input as { readonly ask_at_ms?: unknown } | null)?.ask_at_ms
  return typeof from === 'number' && from > serverTime()
}

/** Whether the step waits for an answer to its question. */
export const isOpenQuestion = (step: Pick<ApiStep, 'state' | 'kind' | 'input'>): boolean =>
  step.kind === 'checkpoint' && step.state === 'started' && !isAskedLater(step)

export const StepStateBadge = ({ step }: { readonly step: Pick<ApiStep, 'state' | 'kind' | 'input'> }) => (
  <LookBadge
    look={
      step.state === 'started' && isAskedLater(step)
        ? { text: 'Asked later', color: 'gray' }
        : lookOfStep(step.state, step.kind)
    }
  />
)
export const VerdictBadge = ({ verdict }: { readonly verdict: Verdict }) => (
  <LookBadge look={verdictLooks[verdict]} />
)

const levels: readonly Severity[] = ['low', 'medium', 'high', 'critical']

/** The severity as bars, because verdicts have the same colours. */
export function SeverityLevel({ severity }: { readonly severity: Severity }) {
  const { text, color } = severityLooks[severity]
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

/** The status of a case as a filling dot. */
export function CaseState({ status }: { readonly status: CaseStatus }) {
  const { text, color } = caseStatusLooks[status]
  return (
    <span className="progress-state">
      <span className={`state-dot state-${color}`} data-shape={shapes[status]} aria-hidden />
      {text}
    </span>
  )
}

/** Options of a select field. */
export const selectOptions = <Value extends string>(looks: Readonly<Record<Value, Look>>) =>
  (Object.keys(looks) as Value[]).map((value) => ({ value, label: looks[value].text }))
