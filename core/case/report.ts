import { alertStatusNames } from '../domain/alert.ts'
import type { ActionDecision, CaseAction, CaseEntry } from '../domain/case.ts'
import type { ListedRun } from '../ports/runs/run-store.ts'
import type { CaseFile } from './case-file.ts'
import { markdownBlock, markdownCode } from './markdown-code.ts'
import { actionOutcomeTexts, inputText } from './actions.ts'
import type { CaseObservable, Learned, ObservableUse } from './observables.ts'

/** Of each list; the file as JSON has more. */
const maxRows = 200

/**
 * A report of a case for people who were not there, as Markdown. The words outside of code are ours alone: whatever an alert, a
 * person or another system wrote stands in code, where nothing of it is interpreted.
 *
 * @param atMs when it is made, epoch milliseconds
 */
export function caseReport(file: CaseFile, atMs: number): string {
  const { case: found, alerts, runs, actions, observables, timeline, leftOut } = file
  const sections = [
    `# Case ${markdownCode(found.id)}`,
    `**Title:** ${markdownCode(found.title)}`,
    factsOf(file),
    '## Summary',
    found.summary === '' ? 'Nothing has been written down yet.' : markdownBlock(found.summary),
    ...(actions.length === 0
      ? ['## Actions taken', 'No destructive action is on record.']
      : section('Actions taken', actions, actionLine, leftOut.actions)),
    ...section('What is known of its observables', observables, observableLine, leftOut.observables),
    ...section('What happened', timeline, entryLine, leftOut.timeline),
    ...section(
      'Alerts',
      alerts,
      (alert) =>
        `- ${markdownCode(alert.id)}: ${markdownCode(alert.type ?? 'no type')} from ${markdownCode(alert.provider)}, ` +
        `received ${utc(alert.createdAt)}, ${alertStatusNames[alert.status]}`,
      leftOut.alerts,
    ),
    ...section('Runs', runs, runLine, leftOut.runs),
    '---',
    `Made by Tocsin on ${utc(atMs)} from revision ${found.revision} of the case. Times are in UTC. What stands in \`code\` was written by ` +
      'alerts, people or other systems, and is shown as they wrote it.',
  ]
  return `${sections.join('\n\n')}\n`
}

function factsOf({ case: found, alerts, runs, leftOut }: CaseFile): string {
  const facts = {
    Status: found.status.replace('_', ' '),
    Severity: found.severity,
    Verdict: found.verdict,
    Assignee: found.assignee === null ? 'nobody' : markdownCode(found.assignee),
    Opened: utc(found.createdAt),
    'Last change': utc(found.modifiedAt),
    Alerts: countText(alerts.length + leftOut.alerts, found.alertsDeleted),
    Runs: countText(runs.length + leftOut.runs, found.runsDeleted),
  }
  return Object.entries(facts)
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n')
}

const countText = (there: number, deleted: number): string =>
  deleted === 0 ? String(there) : `${there} (deleted, since they are kept no longer: ${deleted})`

function section<T>(
  title: string,
  rows: readonly T[],
  line: (row: T) => string,
  besides: number,
): readonly string[] {
  if (rows.length === 0) return []
  const more = Math.max(0, rows.length - maxRows) + besides
  const lines = rows.slice(0, maxRows).map(line)
  return [`## ${title}`, lines.join('\n'), ...(more > 0 ? [`… and ${more} more.`] : [])]
}

function actionLine(action: CaseAction): string {
  const { skill, outcome, status, error, playbook, path, decisions, started_at: startedAt } = action
  const input = inputText(action)
  return [
    `- ${utc(startedAt)}: ${markdownCode(skill)} **${actionOutcomeTexts[outcome]}**`,
    status === null ? '' : `, status ${markdownCode(status)}`,
    input === '' ? '' : `, with ${markdownCode(input)}`,
    `, by step ${markdownCode(path)} of the playbook ${markdownCode(playbook)} (run ${markdownCode(action.run_uuid)})`,
    ...decisions.map(decisionText),
    error === null ? '' : `; error: ${markdownCode(error.message)}`,
  ].join('')
}

function decisionText({ kind, by, answer, path, at }: ActionDecision): string {
  const who = `${byWhom(by)} on ${utc(at)}`
  if (kind === 'approval') return `; approved by ${who}`
  const said = answer === null ? '' : `: ${markdownCode(answer)}`
  return kind === 'resolution'
    ? `; outcome decided by ${who}${said}`
    : `; question ${markdownCode(path)} answered by ${who}${said}`
}

function observableLine({ kind, value, learned, used }: CaseObservable): string {
  const head = `- ${kind} ${markdownCode(value)}`
  const said = [...learned.map(learnedText), ...used.map(useText)]
  return `${head}: ${said.length === 0 ? 'not looked up' : said.join('; ')}`
}

function useText({ source, at, state, isQuestion }: ObservableUse): string {
  const how = isQuestion ? 'asked via' : 'given to'
  const failed = state === 'failed' ? ', which failed' : ''
  return `${how} ${markdownCode(source)} on ${utc(at)}${failed}`
}

function learnedText({ source, at, score, level, summary, error }: Learned): string {
  const asked = `${markdownCode(source)} on ${utc(at)}`
  if (error !== null) return `could not be looked up with ${asked}: ${markdownCode(error.message)}`
  const risk = score === null ? 'nothing is known' : `risk ${score} of 100`
  const words = [level, summary].filter((text) => text !== null).map((text) => markdownCode(text))
  return `${risk}, by ${[asked, ...words].join(', ')}`
}

function entryLine({ at, actor, kind, text }: CaseEntry): string {
  return `- ${utc(at)}, ${byWhom(actor)}: ${kind === 'note' ? 'noted ' : ''}${markdownCode(text)}`
}

/** What kind of actor it is stands in our words: a name is what somebody chose. */
function byWhom({ kind, id, name }: CaseEntry['actor']): string {
  if (kind === 'run') return `the playbook ${markdownCode(name)}`
  if (kind === 'server') return `Tocsin (${markdownCode(name)})`
  if (kind === 'api_key') return `${markdownCode(name)} (API key${id === '' ? '' : ` ${markdownCode(id)}`})`
  return `${markdownCode(name)} (${kind})`
}

function runLine({ playbookName, status, startedAt, endedAt, error, prunedAt }: ListedRun): string {
  const times = [startedAt === null ? 'not begun' : `from ${utc(startedAt)}`]
  if (endedAt !== null) times.push(`to ${utc(endedAt)}`)
  const loss = prunedAt === null ? '' : `, its steps deleted on ${utc(prunedAt)}`
  const reason = error === null ? '' : `: ${markdownCode(error.message)}`
  return `- ${markdownCode(playbookName)} ${status}, ${times.join(' ')}${loss}${reason}`
}

/** `2026-03-01 14:05:09`. */
const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
