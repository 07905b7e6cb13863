import type { Checkpoint, Question } from '../domain/checkpoint.ts'
import { CancelledError, TimeoutError } from '../errors/errors.ts'
import { TocsinError } from '../plugin/index.ts'
import { cancelled, GroupTimeoutError } from './attempt.ts'
import { RunSuspended, type AskWork, type Outcome, type PureResult } from './durable-context.ts'
import { perform } from './effect.ts'
import { end, failedOutcome, failedWith, record, recordedOutcome, type LocalRun } from './local-run.ts'
import { plainJson } from './plain-json.ts'
import { lookUntil } from './wait-until.ts'

/** What the intent of a question says. */
interface Intent {
  readonly question: Question
  readonly until_ms: number
}

/** The question is kept before anybody is told; then one of an answer and its timeout wins. See `DurableContext.ask`. */
export async function ask(local: LocalRun, work: AskWork): Promise<Outcome> {
  const { path, stepId, kind } = work
  const entry = local.journal.entry(path)
  const recorded = recordedOutcome(entry)
  if (recorded) return recorded
  let intent = entry?.input as Intent | undefined
  if (intent === undefined) {
    const begin = { path, stepId, kind, input: null as unknown, attempt: 1, startedAt: local.clock.now() }
    try {
      intent = intentOf(local, work, begin.startedAt)
    } catch (error) {
      return record(local, begin, failedOutcome(local, work, error))
    }
    await local.journal.begin({ ...begin, input: intent })
  }
  return end(local, path, await untilAnswered(local, work, intent), 1)
}

function intentOf(local: LocalRun, work: AskWork, startedAt: number): Intent {
  const { question, withinMs } = work.question()
  if (local.checkpoints === undefined) {
    throw new TocsinError('nobody_to_ask', 'nobody can be asked here', { hint: 'give the answer beforehand' })
  }
  if (startedAt >= work.deadlineMs) throw new GroupTimeoutError()
  if (!work.shielded && local.cancel.aborted) throw cancelled()
  return { question: plainJson(question) as Question, until_ms: startedAt + withinMs }
}

async function untilAnswered(local: LocalRun, work: AskWork, intent: Intent): Promise<Outcome> {
  const { journal, clock, uuid, checkpoints } = local
  const { path, stepId } = work
  const { question, until_ms: timeoutAt } = intent
  // A process that was started without a place for questions goes no further than one that died here.
  if (checkpoints === undefined) throw new RunSuspended()
  const close = (state: 'timed_out' | 'withdrawn') =>
    journal.insist(() => checkpoints.close(uuid, path, state))
  try {
    const opened = await journal.insist(() => checkpoints.open(uuid, { path, stepId, question, timeoutAt }))
    const telling = work.tell(opened.id, question)
    const told = telling && (await perform(local, telling))
    if (told?.state === 'failed') throw new ToldInVain(told)
    if (told?.state === 'completed' && opened.reference === null) {
      await journal.insist(() => checkpoints.asked(uuid, path, told.output))
    }
    const answered = await lookUntil(local, work, timeoutAt, async () => {
      const checkpoint = await checkpoints.atPath(uuid, path)
      return checkpoint?.state === 'waiting' ? undefined : checkpoint
    })
    const last = answered ?? (await close('timed_out'))
    return { ...resultOf(local, work, last), endedAt: endOf(last, clock.now()) }
  } catch (error) {
    const isOver = error instanceof TimeoutError || error instanceof CancelledError
    if (!isOver && !(error instanceof ToldInVain)) throw error
    await close('withdrawn')
    return isOver ? failedOutcome(local, work, error) : error.outcome
  }
}

/** A question that timed out did so no earlier than its time, whatever a clock that was set back says. */
const endOf = ({ answer, timeoutAt }: Checkpoint, now: number): number =>
  answer === null ? Math.max(now, timeoutAt) : now

class ToldInVain extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('whoever is to answer could not be told')
    this.outcome = outcome
  }
}

function resultOf(local: LocalRun, work: AskWork, checkpoint: Checkpoint): PureResult {
  try {
    const { answer, timeoutAt } = checkpoint
    const result = answer === null ? work.timedOut(timeoutAt) : work.answered(answer)
    return result.state === 'failed' ? result : { state: result.state, output: plainJson(result.output) }
  } catch (error) {
    return failedWith(local, work.path, error)
  }
}
