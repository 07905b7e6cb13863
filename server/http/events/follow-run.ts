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
  const { watchRun, clock } = services
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
      const state = await services.readRunInTurn(() => tellNews(stream, first, cursor, services))
      if (state === undefined) return
      cursor = state.told
      if (state.next === 'end') return
      if (state.next === 'wait_for_reader') {
        await stream.taken()
        continue
      }
      await clock.sleep(Math.max(minPauseMs, pauses * (performance.now() - startedAt)), stream.over)
      if (!isDue && !stream.over.aborted) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    stop()
    stream.end()
  }
}

interface State {
  readonly told: RunCursor
  readonly next: 'end' | 'wait_for_reader' | 'wait_for_change'
}

/**
 * Reads the run and tells what is new, as far as the reader takes it. What was read is let go with the return: a run can be large, and there are many
 * readers. Undefined: there is nobody, or nothing, to tell.
 */
async function tellNews(
  stream: EventStream,
  { organizationUuid, uuid }: Run,
  cursor: RunCursor,
  services: Services,
): Promise<State | undefined> {
  if (stream.over.aborted) return undefined
  const run = await services.stores.runs.find([organizationUuid], uuid)
  if (run === undefined) return undefined
  let told = cursor
  for (const { event, told: next } of eventsSince(cursor, await runDetail(run, services))) {
    stream.send(event)
    told = next
    if (!(await stream.hasRoom())) return { told, next: 'wait_for_reader' }
  }
  if (run.endedAt === null) return { told, next: 'wait_for_change' }
  stream.send({ event: 'end', id: allTold, data: { run_uuid: uuid, status: run.status } })
  return { told, next: 'end' }
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
