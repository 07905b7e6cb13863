import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '../support/server/start-server.ts'
import { peakMemory } from '../faults/support/peak-memory.ts'
import type { TestTocsin } from '../support/server/test-tocsin.ts'
import { openSlowSockets } from './slow-sockets.ts'

export interface Siege {
  readonly sockets: number
  readonly alerts: number
  /** Characters of each alert. */
  readonly characters: number
}

export interface Held {
  /** MB before the slow sockets. */
  readonly before: number
  /** Peak MB until the end. */
  readonly peak: number
  readonly accepted: number
  /** Answers that asked the sender to retry later; the alert was sent again. */
  readonly refused: number
  /** Slow sockets that the server closed. */
  readonly closed: number
  readonly seconds: number
}

/** Concurrent senders. */
const senders = 32

/**
 * Slow sockets, and a storm of alerts in the middle of them: each alert is sent until it is accepted. Throws
 * if an answer is neither an acceptance nor a request to retry later, and if the server is unhealthy or has
 * lost an alert.
 */
export async function besiege(house: TestTocsin, { sockets, alerts, characters }: Siege): Promise<Held> {
  const { server } = house
  const before = (await peakMemory(server)) ?? NaN
  // Content of large lists.
  for (let n = 0; n < 50; n++) await post(server, `large ${n} ${'x'.repeat(100_000)}`)
  const startedAt = performance.now()
  const slow = openSlowSockets(server.url, server.adminKey, sockets)
  await sleep(2_000)
  let sent = 0
  let refused = 0
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (sent++ < alerts) {
        const content = `${sent} ${'y'.repeat(characters)}`
        while ((await post(server, content).catch(() => 0)) !== 201) {
          refused++
          await sleep(100)
        }
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  slow.stop()
  const { body } = await server.call('/alerts?limit=1')
  if (body.total !== alerts + 50) throw new Error(`${body.total} alerts are there, and not ${alerts + 50}`)
  const { status } = await fetch(`${server.url}/readyz`)
  if (status !== 200) throw new Error(`the server is not ready: ${status}`)
  const peak = (await peakMemory(server)) ?? NaN
  return { before, peak, accepted: alerts + 50, refused, closed: slow.closed(), seconds }
}

/** Sends like a careful sender: a broken connection neither loses nor duplicates an alert. */
async function post(server: RunningServer, content: string): Promise<number> {
  const { status, body } = await server.call('/alerts', {
    headers: { 'idempotency-key': createHash('sha256').update(content).digest('hex') },
    body: {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'storm',
      alert_content: content,
    },
  })
  if (status !== 201 && status !== 503) throw new Error(`an alert was answered ${status} ${body.code}`)
  return status
}
