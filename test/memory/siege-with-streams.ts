import { eventually } from '../support/eventually.ts'
import { peakMemory } from '../faults/support/peak-memory.ts'
import type { TestTocsin } from '../support/server/test-tocsin.ts'
import { openSilentStreams } from './silent-streams.ts'

/** Steps of the followed run, and the output size of each. */
const [steps, outputBytes] = [120, 100_000]
/** JavaScript heap limit in MB: without it, garbage is collected only when convenient. */
const heapMb = 256

/**
 * Streams of events that nobody reads: a third each for all changes, for an ended run of twelve megabytes,
 * and for a waiting run. Meanwhile, a storm of alerts. In MB.
 */
export async function besiegeWithStreams(
  house: TestTocsin,
  { streams, alerts }: { readonly streams: number; readonly alerts: number },
): Promise<{ readonly before: number; readonly peak: number; readonly open: number }> {
  const large = Array.from({ length: steps }, (_, n) => `  - set: { v${n}: '\${{ alert.content }}' }`).join(
    '\n',
  )
  await house.addPlaybook('large', large)
  await house.addPlaybook(
    'waits',
    `${large}\n  - checkpoint: { via: operator, with: { message: Hm? }, answers: [yes], timeout: 1h, on_timeout: fail }`,
  )
  await house.addPlaybook('storm', '  - set: { ok: true }')
  const server = await house.start({ env: { NODE_OPTIONS: `--max-old-space-size=${heapMb}` } })
  const content = 'x'.repeat(outputBytes)
  await house.post('large', content)
  const [ended] = await house.endedRuns(1)
  await house.post('waits', content)
  const waiting = await eventually('the run that waits', async () => {
    const { body } = await server.call('/runs?status=waiting')
    return body.data[0] as { run_uuid: string } | undefined
  })
  const before = (await peakMemory(server)) ?? NaN
  const paths = ['/events', `/runs/${ended.run_uuid}/events`, `/runs/${waiting.run_uuid}/events`]
  const silent = await openSilentStreams(server, streams, paths)
  for (let n = 0; n < alerts; n += 20)
    await Promise.all(Array.from({ length: 20 }, () => house.post('storm', `${n}`)))
  const { status } = await fetch(`${server.url}/readyz`)
  if (status !== 200) throw new Error(`the server is not ready: ${status}`)
  const peak = (await peakMemory(server)) ?? NaN
  const open = silent.open()
  silent.stop()
  return { before, peak, open }
}
