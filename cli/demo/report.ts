import { investigatorName } from '../../core/investigation/make-investigator.ts'
import { paint } from '../output/paint.ts'
import { printable, printableLines } from '../output/printable.ts'
import { table } from '../output/table.ts'
import { wrap } from '../output/wrap.ts'
import type { DoneByHand } from './act-by-hand.ts'
import type { FollowedIncidents } from './follow-incidents.ts'
import type { Outcome } from './post-and-await.ts'
import { demoOrganization } from './prepare.ts'
import type { Person } from './sample-alerts.ts'
import { unexpected } from './unexpected.ts'

/** What happened besides the alerts. */
export interface Besides {
  /** Undefined: the playbook for them is not in force. */
  readonly incidents: FollowedIncidents | undefined
  readonly byHand: readonly DoneByHand[]
  /** Of machines, one a line. */
  readonly actions: string
}

const indent = '        '

/** What the demo says at its end: a table of the alerts, what people and machines did, and a sentence. */
export function report(outcomes: readonly Outcome[], besides: Besides): string {
  const stories = outcomes.filter(({ sample }) => sample.story !== undefined)
  const others = outcomes
    .filter(({ sample }) => sample.story === undefined)
    .toSorted((a, b) => Number(isMade(a)) - Number(isMade(b)))
  return [
    '',
    paint.strong('What came in, who was asked, and what was found'),
    '',
    ...stories.flatMap(storyLines),
    paint.strong(`${others.length} more, as ${new Set(others.map(providerOf)).size} makers send them`),
    '',
    alertTable(others),
    ...incidentLines(besides.incidents),
    ...(besides.byHand.length === 0
      ? []
      : ['', paint.strong('By hand, with the playbook isolate-with-approval')]),
    ...besides.byHand.flatMap(byHandLines),
    ...actionLines(besides.actions),
    '',
    sentence(outcomes, besides),
  ].join('\n')
}

/** Whether everything went as it should. */
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

/** Whether no playbook fitted, so that one was made for the type of the alert. */
const isMade = ({ playbook, sample: { alertType } }: Outcome): boolean =>
  playbook === investigatorName(alertType, demoOrganization.code)

/** A playbook that was made has a long name that says no more. */
const playbookOf = (outcome: Outcome): string =>
  isMade(outcome) ? paint.dim(`made for ${printable(outcome.sample.alertType)}`) : printable(outcome.playbook)

function storyLines(outcome: Outcome): string[] {
  const { caseId, alertId, status, severity, verdict, summary, sample } = outcome
  const found = status === 'Completed' ? `${paintVerdict(verdict)}, ${severity}` : paintStatus(status)
  return [
    `${paint.strong(caseId.padEnd(indent.length - 1))} ${playbookOf(outcome)}: ${found}  ${paint.dim(alertId)}`,
    wrap(sample.story ?? '', indent),
    ...sample.people.map((person) => wrap(whatTheyDid(person), indent, paint.dim)),
    ...(summary === '' ? [] : [wrap(`→ ${summary}`, indent)]),
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
    wrap(story, indent),
    wrap(whatTheyDid(person), indent, paint.dim),
    wrap(`→ ${text === '' ? outcome : text}`, indent),
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
  return `${paint.good('ok')} ${all}: each was investigated as it should be, and has its case.`
}

function paintStatus(status: string): string {
  if (status === 'Completed') return paint.good(status)
  return status === 'Failed' ? paint.bad(status) : paint.warn(status)
}

function paintVerdict(verdict: string): string {
  if (verdict === 'malicious') return paint.bad(verdict)
  return verdict === 'suspicious' ? paint.warn(verdict) : verdict
}
