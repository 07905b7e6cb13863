import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { table } from '../../cli/output/table.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody } from './alert-body.ts'
import { startChild, type Child } from './child.ts'
import { post } from './load.ts'
import { cells, figureTitles, type Figures } from './measure.ts'

export const investigatedType = 'suspicious_sign_in'

/** Five calls of another system, one after the other. */
const playbook = `apiVersion: tocsin/v1
name: five-calls
description: Five calls of another system.
on: { alert: { type: ${investigatedType} } }
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: call_${n}, uses: http.get, connection: stub, with: { path: /${n} } }`).join('\n')}
outputs: { statuses: ["\${{ steps.call_1.output.status }}", "\${{ steps.call_5.output.status }}"] }
`

export interface WholeWay {
  readonly tocsin: Child<{ apiUrl: string; key: string; bootMs: number }>
  readonly least: Child<{ port: number }>
  /** Sends alerts and waits until each has been investigated. */
  load(count: number, seconds: number): Promise<{ readonly ours: Figures; readonly bare: Figures }>
  loadOurs(count: number, seconds: number): Promise<Figures>
  stop(): Promise<void>
}

interface RunPage {
  readonly data: readonly { readonly playbook: string; readonly status: string }[]
}

/** Tocsin with that playbook and a connection to a system that answers at once, and the least that does the same. */
export async function startWholeWay(env: Readonly<Record<string, string>> = {}): Promise<WholeWay> {
  const folder = await makeTemporaryFolder()
  const playbooks = join(folder.path, 'playbooks')
  await mkdir(playbooks)
  await writeFile(join(playbooks, 'five-calls.yaml'), playbook)
  const stub = await startChild<{ url: string }>('stub-server.ts')
  const given = { TOCSIN_DATA_DIR: folder.path, TOCSIN_BENCH_STUB: stub.said.url, ...env }
  const least = await startChild<{ port: number }>('least-server.ts', given)
  const tocsin = await startChild<WholeWay['tocsin']['said']>('tocsin-server.ts', {
    ...given,
    TOCSIN_DATA_DIR: join(folder.path, 'data'),
    TOCSIN_PLAYBOOKS_DIR: playbooks,
    TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1',
  })
  const { apiUrl, key } = tocsin.said
  const headers = { 'content-type': 'application/json', cookie: `Session=${key}`, prefer: 'wait=30' }
  const made = await fetch(`${apiUrl}/connections`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      organization_code: 'main',
      plugin: 'http',
      name: 'stub',
      settings: { base_url: stub.said.url, header_value: 'Bearer 0123456789abcdef' },
    }),
  })
  if (made.status !== 201) throw new Error(`the connection could not be made: ${await made.text()}`)
  const body = alertBody(1, 2_048, investigatedType)
  const measure = (child: Child<unknown>, url: string, connections: number, seconds: number) =>
    post({ url, headers, body, connections, seconds, usage: () => child.ask('usage') })
  return {
    tocsin,
    least,
    async load(count, seconds) {
      const bareUrl = `http://127.0.0.1:${least.said.port}/call`
      for (const [child, url] of [
        [least, bareUrl],
        [tocsin, `${apiUrl}/alerts`],
      ] as const) {
        await measure(child, url, count, Math.min(seconds, 1))
      }
      const bare = await measure(least, bareUrl, count, seconds)
      const ours = await measure(tocsin, `${apiUrl}/alerts`, count, seconds)
      const runs = (await (await fetch(`${apiUrl}/runs?limit=50`, { headers })).json()) as RunPage
      const isWrong = runs.data.some((run) => run.playbook !== 'five-calls' || run.status !== 'completed')
      if (isWrong) throw new Error(`a run did not come to its end: ${JSON.stringify(runs.data[0])}`)
      return { bare, ours }
    },
    loadOurs: (count, seconds) => measure(tocsin, `${apiUrl}/alerts`, count, seconds),
    async stop() {
      await Promise.all([stub.stop(), least.stop(), tocsin.stop()])
      await folder.remove()
    },
  }
}

/** From the alert over HTTP, through five calls over HTTP, to its case; beside a bare loop of the same calls with the same client. */
export async function benchWholeWay({
  seconds,
  connections,
}: {
  seconds: number
  connections: readonly number[]
}): Promise<void> {
  const way = await startWholeWay()
  try {
    const rows: string[][] = []
    for (const count of connections) {
      const { bare, ours } = await way.load(count, seconds)
      rows.push(['a bare loop', String(count), ...cells(bare), ''])
      rows.push(['Tocsin', String(count), ...cells(ours), (ours.perSecond / bare.perSecond).toFixed(2)])
    }
    console.log(
      '\nWhole way: an alert of 2 KB over HTTP, five calls of a local system, a case; ratio to a bare loop with the same client\n',
    )
    console.log(table(['', 'CONNECTIONS', ...figureTitles, 'RATIO'], rows))
  } finally {
    await way.stop()
  }
}
