import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody, numberMark } from './alert-body.ts'
import { startChild } from './child.ts'
import { startFiveSteps } from './five-steps.ts'
import { percentiles, whole } from './measure.ts'
import type { Options } from './options.ts'
import { printTable } from './print-table.ts'

/** The storms of one organization, by number of sockets. */
const storms = [
  { name: 'none', kind: 'kept', sockets: 0 },
  { name: '256 fresh connections', kind: 'fresh', sockets: 256 },
  { name: '500 slow sockets', kind: 'slow', sockets: 500 },
] as const

const spacingMs = 20

/** Latency for other organizations while one sends a storm of alerts, each of which is investigated. */
export async function benchStorm({ seconds }: Options): Promise<void> {
  const folder = await makeTemporaryFolder()
  const { child } = await startFiveSteps(folder.path, undefined, { TOCSIN_OPS_PORT: '0' })
  const { apiUrl, url, opsUrl = '', key = '' } = child.said
  await createOrganization(apiUrl, key)
  const calm = (connection: string) => alertRequest(apiUrl, key, connection)
  const health = (of: string) =>
    `GET /healthz HTTP/1.1\r\nhost: ${new URL(of).host}\r\nconnection: close\r\n\r\n`
  const probes: Readonly<Record<string, (until: number) => Promise<readonly number[]>>> = {
    'alert of another organization': (until) => probe(apiUrl, () => calm('keep-alive'), 201, until),
    'the same over a fresh connection': (until) => probeFresh(apiUrl, () => calm('close'), 201, until),
    '/healthz over a fresh connection': (until) => probeFresh(url, () => health(url), 200, until),
    '/healthz on the ops port': (until) => probeFresh(opsUrl, () => health(opsUrl), 200, until),
  }
  const rows: string[][] = []
  for (const { name, kind, sockets } of storms) {
    const storm = await startChild('storm-load.ts', {
      STORM_URL: `${apiUrl}/alerts`,
      STORM_KEY: key,
      STORM_KIND: kind,
      STORM_SOCKETS: String(sockets),
    })
    await pause(500)
    const before = await taken(url, key)
    const until = performance.now() + seconds * 1_000
    const names = Object.keys(probes)
    const latencies = await Promise.all(Object.values(probes).map((run) => run(until)))
    const perSecond = ((await taken(url, key)) - before) / seconds
    const { peakMb } = await child.ask('usage')
    for (const [index, all] of latencies.entries()) {
      const { p50, p99, p999 } = percentiles(all)
      const figures = [p50, p99, p999].map((ms) => ms.toFixed(1))
      rows.push([name, names[index] ?? '', String(all.length), ...figures, whole(perSecond), whole(peakMb)])
    }
    await storm.stop()
    await untilIdle(url, key)
  }
  const header = ['storm', 'what', 'requests', 'p50 ms', 'p99 ms', 'p99.9 ms', 'alerts per second', 'peak MB']
  printTable('Storm: what others wait for while one organization sends alerts', header, rows)
  await child.stop()
  await folder.remove()
}

async function createOrganization(apiUrl: string, key: string): Promise<void> {
  const made = await fetch(`${apiUrl}/organizations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `Session=${key}` },
    body: JSON.stringify({ code: 'calm', name: 'Calm' }),
  })
  if (made.status !== 201) throw new Error(`the organization could not be created: ${await made.text()}`)
}

let lastNumber = 0

function alertRequest(apiUrl: string, key: string, connection: string): string {
  const { host, pathname } = new URL(apiUrl)
  const number = String(++lastNumber).padStart(numberMark.length, '0')
  const body = alertBody(1, 2_048).replace(numberMark, number).replace('"main"', '"calm"')
  return (
    `POST ${pathname}/alerts HTTP/1.1\r\nhost: ${host}\r\ncookie: Session=${key}\r\nconnection: ${connection}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}

/**
 * Sends one request after the other over one connection; returns the milliseconds until each answer began.
 */
async function probe(url: string, request: () => string, status: number, until: number): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay(true)
  await once(socket, 'connect')
  const latencies: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    socket.write(request())
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    latencies.push(performance.now() - began)
    requireStatus(chunk, status)
    await pause(spacingMs)
  }
  socket.destroy()
  return latencies
}

/** The same with a connection per request; the time to connect counts. */
async function probeFresh(
  url: string,
  request: () => string,
  status: number,
  until: number,
): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const latencies: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    const socket = connect(Number(port), hostname).setNoDelay(true)
    socket.write(request())
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    latencies.push(performance.now() - began)
    requireStatus(chunk, status)
    socket.destroy()
    await pause(spacingMs)
  }
  return latencies
}

function requireStatus(chunk: Buffer, status: number): void {
  const got = chunk.toString('latin1', 9, 12)
  if (got !== String(status)) throw new Error(`an answer had the status ${got}`)
}

/** Number of stored alerts. */
const taken = (url: string, key: string): Promise<number> =>
  metric(url, key, /^tocsin_alerts_received_total (\d+)$/m)

async function untilIdle(url: string, key: string): Promise<void> {
  const unfinished = () => metric(url, key, /^tocsin_runs{state="queued"} (\d+)$/m)
  while ((await unfinished()) > 0) await pause(200)
}

async function metric(url: string, key: string, pattern: RegExp): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { cookie: `Session=${key}` } })
  return Number(pattern.exec(await answer.text())?.[1] ?? 0)
}
