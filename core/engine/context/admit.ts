import { writeRate } from '../../common/rates.ts'
import type { JournalEntry } from '../../domain/run.ts'
import { CancelledError, TimeoutError } from '../../errors/errors.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { AdmitWork, WorkOutcome } from '../journal/durable-context.ts'
import {
  begun,
  end,
  failedOutcome,
  recordedOutcome,
  recordOutcome,
  type LocalRun,
} from '../journal/local-run.ts'
import { ratePath, repeatPath } from '../journal/paths.ts'
import { cancelled, GroupTimeoutError } from './attempt.ts'
import { waitUntil } from './wait-until.ts'

/**
 * Waits until the rate limit of a step allows its start, and counts the start. If the process stops between
 * the count and the start, the later start is counted again.
 */
export async function admit(local: LocalRun, work: AdmitWork): Promise<WorkOutcome | undefined> {
  const known = lastWait(local, work.path)
  const recorded = recordedOutcome(known?.entry)
  if (recorded?.state === 'failed' || local.journal.hasBegun(work.path)) return recorded
  const path =
    known === undefined || recorded === undefined ? (known?.entry.path ?? ratePath(work.path)) : known.next
  const wait = { path, isRecorded: known !== undefined && recorded === undefined }
  try {
    while (!(await mayStart(local, work, wait)));
  } catch (error) {
    if (!isIntended(error)) throw error
    await local.journal.withdraw(work.path)
    const outcome = failedOutcome(local, work, error)
    const place = { ...work, path }
    return wait.isRecorded
      ? end(local, place, outcome, 1)
      : recordOutcome(
          local,
          { ...begun(place), input: null, attempt: 1, startedAt: outcome.endedAt },
          outcome,
        )
  }
  if (!wait.isRecorded) return recorded
  return end(local, { path }, { state: 'completed', output: null, endedAt: local.clock.now() }, 1)
}

/** The journal entry of a wait, which exists from its beginning. */
interface Wait {
  readonly path: string
  isRecorded: boolean
}

/** Requests the start once; waits if the limit is reached. */
async function mayStart(local: LocalRun, work: AdmitWork, wait: Wait): Promise<boolean> {
  const { clock, journal, log } = local
  const { path, stepId, kind, start } = work
  if (!work.shielded && local.cancel.aborted) throw cancelled()
  if (clock.now() >= work.deadlineMs) throw new GroupTimeoutError()
  const waitMs = await journal.admit(path, start, work.waits)
  if (waitMs === 0) return true
  const limit = writeRate(start.limit)
  if (!work.waits) throw rateExceeded(limit, waitMs)
  const startedAt = clock.now()
  const untilMs = Math.ceil(startedAt + waitMs)
  if (!wait.isRecorded) {
    const input = { limit, until_ms: untilMs }
    await journal.begin({ path: wait.path, stepId, kind, input, attempt: 1, startedAt })
    wait.isRecorded = true
    log.debug({ run: local.uuid, step: path, delay_ms: waitMs }, 'step waits for its rate limit')
  }
  await waitUntil(local, work, untilMs)
  return false
}

function rateExceeded(limit: string, waitMs: number): TocsinError {
  return new TocsinError('rate_exceeded', `the step has reached its rate limit of ${limit}`, {
    hint: `the next start is possible in ${Math.ceil(waitMs / 1000)} s: let it wait with \`policy: wait\`, or handle this with on_error`,
    details: { retry_after_ms: waitMs },
  })
}

const isIntended = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  error instanceof CancelledError ||
  (error instanceof TocsinError && error.code === 'rate_exceeded')

/** The latest wait of the step, and the path for the next wait. */
function lastWait(
  { journal }: LocalRun,
  step: string,
): { readonly entry: JournalEntry; readonly next: string } | undefined {
  const first = ratePath(step)
  let entry = journal.entry(first)
  if (entry === undefined) return undefined
  for (let number = 2; ; number++) {
    const next = repeatPath(first, number)
    const later = journal.entry(next)
    if (later === undefined) return { entry, next }
    entry = later
  }
}
