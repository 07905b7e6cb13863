import { investigatorName } from '../../core/investigation/make-investigator.ts'
import { paint } from '../output/paint.ts'
import { printable, printableLines } from '../output/printable.ts'
import { table } from '../output/table.ts'
import { wrap } from '../output/wrap.ts'
import type { FollowedIncidents } from './follow-incidents.ts'
import type { Outcome } from './post-and-await.ts'
import { demoOrganization } from './prepare.ts'

/** What happened besides the alerts. */
export interface Besides {
  /** Undefined: the playbook for them is not in force. */
  readonly incidents: FollowedIncidents | undefined
  /** Of machines, one a line. */
  readonly actions: string
}

/** What the demo says at its end: a table of the alerts, what people and machines did, and a sentence. */
export function report(outcomes: readonly Outcome[], besides: Besides): string {
  const rows = outcomes.map((outcome) => [
    paintStatus(outcome.status),
    outcome.alertId,
    playbookOf(outcome),
    outcome.caseId,
    outcome.severity,
    paintVerdict(outcome.verdict),
    outcome.durationMs === undefined ? '' : `${outcome.durationMs} ms`,
  ])
  const header = ['STATUS', 'ALERT', 'PLAYBOOK', 'CASE', 'SEVERITY', 'VERDICT', 'TIME']
  const stories = outcomes.filter(({ sample }) => sample.story !== undefined)
  return [
    '',
    table(header, rows),
    '',
    ...stories.flatMap(storyLines),
    ...actionLines(besides.actions),
    ...incidentLines(besides.incidents),
    '',
    sentence(outcomes, besides),
  ].join('\n')
}

/** Whether everything went as it should. */
export const isWell = (outcomes: readonly Outcome[], incidents: FollowedIncidents | undefined): boolean =>
  outcomes.every(({ status }) => status === 'Completed') &&
  (incidents === undefined || incidents.status === 'completed')

/** A playbook that was made for the type of the alert has a long name that says no more. */
function playbookOf({ playbook, sample: { alertType } }: Outcome): string {
  const isMade = playbook === investigatorName(alertType, demoOrganization.code)
  return isMade ? paint.dim(`made for ${printable(alertType)}`) : printable(playbook)
}

function storyLines({ caseId, sample: { story = '', person }, summary }: Outcome): string[] {
  const asked =
    person === undefined
      ? []
      : [
          person.presses === null
            ? `${person.email} never looked.`
            : `${person.email} pressed '${person.presses}'.`,
        ]
  return [
    `${paint.strong(caseId)}  ${story}`,
    ...asked.map((text) => wrap(text, '        ', paint.dim)),
    ...(summary === '' ? [] : [wrap(`→ ${summary}`, '        ')]),
  ]
}

function actionLines(actions: string): string[] {
  const lines = printableLines(actions).split('\n')
  return ['', 'Machines, in the endpoint security sandbox:', ...lines.map((line) => `  ${line}`)]
}

function incidentLines(incidents: FollowedIncidents | undefined): string[] {
  if (incidents === undefined) return []
  const { status, incidents: count } = incidents
  const done = status === 'completed' ? `each of the ${count} has its case` : paint.bad(status)
  return ['', `Incidents of the threat platform (playbook threat-platform-incidents): ${done}.`]
}

function sentence(outcomes: readonly Outcome[], { incidents }: Besides): string {
  const failed = outcomes.filter((outcome) => outcome.status !== 'Completed')
  const makers = new Set(outcomes.map(({ sample }) => sample.provider)).size
  const all = `${outcomes.length} alerts of ${makers} providers`
  if (failed.length > 0)
    return `${paint.bad('not ok')} ${all}: ${failed.length} not investigated: ${failed.map((one) => one.alertId).join(', ')}`
  if (!isWell(outcomes, incidents)) return `${paint.bad('not ok')} the incidents could not be followed`
  return `${paint.good('ok')} ${all}: each was investigated and has its case.`
}

function paintStatus(status: string): string {
  if (status === 'Completed') return paint.good(status)
  return status === 'Failed' ? paint.bad(status) : paint.warn(status)
}

function paintVerdict(verdict: string): string {
  if (verdict === 'malicious') return paint.bad(verdict)
  return verdict === 'suspicious' ? paint.warn(verdict) : verdict
}
