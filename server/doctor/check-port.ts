import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { createEgress } from '../egress/egress.ts'
import { probePort } from '../http/server/probe-port.ts'
import { holderOf } from '../sqlite/file/lock.ts'
import { ok, problem, warning, type Finding } from './finding.ts'
import { listens } from './listens.ts'

const patienceMs = 5_000

/** Whether the server can listen, or does so already, with this data directory, and is ready. */
export async function checkPort({
  host,
  port,
  dataDir,
}: Pick<Config, 'host' | 'port' | 'dataDir'>): Promise<Finding> {
  const check = 'port'
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const code = await probePort(host, port)
  if (code === undefined)
    return ok(check, `nothing listens on ${place}: the server is not running, and could`)
  if (code === 'EACCES')
    return problem(
      check,
      `this user may not listen on ${place}`,
      'choose a port from 1024 on (TOCSIN_PORT), and put a proxy in front',
    )
  if (code !== 'EADDRINUSE')
    return problem(
      check,
      `nobody can listen on ${place} (${code})`,
      'TOCSIN_HOST must be an address of this machine',
    )
  const answer = await readiness(reachable(place, host))
  if (answer === 200)
    return isOfAnother(dataDir, port)
      ? warning(
          check,
          `the server that listens on ${place} has another data directory than ${dataDir}`,
          'TOCSIN_DATA_DIR or TOCSIN_PORT differs from its own: run doctor with the environment of the server',
        )
      : ok(check, `a server listens on ${place}, and is ready`)
  if (answer === 503)
    return problem(
      check,
      `the server on ${place} is not ready`,
      'its log says why; mostly the disk is full or read-only',
    )
  return problem(
    check,
    `another program listens on ${place}`,
    'stop it, or give this server another port (TOCSIN_PORT)',
  )
}

/** False also where it cannot be told. */
function isOfAnother(dataDir: string, port: number): boolean {
  try {
    const holder = holderOf(dataDir)
    if (holder === undefined) return true
    return holder.pid !== undefined && listens(holder.pid, join(dataDir, 'tocsin.lock'), port) === false
  } catch {
    return false
  }
}

/** All addresses of a machine are reached by its own. */
const reachable = (place: string, host: string): string =>
  host === '0.0.0.0' ? place.replace(host, '127.0.0.1') : place.replace('[::]', '[::1]')

async function readiness(place: string): Promise<number | undefined> {
  const egress = createEgress({ allowPrivate: [place] })
  const signal = AbortSignal.timeout(patienceMs)
  try {
    const { status, body } = await egress.send({
      method: 'GET',
      url: `http://${place}/readyz`,
      headers: {},
      body: undefined,
      isConnection: true,
      signal,
    })
    return /"(ready|not_ready)"/.test(body) ? status : undefined
  } catch {
    return undefined
  } finally {
    egress.close()
  }
}
