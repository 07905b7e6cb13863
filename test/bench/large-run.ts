import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startChild, type Child } from './child.ts'
import { printTable } from './print-table.ts'

/** Three nested loops: about 190,000 journal lines. */
const nested = `apiVersion: tocsin/v1
name: nested
on: { alert: { type: nested } }
steps:
  - id: a
    foreach: \${{ ${list(100)} }}
    steps:
      - id: b
        foreach: \${{ ${list(100)} }}
        steps:
          - id: c
            foreach: \${{ ${list(18)} }}
            steps: [{ set: { v: 1 } }]
`

type Server = Child<{ readonly apiUrl: string; readonly key: string | undefined }>
interface Run {
  readonly run_uuid: string
  readonly case_id: string
  readonly ended_at: number | null
}

type Get = (path: string) => Promise<{ readonly text: string; readonly bytes: number }>

/**
 * Time to read one very large run, and the delay for other requests meanwhile; each in its own process on the
 * same data.
 */
export async function benchLargeRun(): Promise<void> {
  const folder = await makeTemporaryFolder()
  const playbooks = join(folder.path, 'playbooks')
  await mkdir(playbooks)
  await writeFile(join(playbooks, 'nested.yaml'), nested)
  const start = async () =>
    startChild<Server['said']>('tocsin-server.ts', {
      TOCSIN_DATA_DIR: join(folder.path, 'data'),
      TOCSIN_PLAYBOOKS_DIR: playbooks,
    })
  const first = await start()
  const key = first.said.key ?? ''
  let [run, found] = ['', '']
  const rows: string[][] = []
  rows.push(
    await row('the run itself', first, key, async (get) => {
      const alert = {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'nested',
        alert_content: 'x',
      }
      const taken = await fetch(`${first.said.apiUrl}/alerts`, {
        method: 'POST',
        headers: { cookie: `Session=${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(alert),
      })
      if (taken.status !== 201) throw new Error(await taken.text())
      for (;;) {
        const { data } = JSON.parse((await get('/runs?limit=1')).text) as { data: Run[] }
        const [newest] = data
        if (newest?.ended_at !== null && newest !== undefined) {
          run = newest.run_uuid
          found = newest.case_id
          return 0
        }
        await sleep(100)
      }
    }),
  )
  await first.stop()
  const reads: readonly (readonly [string, readonly string[]])[] = [
    ['GET runs/{run}', [`/runs/${run}`]],
    ['the same, four at once', Array.from({ length: 4 }, () => `/runs/${run}`)],
    ['GET runs/{run}/steps?limit=200', [`/runs/${run}/steps?limit=200`]],
    ['GET runs/{run}/events, to its end', [`/runs/${run}/events`]],
    ['the same, four at once', Array.from({ length: 4 }, () => `/runs/${run}/events`)],
    ['GET cases/{case}', [`/cases/${found}`]],
    ['GET cases/{case}/export', [`/cases/${found}/export?format=markdown`]],
  ]
  for (const [name, paths] of reads) {
    const server = await start()
    rows.push(
      await row(name, server, key, async (get) => {
        const answers = await Promise.all(paths.map(get))
        return answers.reduce((sum, { bytes }) => sum + bytes, 0)
      }),
    )
    await server.stop()
  }
  await folder.remove()
  printTable(
    'A large run: about 190,000 steps',
    ['what', 'ms', 'CPU ms', 'MB answered', 'longest wait of GET healthz ms', 'RSS MB before', 'at most'],
    rows,
  )
}

async function row(
  name: string,
  server: Server,
  key: string,
  work: (get: Get) => Promise<number>,
): Promise<string[]> {
  const headers = { cookie: `Session=${key}` }
  const get: Get = async (path) => {
    const answer = await fetch(`${server.said.apiUrl}${path}`, { headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    let text = ''
    let bytes = 0
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) {
      bytes += (chunk as Uint8Array).length
      if (bytes < 100_000) text += decoder.decode(chunk as Uint8Array, { stream: true })
    }
    return { text, bytes }
  }
  const before = await server.ask('usage')
  const others = ask(`${new URL(server.said.apiUrl).origin}/healthz`)
  const began = performance.now()
  const bytes = await work(get)
  const ms = performance.now() - began
  const longest = await others.stop()
  const after = await server.ask('usage')
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  return [
    name,
    whole(ms),
    whole(after.cpuMs - before.cpuMs),
    (bytes / 1e6).toFixed(1),
    whole(longest),
    whole(before.peakMb),
    whole(after.peakMb),
  ]
}

/** Sends twenty requests per second until the end. */
function ask(url: string): { readonly stop: () => Promise<number> } {
  let longest = 0
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      await (await fetch(url)).text()
      longest = Math.max(longest, performance.now() - began)
      await sleep(50)
    }
  })()
  return {
    async stop() {
      over.abort()
      await asking
      return longest
    },
  }
}

function list(length: number): string {
  return JSON.stringify(Array.from({ length }, (_, n) => n))
}
