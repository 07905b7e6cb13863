import { hash } from 'node:crypto'
import type { Run } from '../../../core/domain/run.ts'
import { stringifyJson } from '../../../core/json.ts'
import { runDetail, type RunDetail, type StepDetail } from '../resources/run-detail.ts'
import type { Services } from '../route.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamEvent } from './event-text.ts'
import { allTold, cursorText, newsSince, type RunCursor, type RunVersions } from './run-cursor.ts'

/** A run is read again at the soonest after this, in milliseconds, however much happens in it. */
const minPauseMs = 250
/** Of the time it takes to read a run, so much passes before it is read again: large ones are read less often. */
const pauses = 4

/** Tells what has happened in the run and what happens, until it has ended, or the stream has. */
export async function followRun(
  stream: EventStream,
  first: Run,
  told: RunCursor,
  services: Services,
): Promise<void> {
  let isDue = true
  let wake = (): void => undefined
  const { watchRun, stores, clock } = services
  const stop = watchRun(first.uuid, () => {
    isDue = true
    wake()
  })
  stream.over.addEventListener('abort', () => wake(), { once: true })
  let cursor = told
  try {
    while (!stream.over.aborted) {
      isDue = false
      const startedAt = performance.now()
      const run = await stores.runs.find([first.organizationUuid], first.uuid)
      if (run === undefined) return
      let hasRoom = true
      for (const { event, told } of eventsSince(cursor, await runDetail(run, services))) {
        stream.send(event)
        cursor = told
        hasRoom = await stream.hasRoom()
        if (!hasRoom) break
      }
      if (!hasRoom) {
        // What was read is let go meanwhile.
        await stream.taken()
        continue
      }
      if (run.endedAt !== null) {
        stream.send({ event: 'end', id: allTold, data: { run_uuid: run.uuid, status: run.status } })
        return
      }
      await clock.sleep(Math.max(minPauseMs, pauses * (performance.now() - startedAt)), stream.over)
      if (!isDue && !stream.over.aborted) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    stop()
    stream.end()
  }
}

function* eventsSince(
  cursor: RunCursor,
  detail: RunDetail,
): Generator<{ readonly event: StreamEvent; readonly told: RunCursor }> {
  for (const { of, cursor: told } of newsSince(cursor, versionsOf(detail))) {
    const id = cursorText(told)
    const step = of === 'run' ? undefined : detail.steps[of]
    const event = step ? { event: 'step', id, data: step.view() } : { event: 'run', id, data: detail.whole() }
    yield { event, told }
  }
}

const versionsOf = ({ listed, steps }: RunDetail): RunVersions => ({
  run: versionOf(listed),
  steps: steps.map((step) => ({ version: stepVersion(step), isOver: isOver(step) })),
})

const isOver = ({ entry: { state } }: StepDetail): boolean => state !== 'started' && state !== 'unknown'

/** What changes in a line of the journal; its input does not, and its output comes with its end. */
const stepVersion = ({ entry, failedAttempts }: StepDetail): string =>
  versionOf([entry.state, entry.attempt, entry.resolution?.at, failedAttempts.length])

const versionOf = (value: unknown): string => hash('sha256', stringifyJson(value), 'base64url').slice(0, 8)
