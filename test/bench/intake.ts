import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody } from './alert-body.ts'
import { startChild, type Child } from './child.ts'
import { compare, type Way } from './compare.ts'
import { post } from './load.ts'
import type { Options } from './options.ts'

/** Without a type: stored durably, not investigated. */
const body = alertBody(1, 2_048)

/** Alerts acknowledged durably, beside a bare Koa route that parses the same body, and one that also keeps it. */
export async function benchIntake(options: Options): Promise<void> {
  const folder = await makeTemporaryFolder()
  const env = { TOCSIN_DATA_DIR: folder.path }
  const least = await startChild<{ port: number }>('least-server.ts', env)
  const tocsin = await startChild<{ apiUrl: string; key: string }>('tocsin-server.ts', env)
  const headers = { 'content-type': 'application/json', cookie: `Session=${tocsin.said.key}` }
  const to =
    (child: Child<unknown>, url: string): Way =>
    (connections, seconds) =>
      post({ url, headers, body, connections, seconds, usage: () => child.ask('usage') })
  const bareUrl = `http://127.0.0.1:${least.said.port}`
  try {
    await compare({
      ...options,
      title: `Intake: alerts of ${body.length} bytes over HTTP, acknowledged durably`,
      ways: {
        'a bare Koa route': to(least, `${bareUrl}/parse`),
        'and a grouped insert': to(least, `${bareUrl}/keep`),
        Tocsin: to(tocsin, `${tocsin.said.apiUrl}/alerts`),
      },
      baseline: 'and a grouped insert',
    })
  } finally {
    await Promise.all([least.stop(), tocsin.stop()])
    await folder.remove()
  }
}
