import { investigatorName } from '../../core/investigation/generate-investigator.ts'
import { firstInvitationHours } from '../../server/access/invitations.ts'
import type { Tocsin } from '../../server/main.ts'
import { paint } from './paint.ts'
import { printable } from './printable.ts'

/** The message of a started server; on the first start, with instructions for a first alert. */
export function welcome(tocsin: Tocsin): string {
  const { config, catalogue } = tocsin
  const facts = [
    ['page', pageFact(tocsin)],
    ['data', printable(tocsin.database ?? config.dataDir)],
    ...playbookFacts(tocsin),
    ...pauseFacts(tocsin),
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
    tocsin.adminKey === undefined
      ? lines
      : [...lines, ...firstAccount(tocsin), ...firstSteps(tocsin.apiUrl, tocsin.adminKey)]
  ).join('\n')
}

const pageFact = ({ url, hasPage, adminKey }: Tocsin): string =>
  hasPage
    ? `${url}/${adminKey === undefined ? '' : ' (sign in with the account or the key below)'}`
    : 'not built; run npm run page, then restart'

/** The account of the person who started the server. */
function firstAccount({ invitationUrl, hasPage }: Tocsin): string[] {
  if (invitationUrl === undefined || !hasPage) return []
  return [
    '',
    paint.strong(
      `Create your account as the first administrator; the link works once, for ${firstInvitationHours} hour:`,
    ),
    '',
    `  ${invitationUrl}`,
    '',
    paint.dim('Later, make another link with: tocsin people invite <E-MAIL> --role admin'),
  ]
}

/** Maximum number of listed files. */
const maxNamed = 5

function playbookFacts({ config, library }: Tocsin): (readonly string[])[] {
  const [refused, rivals] = [library.refused(), library.rivals()]
  const live = `${library.authored().length} loaded from ${printable(config.playbooksDir)}`
  if (refused.length === 0 && rivals.length === 0) return [['playbooks', live]]
  const rest = refused.length - maxNamed
  const named = refused.slice(0, maxNamed).map(({ file, errors }) => {
    return `${printable(file)} (${errors} problem${errors === 1 ? '' : 's'})`
  })
  const refusal = `${refused.length} refused: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return [
    ['playbooks', refused.length === 0 ? live : `${live}, ${paint.bad(refusal)}`],
    ...rivals.slice(0, maxNamed).map(({ message }) => ['', paint.warn(printable(message, 400))]),
    [
      '',
      `run tocsin validate to see the problems; fixed playbooks are published ${config.playbooksReloadMs > 0 ? 'without a restart' : 'at the next start'}`,
    ],
  ]
}

function pauseFacts({ pause, apiUrl }: Tocsin): (readonly string[])[] {
  if (pause === undefined) return []
  const since = new Date(pause.since).toISOString()
  return [
    ['paused', paint.warn(`since ${since} by ${printable(pause.by.name)}: ${printable(pause.reason)}`)],
    ['', `alerts are accepted and their runs wait; resume with POST ${apiUrl}/engine/resume`],
  ]
}

function firstSteps(apiUrl: string, key: string): string[] {
  const cookie = `-H 'Cookie: Session=${key}'`
  const show = (path: string) => `  curl -sS ${apiUrl}${path} ${cookie}`
  const made = investigatorName(firstAlert.alert_type, firstAlert.organization_code)
  return [
    '',
    paint.strong('This admin key is shown only once. Store it safely:'),
    '',
    `  ${key}`,
    '',
    '1. Send an alert and wait for its investigation; the answer has investigation_status 15 (Completed).',
    '',
    `  ${post(`${apiUrl}/alerts`, [cookie, "-H 'Prefer: wait=30'"], firstAlert)}`,
    '',
    '2. See its case, and the playbook that was generated because there is none for first_alert:',
    '',
    show('/cases/main-1'),
    show(`/playbooks/${made}`),
    '',
    '3. To look up observables, create a connection with the address and key of your intelligence provider,',
    '   and send the alert again:',
    '',
    `  ${post(`${apiUrl}/connections`, [cookie], firstConnection)}`,
    '',
    'Continue with README.md; docs/api.md describes every call.',
  ]
}

const firstAlert = {
  alert_provider: 'custom',
  organization_code: 'main',
  alert_type: 'first_alert',
  alert_content: 'User bo@example.com opened hxxps://examp1e[.]com/login from 198.51.100.23',
}

const firstConnection = {
  organization_code: 'main',
  name: 'intel',
  plugin: 'intel_provider',
  settings: { base_url: 'https://<ADDRESS>', api_key: '<KEY>' },
}

/** A curl command to paste. */
function post(url: string, options: readonly string[], body: unknown): string {
  return [
    `curl -sS ${url}`,
    ...options,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n    ')
}
