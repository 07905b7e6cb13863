import { setImmediate } from 'node:timers/promises'
import type { Run } from '../../../core/domain/run.ts'
import type { Services } from '../routing/route.ts'
import type { EventStream } from './event-stream.ts'
import type { RunCursor } from './run-cursor.ts'
import { openRunReader, type RunReader } from './run-reader.ts'

/** A run is read again at the soonest after this, in milliseconds, however much happens in it. */
const minPauseMs = 250
/** Of the time it takes to read a run, so much passes before it is read again: large ones are read less often. */
const pauses = 4

/** Tells what has happened in the run and what happens, until it has ended, or the stream has. */
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
 * Tells a piece of what is new, as far as the stream's reader takes it. What was read is let go with the return: a run can be large, and there are many
 * readers.
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
