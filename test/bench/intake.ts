import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody, productAlertBody } from './alert-body.ts'
import { startChild, type Child } from './child.ts'
import { compare, type Way } from './compare.ts'
import { post, type Load } from './load.ts'
import type { Options } from './options.ts'

/** Without a type: stored durably, not investigated. Its content is truncated text of an unknown product. */
const body = alertBody(1, 2_048)

/**
 * Alerts stored durably per second: over kept connections, with a connection per alert, and through a proxy
 * that opens one per alert. Compared with a bare Koa route that parses the same body, one that also stores
 * it, and bare Node.
 */
export async function benchIntake(options: Options): Promise<void> {
  const folder = await makeTemporaryFolder()
  const env = { TOCSIN_DATA_DIR: folder.path }
  const least = await startChild<{ port: number; barePort: number }>('least-server.ts', env)
  const tocsin = await startChild<{ apiUrl: string; key: string }>('tocsin-server.ts', env)
  const proxy = await startChild<{ port: number }>('proxy-server.ts')
  const headers = { 'content-type': 'application/json', cookie: `Session=${tocsin.said.key}` }
  const to =
    (child: Child<unknown>, url: string, besides: Partial<Load> = {}): Way =>
    (connections, seconds) =>
      post({ url, headers, body, connections, seconds, usage: () => child.ask('usage'), ...besides })
  const bareUrl = `http://127.0.0.1:${least.said.barePort}`
  const koaUrl = `http://127.0.0.1:${least.said.port}`
  const alertsUrl = `${tocsin.said.apiUrl}/alerts`
  const throughProxy = (child: Child<unknown>, url: string): Way => {
    const { port, pathname } = new URL(url)
    return to(child, `http://127.0.0.1:${proxy.said.port}${pathname}`, {
      headers: { ...headers, 'x-bench-port': port },
    })
  }
  try {
    await compare({
      ...options,
      title: `Intake: alerts of ${body.length} bytes over HTTP, acknowledged durably`,
      ways: {
        'a bare Koa route': to(least, `${koaUrl}/parse`),
        'and a grouped insert': to(least, `${koaUrl}/keep`),
        Tocsin: to(tocsin, alertsUrl),
      },
      baseline: 'and a grouped insert',
    })
    const known = { body: await productAlertBody() }
    await compare({
      ...options,
      title: `Intake: alerts of a known product, ${known.body.length} bytes`,
      ways: {
        'a bare Koa route': to(least, `${koaUrl}/parse`, known),
        'and a grouped insert': to(least, `${koaUrl}/keep`, known),
        Tocsin: to(tocsin, alertsUrl, known),
      },
      baseline: 'and a grouped insert',
    })
    await compare({
      ...options,
      title: 'Intake over fresh connections: one for each alert',
      ways: {
        'Koa and a grouped insert': to(least, `${koaUrl}/keep`, { fresh: true }),
        'bare Node, stores nothing': to(least, bareUrl, { fresh: true }),
        Tocsin: to(tocsin, alertsUrl, { fresh: true }),
      },
      baseline: 'bare Node, stores nothing',
    })
    await compare({
      ...options,
      title: 'Intake through a proxy that opens a connection for each alert',
      ways: {
        'bare Node, stores nothing': throughProxy(least, bareUrl),
        Tocsin: throughProxy(tocsin, alertsUrl),
      },
      baseline: 'bare Node, stores nothing',
    })
  } finally {
    await Promise.all([least.stop(), tocsin.stop(), proxy.stop()])
    await folder.remove()
  }
}
