import { paint } from '../output/paint.ts'
import { printable } from '../output/printable.ts'
import { table } from '../output/table.ts'
import type { Outcome } from './post-and-await.ts'

/** What the demo says at its end: a table of the alerts, a sentence, and where to look next. */
export function report(
  outcomes: readonly Outcome[],
  { apiUrl, key, keep }: { readonly apiUrl: string; readonly key: string; readonly keep: boolean },
): string {
  const rows = outcomes.map((outcome) => [
    outcome.alertId,
    printable(outcome.provider),
    printable(outcome.alertType),
    paintStatus(outcome.status),
    printable(outcome.playbook),
    outcome.caseId,
    outcome.severity,
    paintVerdict(outcome.verdict),
    outcome.durationMs === undefined ? '' : `${outcome.durationMs} ms`,
  ])
  const header = [
    'ALERT',
    'PROVIDER',
    'TYPE',
    'STATUS',
    'PLAYBOOK',
    'CASE',
    'SEVERITY',
    'VERDICT',
    'DURATION',
  ]
  const next = keep ? lookAround(apiUrl, key, outcomes) : goOn()
  return ['', table(header, rows), '', sentence(outcomes), '', ...next].join('\n')
}

function sentence(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter((outcome) => outcome.status !== 'Completed')
  const makers = new Set(outcomes.map((outcome) => outcome.provider)).size
  const all = `${outcomes.length} alerts of ${makers} makers`
  if (failed.length === 0) return `${paint.good('ok')} ${all}: each was investigated and has its case.`
  return `${paint.bad('not ok')} ${all}: ${failed.length} not investigated: ${failed.map((one) => one.alertId).join(', ')}`
}

function lookAround(apiUrl: string, key: string, outcomes: readonly Outcome[]): string[] {
  const caseId = outcomes.find((outcome) => outcome.verdict === 'malicious')?.caseId ?? 'demo-1'
  const curl = (path: string) => `  curl -sS ${apiUrl}${path} -H 'Cookie: Session=${key}'`
  return [
    'Look around (Ctrl-C stops and removes everything):',
    `${curl(`/cases/${caseId}`)}      ${paint.dim('a case with its alerts, runs and timeline')}`,
    `${curl('/runs')}        ${paint.dim('every run; /runs/<uuid> shows its steps')}`,
    `${curl('/playbooks')}   ${paint.dim('the playbooks, also those that were made')}`,
  ]
}

function goOn(): string[] {
  return [
    'Where to look next:',
    `  npm run demo -- --keep   ${paint.dim('the same, and stays up to look at cases, runs and playbooks')}`,
    `  npm start                ${paint.dim('a server of your own, with a first key and a first alert to paste')}`,
    `  npx tocsin skills        ${paint.dim('what playbooks can call')}`,
  ]
}

function paintStatus(status: string): string {
  if (status === 'Completed') return paint.good(status)
  return status === 'Failed' ? paint.bad(status) : paint.warn(status)
}

function paintVerdict(verdict: string): string {
  if (verdict === 'malicious') return paint.bad(verdict)
  return verdict === 'suspicious' ? paint.warn(verdict) : verdict
}
