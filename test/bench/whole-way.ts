import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody } from './alert-body.ts'
import { startChild, type Child } from './child.ts'
import { compare, type Way } from './compare.ts'
import { post } from './load.ts'
import type { Options } from './options.ts'

const alertType = 'suspicious_sign_in'

/** Five calls to another system, one after the other. */
const playbook = `apiVersion: tocsin/v1
name: five-calls
description: Five calls of another system.
on: { alert: { type: ${alertType} } }
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: call_${n}, uses: http.get, connection: stub, with: { path: /${n} } }`).join('\n')}
outputs: { statuses: ["\${{ steps.call_1.output.status }}", "\${{ steps.call_5.output.status }}"] }
`

export interface WholeWay {
  readonly tocsin: Child<{ apiUrl: string; key: string }>
  /** Sends alerts, and waits until each has been investigated. */
  readonly investigate: Way
  /** The same five calls, in a bare loop. */
  readonly callOnly: Way
  /** The rows of an alert and of a run with five steps, without calls. */
  readonly rowsOnly: Way
  /** What a sender of these alerts needs. */
  readonly alerts: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** Folder of the databases: `data/tocsin.db`, and `least.db` of the bare loop. */
  readonly folder: string
  stop(): Promise<void>
}

interface RunPage {
  readonly data: readonly { readonly playbook: string; readonly status: string }[]
}

/**
 * Tocsin with that playbook and a connection to a system that answers at once, and a minimal program that
 * does the same. `env` adds variables of Tocsin.
 */
export async function startWholeWay(env: Readonly<Record<string, string>> = {}): Promise<WholeWay> {
  const folder = await makeTemporaryFolder()
  const playbooks = join(folder.path, 'playbooks')
  await mkdir(playbooks)
  await writeFile(join(playbooks, 'five-calls.yaml'), playbook)
  const stub = await startChild<{ url: string }>('stub-server.ts')
  const least = await startChild<{ port: number }>('least-server.ts', {
    TOCSIN_DATA_DIR: folder.path,
    TOCSIN_BENCH_STUB: stub.said.url,
  })
  const tocsin = await startChild<WholeWay['tocsin']['said']>('tocsin-server.ts', {
    TOCSIN_DATA_DIR: join(folder.path, 'data'),
    TOCSIN_PLAYBOOKS_DIR: playbooks,
    TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1',
    ...env,
  })
  const { apiUrl, key } = tocsin.said
  const headers = { 'content-type': 'application/json', cookie: `Session=${key}`, prefer: 'wait=30' }
  await connect(`${apiUrl}/connections`, headers, stub.said.url)
  const body = alertBody(1, 2_048, alertType)
  const to =
    (child: Child<unknown>, url: string): Way =>
    (connections, seconds) =>
      post({ url, headers, body, connections, seconds, usage: () => child.ask('usage') })
  const investigate = to(tocsin, `${apiUrl}/alerts`)
  return {
    tocsin,
    callOnly: to(least, `http://127.0.0.1:${least.said.port}/call`),
    rowsOnly: to(least, `http://127.0.0.1:${least.said.port}/run`),
    alerts: { headers, body },
    folder: folder.path,
    async investigate(count, seconds) {
      const figures = await investigate(count, seconds)
      const { data } = (await (await fetch(`${apiUrl}/runs?limit=50`, { headers })).json()) as RunPage
      const wrong = data.find((run) => run.playbook !== 'five-calls' || run.status !== 'completed')
      if (wrong) throw new Error(`a run did not come to its end: ${JSON.stringify(wrong)}`)
      return figures
    },
    async stop() {
      await Promise.all([stub.stop(), least.stop(), tocsin.stop()])
      await folder.remove()
    },
  }
}

async function connect(url: string, headers: Readonly<Record<string, string>>, stub: string): Promise<void> {
  const settings = { base_url: stub, header_value: 'Bearer 0123456789abcdef' }
  const connection = { organization_code: 'main', plugin: 'http', name: 'stub', settings }
  const made = await fetch(url, { method: 'POST', headers, body: JSON.stringify(connection) })
  if (made.status !== 201) throw new Error(`the connection could not be made: ${await made.text()}`)
}

/**
 * From the alert over HTTP, through five calls over HTTP, to its case; compared with a bare loop of the
 * same calls with the same client.
 */
export async function benchWholeWay(options: Options): Promise<void> {
  const way = await startWholeWay()
  try {
    await compare({
      ...options,
      title:
        'Whole way: an alert of 2 KB over HTTP, five calls of a local system with got, a case, answered at the end',
      ways: { 'a bare loop, an insert': way.callOnly, Tocsin: way.investigate },
      baseline: 'a bare loop, an insert',
    })
  } finally {
    await way.stop()
  }
}
