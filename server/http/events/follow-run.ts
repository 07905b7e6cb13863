import { setImmediate } from 'node:timers/promises'
import type { Run } from '../../../core/domain/run.ts'
import type { Services } from '../routing/route.ts'
import type { EventStream } from './event-stream.ts'
import type { RunCursor } from './run-cursor.ts'
import { openRunReader, type RunReader } from './run-reader.ts'

/** Minimum time between two reads of a run. */
const minPauseMs = 250
/** Wait between reads as a multiple of the read time: large runs are read less often. */
const pauses = 4

/** Sends past and new events of the run until the run or the stream ends. */
export async function followRun(
  stream: EventStream,
  run: Run,
  told: RunCursor,
  services: Services,
): Promise<void> {
  let isDue = true
  let wake = (): void => undefined
  const { watchRun, clock } = services
  const inTurn = <T>(work: () => Promise<T>) => services.readRunInTurn(run.organizationUuid, work)
  const stop = watchRun(run.uuid, () => {
    isDue = true
    wake()
  })
  stream.over.addEventListener('abort', () => wake(), { once: true })
  try {
    if (stream.over.aborted) return
    const reader = await inTurn(() => openRunReader(run, told, services))
    while (!stream.over.aborted) {
      isDue = false
      const startedAt = performance.now()
      const next = await inTurn(() => tellNews(stream, reader))
      if (next === 'end') return
      if (next === 'wait_for_reader') await stream.taken()
      if (next === 'more') await setImmediate()
      if (next !== 'wait_for_change') continue
      await clock.sleep(Math.max(minPauseMs, pauses * (performance.now() - startedAt)), stream.over)
      if (!isDue && !stream.over.aborted) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    stop()
    stream.end()
  }
}

/**
 * Sends a chunk of news as fast as the client reads. The data is released on return: runs can be large, and
 * readers many.
 */
async function tellNews(
  stream: EventStream,
  reader: RunReader,
): Promise<'end' | 'more' | 'wait_for_reader' | 'wait_for_change'> {
  if (stream.over.aborted) return 'end'
  const news = reader.news()
  for (;;) {
    const { value, done } = await news.next()
    if (done === true) return value
    stream.send(value)
    if (!(await stream.hasRoom())) return 'wait_for_reader'
  }
}
