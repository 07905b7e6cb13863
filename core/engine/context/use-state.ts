import type { StateRequest } from '../../state/state.ts'
import { cancelled } from './attempt.ts'
import type { StateWork, WorkOutcome } from '../journal/durable-context.ts'
import {
  begun,
  failedOutcome,
  failedWith,
  recordedOutcome,
  recordOutcome,
  type LocalRun,
} from '../journal/local-run.ts'
import { plainJson } from '../journal/plain-json.ts'

/**
 * Reads or changes a state in the write that records the outcome, so that a change happens exactly once, whenever the process stops.
 */
export async function useState(local: LocalRun, work: StateWork): Promise<WorkOutcome> {
  const { path, request, shielded } = work
  const recorded = recordedOutcome(local.journal.entry(path))
  if (recorded) return recorded
  const startedAt = local.clock.now()
  const begin = { ...begun(work), input: null, attempt: 1, startedAt }
  if (!shielded && local.cancel.aborted) {
    return recordOutcome(local, begin, failedOutcome(local, { path, deadlineMs: Infinity }, cancelled()))
  }
  let asked: { readonly request: StateRequest; readonly input: unknown }
  try {
    const given = plainRequest(request())
    asked = { request: given, input: plainJson(shownRequest(given)) }
  } catch (error) {
    return recordOutcome(local, begin, { ...failedWith(local, path, error), endedAt: startedAt })
  }
  const entry = await local.journal.recordState({ ...begin, input: asked.input }, asked.request)
  return recordedOutcome(entry)!
}

/** The request with values as the journal returns them. */
function plainRequest(request: StateRequest): StateRequest {
  if ('read' in request) return request
  return { ...request, change: plainJson(request.change) as typeof request.change }
}

/** The request as the journal shows it. */
function shownRequest(request: StateRequest): unknown {
  if ('read' in request) return { read: Object.keys(request.read) }
  const { operation, ...change } = request.change
  const shown = 'expected' in change ? { ...change, expected: change.expected?.value } : change
  return { [operation]: request.name, ...shown }
}
