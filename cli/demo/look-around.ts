import { paint } from '../output/paint.ts'
import type { Outcome } from './post-and-await.ts'
import { demoOrganization } from './prepare.ts'

/** Suggestions to try while the demo stays up. */
export function lookAround(apiUrl: string, key: string, outcomes: readonly Outcome[]): string {
  const denied = outcomes.find(({ sample }) => sample.people.some(({ presses }) => presses === 'not_mine'))
  const caseId = denied?.caseId ?? `${demoOrganization.code}-1`
  const curl = (path: string) => `  curl -sS ${apiUrl}${path} -H 'Cookie: Session=${key}'`
  return [
    '',
    paint.strong('Answer a question yourself'),
    '1. In another terminal, send an alert:',
    '',
    `  curl -sS ${apiUrl}/alerts \\`,
    `    -H 'Cookie: Session=${key}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(byHand)}'`,
    '',
    '2. The question appears below. Answer it here as the person who was asked:',
    '',
    `  click ${person} not_mine`,
    '',
    "3. The machine is being isolated: type 'machines' to see it, 'help' for other commands, 'requests on' to see every request.",
    '',
    paint.strong('Look around'),
    paint.dim('  a case with its alerts, runs and timeline:'),
    curl(`/cases/${caseId}`),
    paint.dim('  every run; /runs/<uuid> shows its steps:'),
    curl('/runs'),
    paint.dim('  the playbooks, including generated ones:'),
    curl('/playbooks'),
    '',
    "Type 'quit' or press Ctrl-C to stop and remove everything.",
  ].join('\n')
}

const person = 'dana@example.com'

/** An object: JSON inside a JSON string is hard to paste. */
const byHand = {
  alert_provider: 'identity',
  organization_code: demoOrganization.code,
  alert_type: 'impossible_travel',
  alert_content: JSON.stringify({
    risk: 80,
    user: { email: person },
    ip: '203.0.113.77',
    country: 'BR',
    at: '2026-01-22T02:47:55Z',
    machine_id: 'dd0c9a1b7d2e48569c0fb1a2d3e4f50617283933',
  }),
}

export function goOn(): string {
  return [
    '',
    'Where to look next:',
    `  npm run demo -- --keep   ${paint.dim('keeps running afterwards, so that you can look at cases and runs and answer questions')}`,
    `  npm start                ${paint.dim('your own server, with a first key and an alert to send')}`,
    `  npx tocsin sandbox       ${paint.dim('these emulated systems for your own server')}`,
    `  npx tocsin skills        ${paint.dim('what playbooks can call')}`,
  ].join('\n')
}
