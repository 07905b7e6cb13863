import { investigatorName } from '../../core/investigation/generate-investigator.ts'
import { paint } from '../output/paint.ts'
import { printable, printableLines } from '../output/printable.ts'
import { table } from '../output/table.ts'
import { wrapText } from '../output/wrap.ts'
import type { DoneByHand } from './act-by-hand.ts'
import type { FollowedIncidents } from './follow-incidents.ts'
import type { Outcome } from './post-and-await.ts'
import type { Person } from './sample-alerts.ts'
import { unexpected } from './unexpected.ts'

/** Events beside the alerts. */
export interface Besides {
  /** Undefined: their playbook is not live. */
  readonly incidents: FollowedIncidents | undefined
  readonly byHand: readonly DoneByHand[]
  /** One line per machine. */
  readonly actions: string
}

const indent = '        '

/** The final report: a table of the alerts, the actions of people and machines, and a summary. */
export function report(outcomes: readonly Outcome[], besides: Besides): string {
  const stories = outcomes.filter(({ sample }) => sample.story !== undefined)
  const others = outcomes
    .filter(({ sample }) => sample.story === undefined)
    .toSorted((a, b) => Number(isMade(a)) - Number(isMade(b)))
  return [
    '',
    paint.strong('Alerts, questions and outcomes'),
    '',
    ...stories.flatMap(storyLines),
    paint.strong(`${others.length} more, from ${new Set(others.map(providerOf)).size} providers`),
    '',
    alertTable(others),
    ...incidentLines(besides.incidents),
    ...(besides.byHand.length === 0
      ? []
      : ['', paint.strong('Started manually: the playbook isolate-with-approval')]),
    ...besides.byHand.flatMap(byHandLines),
    ...actionLines(besides.actions),
    '',
    sentence(outcomes, besides),
  ].join('\n')
}

/** Whether everything had the expected outcome. */
export const isWell = (outcomes: readonly Outcome[], besides: Omit<Besides, 'actions'>): boolean =>
  unexpected(outcomes, besides).length === 0

const providerOf = ({ sample }: Outcome): string => sample.provider

function alertTable(outcomes: readonly Outcome[]): string {
  const header = ['STATUS', 'ALERT', 'PLAYBOOK', 'CASE', 'SEVERITY', 'VERDICT', 'TIME']
  const rows = outcomes.map((outcome) => [
    paintStatus(outcome.status),
    outcome.alertId,
    playbookOf(outcome),
    outcome.caseId,
    outcome.severity,
    paintVerdict(outcome.verdict),
    outcome.durationMs === undefined ? '' : `${outcome.durationMs} ms`,
  ])
  return table(header, rows)
}

/** Whether the playbook was generated because no playbook matched. */
const isMade = ({ playbook, sample: { alertType, organization } }: Outcome): boolean =>
  playbook === investigatorName(alertType, organization)

/** The long names of generated playbooks add no information. */
const playbookOf = (outcome: Outcome): string =>
  isMade(outcome)
    ? paint.dim(`generated for ${printable(outcome.sample.alertType)}`)
    : printable(outcome.playbook)

function storyLines(outcome: Outcome): string[] {
  const { caseId, alertId, status, severity, verdict, summary, sample } = outcome
  const found = status === 'Completed' ? `${paintVerdict(verdict)}, ${severity}` : paintStatus(status)
  return [
    `${paint.strong(caseId.padEnd(indent.length - 1))} ${playbookOf(outcome)}: ${found}  ${paint.dim(alertId)}`,
    wrapText(sample.story ?? '', indent),
    ...sample.people.map((person) => wrapText(whatTheyDid(person), indent, paint.dim)),
    ...(summary === '' ? [] : [wrapText(`→ ${summary}`, indent)]),
    '',
  ]
}

const whatTheyDid = ({ email, presses }: Person): string =>
  presses === null ? `${email} never looked.` : `${email} pressed '${presses}'.`

function incidentLines(incidents: FollowedIncidents | undefined): string[] {
  if (incidents === undefined) return []
  const { status, incidents: count } = incidents
  const done = status === 'completed' ? `each of the ${count} has its case` : paint.bad(status)
  return ['', `Incidents of the threat platform (playbook threat-platform-incidents): ${done}.`]
}

function byHandLines({ story, person, text, outcome }: DoneByHand): string[] {
  return [
    '',
    wrapText(story, indent),
    wrapText(whatTheyDid(person), indent, paint.dim),
    wrapText(`→ ${text === '' ? outcome : text}`, indent),
  ]
}

function actionLines(actions: string): string[] {
  const lines = printableLines(actions).split('\n')
  return ['', 'Machines, in the endpoint security sandbox:', ...lines.map((line) => `  ${line}`)]
}

function sentence(outcomes: readonly Outcome[], besides: Besides): string {
  const wrong = unexpected(outcomes, besides)
  const all = `${outcomes.length} alerts of ${new Set(outcomes.map(providerOf)).size} providers`
  if (wrong.length > 0)
    return [`${paint.bad('not ok')} ${all}:`, ...wrong.map((one) => `  ${one}`)].join('\n')
  return `${paint.good('ok')} ${all}: each was investigated as expected and has a case.`
}

function paintStatus(status: string): string {
  if (status === 'Completed') return paint.good(status)
  return status === 'Failed' ? paint.bad(status) : paint.warn(status)
}

function paintVerdict(verdict: string): string {
  if (verdict === 'malicious') return paint.bad(verdict)
  return verdict === 'suspicious' ? paint.warn(verdict) : verdict
}
