import { eventBatch, lookThrough, pauseMs } from '../../events/look-for-event.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { EventFilter, EventWait, NextEvents, StoredEvent } from '../../ports/runs/event-wait-store.ts'
import { RunSuspended, type EventWork, type WorkOutcome } from '../journal/durable-context.ts'
import {
  begun,
  end,
  failedOutcome,
  recordOutcome,
  recordedOutcome,
  type LocalRun,
  type RunEvents,
} from '../journal/local-run.ts'
import { plainJson } from '../journal/plain-json.ts'
import { cancelled, GroupTimeoutError } from './attempt.ts'
import { waitUntil } from './wait-until.ts'

/** The recorded intent. */
interface Intent {
  readonly for: EventFilter
  readonly since: 'step' | 'run'
  readonly until_ms: number
}

/** Begins the wait in the store, then looks at each event that is stored from there on. See `DurableContext.awaitEvent`. */
export async function awaitEvent(local: LocalRun, work: EventWork): Promise<WorkOutcome> {
  const { journal, clock } = local
  const entry = journal.entry(work.path)
  const recorded = recordedOutcome(entry)
  if (recorded) return recorded
  let intent = entry?.input as Intent | undefined
  if (intent === undefined) {
    const begin = { ...begun(work), input: null as unknown, attempt: 1, startedAt: clock.now() }
    try {
      intent = intentOf(local, work, begin.startedAt)
    } catch (error) {
      return recordOutcome(local, begin, failedOutcome(local, work, error))
    }
    // Begun before the intent is recorded: a crash in between loses no event.
    await openWait(local, work, intent)
    await journal.begin({ ...begin, input: intent })
  }
  return end(local, work, await untilFound(local, work, intent), 1)
}

function intentOf(local: LocalRun, work: EventWork, startedAt: number): Intent {
  if (local.events === undefined)
    throw new TocsinError('no_events', 'waiting for events is not possible here', {
      hint: 'give the event in advance',
    })
  if (startedAt >= work.deadlineMs) throw new GroupTimeoutError()
  if (!work.shielded && local.cancel.aborted) throw cancelled()
  const { filter, sinceRun, withinMs } = work.request()
  return { for: filter, since: sinceRun ? 'run' : 'step', until_ms: startedAt + withinMs }
}

const openWait = (local: LocalRun, { path }: EventWork, { for: filter, since }: Intent): Promise<EventWait> =>
  local.journal.insist(() => eventsOf(local).open(local.uuid, { path, filter, sinceRun: since === 'run' }))

/** Without a store of events, this process cannot continue the run. */
function eventsOf({ events }: LocalRun): RunEvents {
  if (events === undefined) throw new RunSuspended()
  return events
}

async function untilFound(local: LocalRun, work: EventWork, intent: Intent): Promise<WorkOutcome> {
  const { clock } = local
  const { until_ms: untilMs } = intent
  try {
    let counts = await openWait(local, work, intent)
    for (;;) {
      const wakeUp = local.wakeUps.next()
      const look = await lookAtAll(local, work, untilMs, counts)
      counts = look.counts
      if (look.found !== undefined) {
        const result = work.received(look.found, counts)
        return { ...withPlainOutput(result), endedAt: clock.now() }
      }
      if (clock.now() >= untilMs) {
        const result = work.timedOut(untilMs, counts)
        return { ...withPlainOutput(result), endedAt: Math.max(clock.now(), untilMs) }
      }
      const pauseEndsMs = Math.min(untilMs, clock.now() + pauseMs(counts.misses))
      if (counts.misses > 0) await waitUntil(local, work, pauseEndsMs)
      else if (await local.journal.insist(() => eventsOf(local).arm(local.uuid, work.path)))
        await waitUntil(local, work, untilMs, wakeUp)
    }
  } catch (error) {
    if (error instanceof RunSuspended) throw error
    return failedOutcome(local, work, error)
  }
}

const withPlainOutput = (result: ReturnType<EventWork['timedOut']>): ReturnType<EventWork['timedOut']> =>
  result.state === 'failed' ? result : { ...result, output: plainJson(result.output) }

/** Looks at all events so far. The position stays before an event that matches, so that a replay finds it again. */
async function lookAtAll(
  local: LocalRun,
  work: EventWork,
  untilMs: number,
  before: EventWait,
): Promise<{ readonly found: StoredEvent | undefined; readonly counts: EventWait }> {
  const events = eventsOf(local)
  let next: NextEvents
  let counts = before
  do {
    next = await local.journal.insist(() => events.next(local.uuid, work.path, eventBatch))
    const { upTo } = next
    const look = lookThrough(next, counts, untilMs, work.matches)
    const hasMissed = look.counts.examined > before.examined
    counts = { ...look.counts, misses: hasMissed ? before.misses + 1 : 0 }
    if (look.found !== undefined) return { found: look.found, counts }
    await local.journal.insist(() => events.pass(local.uuid, work.path, upTo, counts))
  } while (next.hasMore)
  return { found: undefined, counts }
}
