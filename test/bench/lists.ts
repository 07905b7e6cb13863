/**
 * The time to the first page of every list with a million alerts and a hundred thousand cases of a year, with the usual filters and sort
 * orders, in the API and in a browser: `node test/bench/lists.ts [alerts] [cases]`.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startBrowser } from '../web/support/browser.ts'
import { signIn } from '../web/support/page-server.ts'
import { startChild } from './child.ts'
import { fillLists } from './fill-lists.ts'
import { whole } from './measure.ts'
import { printTable } from './print-table.ts'

const [alerts = 1_000_000, cases = 100_000] = process.argv.slice(2).map(Number)
const dayMs = 86_400_000
const week = Date.now() - 7 * dayMs
const long = Date.now() - 300 * dayMs

/** Queries of the page by path of the API. */
const queries: Readonly<Record<string, readonly string[]>> = {
  '/alerts': [
    '',
    'organization=acme',
    'organization=globex',
    'organization=acme&status=20',
    'provider=siem',
    'type=type_7',
    'type=type_7&status=20&organization=acme',
    'q=beacon',
    'q=user7',
    'q=type_7&organization=acme',
    'case=main-77',
    'observable=host:ws-77',
    `created_after=${week}`,
    `created_before=${long}`,
    'sort=created_at',
    'sort=-investigation_status',
    'sort=-modified_at',
    'organization=acme&sort=-modified_at',
    'organization=globex&sort=investigation_status',
  ].map((query) => `content=preview&${query}`),
  '/cases': [
    '',
    'active=true&unassigned=true&sort=queue',
    'active=true&assignee=ana&sort=queue',
    'sla=overdue&sort=due_at',
    'organization=acme',
    'organization=globex&sort=-severity',
    'status=open&severity=critical',
    'verdict=malicious&sort=-modified_at',
    'q=user99',
    'q=word7&organization=acme',
    'observable=host:ws-77',
    `created_after=${week}`,
    `created_before=${long}`,
    'sort=severity',
    'sort=-modified_at',
    'sort=due_at',
  ],
  '/runs': [
    '',
    'organization=acme',
    'organization=globex&status=failed',
    'status=failed',
    'playbook=playbook-7',
    'playbook=playbook-7&status=failed',
    'status=failed&error=broken',
    'case=main-77',
    `created_after=${week}`,
    `created_before=${long}`,
    `status=failed&created_before=${long}`,
    'sort=created_at',
  ],
  '/observables': ['', 'q=ws-99', 'kind=ip', 'kind=ip&organization=globex', 'sort=first_seen_at'],
  '/checkpoints': ['state=waiting', 'state=answered', 'state=answered&organization=globex'],
  '/containments': ['', 'state=all', 'state=undone&organization=main', 'case=main-77'],
  '/playbooks': ['', 'q=99', 'origin=made', 'sort=created_at'],
  '/connections': ['', 'sort=-modified_at'],
  '/accounts': ['', 'sort=email'],
  '/keys': ['', 'sort=-last_used_at'],
  '/audit': [
    '',
    'action=skill.called',
    'actor=playbook-7',
    'skill=endpoint.isolate',
    'skill=mail.purge',
    'skill=mail.purge&action=skill.ended&organization=acme',
    'organization=globex',
    `after=${week}`,
    `before=${long}`,
    `skill=mail.purge&before=${long}`,
    'sort=sequence',
  ],
}
const views = [
  'alerts',
  'cases',
  'runs',
  'observables',
  'checkpoints?state=answered',
  'containments',
  'playbooks',
  'keys',
  'audit',
]

const folder = await makeTemporaryFolder()
try {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../server/web/build.ts')])
  // A folder that was filled earlier saves minutes.
  const dataDir = process.env['TOCSIN_BENCH_DATA'] ?? join(folder.path, 'data')
  const isFilled = existsSync(dataDir)
  await mkdir(join(folder.path, 'playbooks'))
  const key = isFilled ? (process.env['TOCSIN_BENCH_KEY'] ?? '') : await fillLists(dataDir, { alerts, cases })
  if (!isFilled) console.log(`filled ${dataDir}; the key is ${key}`)
  const server = await startChild<{ apiUrl: string }>('tocsin-server.ts', {
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
  })
  try {
    await measureLists(server.said.apiUrl, key, async () => (await server.ask('usage')).cpuMs)
    await measureViews(server.said.apiUrl, key)
  } finally {
    await server.stop()
  }
} finally {
  await folder.remove()
}

async function measureLists(apiUrl: string, key: string, cpuMs: () => Promise<number>): Promise<void> {
  const rows: string[][] = []
  for (const [path, some] of Object.entries(queries))
    for (const query of some) {
      const url = `${apiUrl}${path}?limit=100&${query}`
      const times: number[] = []
      const cpu: number[] = []
      let total = 0
      for (let time = 0; time < 3; time++) {
        const cpuBefore = await cpuMs()
        const began = performance.now()
        const response = await fetch(url, { headers: { cookie: `Session=${key}` } })
        const answer = (await response.json()) as { readonly total: number }
        if (!response.ok) throw new Error(`${url}: ${JSON.stringify(answer)}`)
        times.push(performance.now() - began)
        cpu.push((await cpuMs()) - cpuBefore)
        total = answer.total
      }
      const shown = query
        .replace('content=preview&', '')
        .replaceAll(/\d{13}/g, (at) => (Number(at) === week ? 'week' : 'long ago'))
      rows.push([path, shown, whole(total), ...[...times, ...cpu].map((ms) => ms.toFixed(0))])
    }
  rows.sort((a, b) => Number(b[6]) - Number(a[6]))
  printTable(
    'Lists: GET, 100 rows, three times: milliseconds until the answer, and processor time of the server',
    ['list', 'query', 'total', 'first', 'second', 'third', 'CPU first', 'second', 'third'],
    rows,
  )
}

async function measureViews(apiUrl: string, key: string): Promise<void> {
  const browser = await startBrowser()
  const { page } = browser
  try {
    const { origin } = new URL(apiUrl)
    await page.goto(`${origin}/health`)
    await signIn(page, key)
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    const rows: string[][] = []
    for (const view of views) {
      const times: string[] = []
      for (let time = 0; time < 2; time++) {
        const began = performance.now()
        await page.goto(`${origin}/${view}`)
        await page.locator('.data-table-row[data-index], article').first().waitFor()
        times.push((performance.now() - began).toFixed(0))
      }
      rows.push([view, ...times])
    }
    printTable(
      'Lists: the first rows in a browser, in ms after the navigation',
      ['view', 'first', 'again'],
      rows,
    )
  } finally {
    await browser.close()
  }
}
