import type { Tocsin } from '../../server/main.ts'
import { paint } from './paint.ts'
import { printable } from './printable.ts'

/** What a server says when it has started; on the first start, how to send the first alert. */
export function welcome(tocsin: Tocsin): string {
  const { config, catalogue, library } = tocsin
  const facts = [
    ['data', printable(config.dataDir)],
    ['playbooks', `${library.written().length} in force from ${printable(config.playbooksDir)}`],
    [
      'plugins',
      `${catalogue.plugins.map((plugin) => plugin.name).join(', ')} (${catalogue.skills.length} skills)`,
    ],
  ]
  const lines = [
    `${paint.good('Tocsin is listening')} on ${paint.strong(tocsin.url)}`,
    ...facts.map(([name = '', value = '']) => `  ${paint.dim(name.padEnd(10))}${value}`),
  ]
  return (
    tocsin.adminKey === undefined ? lines : [...lines, ...firstSteps(tocsin.apiUrl, tocsin.adminKey)]
  ).join('\n')
}

function firstSteps(apiUrl: string, key: string): string[] {
  return [
    '',
    `${paint.strong('First start.')} This admin key is shown once; keep it:`,
    '',
    `  ${key}`,
    '',
    'Send a first alert, and wait for what becomes of it:',
    '',
    `  ${firstAlert(apiUrl, key)}`,
    '',
    'Then look at its case:',
    '',
    `  curl -sS ${apiUrl}/cases/main-1 -H 'Cookie: Session=${key}'`,
  ]
}

/** A curl line that works when it is pasted. */
function firstAlert(apiUrl: string, key: string): string {
  const body = {
    alert_provider: 'custom',
    organization_code: 'main',
    alert_type: 'first_alert',
    alert_content: 'User bo@example.com opened hxxps://examp1e[.]com/login from 198.51.100.23',
  }
  return [
    `curl -sS ${apiUrl}/alerts`,
    `-H 'Cookie: Session=${key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n    ')
}
