import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { createEgress } from '../egress/egress.ts'
import { holderOf } from '../sqlite/file/lock.ts'
import { ok, problem, warning, type Finding } from './finding.ts'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { probePort } from '../http/server/listener.ts'

const patienceMs = 5_000

/** A port of the server, and the variable that sets it. */
interface Place {
  readonly check: string
  readonly port: number
  readonly variable: string
}

type Listening = Pick<Config, 'host' | 'port' | 'opsPort' | 'dataDir' | 'store'>

/** Whether the server can listen, or already listens with this data directory and is ready. */
export async function checkPorts(config: Listening): Promise<readonly Finding[]> {
  const { port, opsPort } = config
  const main = await checkPort(config, { check: 'port', port, variable: 'TOCSIN_PORT' })
  if (opsPort === undefined) return [main]
  return [main, await checkPort(config, { check: 'ops port', port: opsPort, variable: 'TOCSIN_OPS_PORT' })]
}

async function checkPort(
  { host, dataDir, store }: Listening,
  { check, port, variable }: Place,
): Promise<Finding> {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const code = await probePort(host, port)
  if (code === undefined) return ok(check, `${place} is free: the server is not running, and could start`)
  if (code === 'EACCES')
    return problem(
      check,
      `this user is not allowed to listen on ${place}`,
      `use a port of 1024 or above (${variable}), and put a proxy in front`,
    )
  if (code !== 'EADDRINUSE')
    return problem(
      check,
      `could not listen on ${place} (${code})`,
      'TOCSIN_HOST must be an address of this machine',
    )
  const answer = await readiness(reachable(place, host))
  if (answer?.status === 200)
    return store === undefined && isOfAnother(dataDir, port)
      ? warning(
          check,
          `the server on ${place} uses another data directory than ${dataDir}`,
          `run doctor with the environment of the server: TOCSIN_DATA_DIR or ${variable} differs`,
        )
      : ok(check, `the server on ${place} is ready`)
  if (answer?.status === 503)
    return problem(
      check,
      `the server on ${place} is not ready: ${answer.detail ?? 'it does not say why'}`,
      answer.hint ?? 'read its log; usually the disk is full or read-only',
    )
  return problem(
    check,
    `another program listens on ${place}`,
    `stop that program, or set ${variable} to another port`,
  )
}

/** False also if it cannot be determined. */
function isOfAnother(dataDir: string, port: number): boolean {
  try {
    const holder = holderOf(dataDir)
    if (holder === undefined) return true
    return holder.pid !== undefined && listens(holder.pid, join(dataDir, 'tocsin.lock'), port) === false
  } catch {
    return false
  }
}

/** The address of this machine, in place of a wildcard address. */
const reachable = (place: string, host: string): string =>
  host === '0.0.0.0' ? place.replace(host, '127.0.0.1') : place.replace('[::]', '[::1]')

interface Readiness {
  readonly status: number
  /** Why it is not ready. */
  readonly detail?: string
  readonly hint?: string
}

/** Undefined: it is no Tocsin. */
async function readiness(place: string): Promise<Readiness | undefined> {
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
    return /"(ready|not_ready)"/.test(body) ? { ...(JSON.parse(body) as object), status } : undefined
  } catch {
    return undefined
  } finally {
    egress.close()
  }
}

/**
 * Whether the process that holds `heldFile` open listens on the TCP port. Undefined if that cannot be
 * determined: not on Linux, a process of another user, or a pid of another container.
 */
function listens(pid: number, heldFile: string, port: number): boolean | undefined {
  try {
    const folder = `/proc/${pid}/fd`
    const targets = readdirSync(folder).map((fd) => target(join(folder, fd)))
    if (!targets.includes(realpathSync(heldFile))) return undefined
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeners(`/proc/${pid}/net/${table}`, port)))
    return targets.some((path) => sockets.has(path))
  } catch {
    return undefined
  }
}

/** Empty for a descriptor that was just closed. */
function target(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** State of a listening socket in the tables of the kernel: proc(5). */
const listening = '0A'

function listeners(table: string, port: number): readonly string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === listening && local?.endsWith(wanted))
    .map((columns) => `socket:[${columns[9]}]`)
}
