import {
  type Checkpoint,
  type Question,
  type UnansweredState,
  nameOfAnswerer,
} from '../../domain/checkpoint.ts'
import { CancelledError, TimeoutError } from '../../errors/errors.ts'
import { TocsinError } from '../../plugin/index.ts'
import { openQuestion } from '../../transitions/question.ts'
import { stateOfOthers } from '../../transitions/quorum.ts'
import { cancelled, GroupTimeoutError } from './attempt.ts'
import {
  RunSuspended,
  type AskWork,
  type EffectWork,
  type WorkOutcome,
  type PureResult,
} from '../journal/durable-context.ts'
import { perform } from './effect.ts'
import {
  begun,
  end,
  failedOutcome,
  failedWith,
  recordOutcome,
  recordedOutcome,
  type LocalRun,
} from '../journal/local-run.ts'
import { plainJson } from '../journal/plain-json.ts'
import { lookUntil } from './wait-until.ts'

/** The recorded intent of a question. */
interface Intent {
  readonly question: Question
  readonly until_ms: number
  readonly remind_at_ms?: number
  /** Of an approval with sensitive inputs: the salt of its digest. */
  readonly salt?: string
  /** For one of several people who are not asked at the same time. */
  readonly ask_at_ms?: number
}

/** Stores the question before it is sent; then the answer or the timeout wins. See `DurableContext.ask`. */
export async function ask(local: LocalRun, work: AskWork): Promise<WorkOutcome> {
  const { path } = work
  const entry = local.journal.entry(path)
  const recorded = recordedOutcome(entry)
  if (recorded) {
    await settle(local, work)
    return recorded
  }
  let intent = entry?.input as Intent | undefined
  if (intent === undefined) {
    const begin = { ...begun(work), input: null as unknown, attempt: 1, startedAt: local.clock.now() }
    try {
      intent = intentOf(local, work, begin.startedAt)
    } catch (error) {
      return recordOutcome(local, begin, failedOutcome(local, work, error))
    }
    await local.journal.begin({ ...begin, input: intent })
  }
  const outcome = end(local, work, await untilAnswered(local, work, intent), 1)
  await settle(local, work)
  return outcome
}

/** Starts the background task that shows the responder the end of the question, unless it has run. */
async function settle(local: LocalRun, work: AskWork): Promise<void> {
  if (work.settle === undefined) return
  const checkpoint = await local.checkpoints?.atPath(local.uuid, work.path)
  if (checkpoint === undefined || checkpoint.reference === null || checkpoint.state === 'waiting') return
  const settling = work.settle(checkpoint)
  if (recordedOutcome(local.journal.entry(settling.path)) === undefined) performInBackground(local, settling)
}

function performInBackground(local: LocalRun, work: EffectWork): void {
  local.startTask(async () => {
    const outcome = await perform(local, work)
    if (outcome.state !== 'failed') return
    const { path, kind: skill } = work
    const { code, message } = outcome.error
    local.log.warn(
      { run: local.uuid, path, skill, code, reason: message },
      'could not show a person that a question is closed',
    )
  })
}

function intentOf(local: LocalRun, work: AskWork, startedAt: number): Intent {
  const { question, withinMs, remindAfterMs, salt } = work.question()
  if (local.checkpoints === undefined) {
    throw new TocsinError('nobody_to_ask', 'questions cannot be asked here', {
      hint: 'give the answer in advance',
    })
  }
  if (startedAt >= work.deadlineMs) throw new GroupTimeoutError()
  if (!work.shielded && local.cancel.aborted) throw cancelled()
  const askAt = Math.max(startedAt, work.group?.askAtMs ?? startedAt)
  return {
    question: plainJson(question) as Question,
    until_ms: work.group?.untilMs ?? startedAt + withinMs,
    ...(remindAfterMs !== undefined && { remind_at_ms: askAt + remindAfterMs }),
    ...(askAt > startedAt && { ask_at_ms: askAt }),
    ...(salt !== undefined && { salt }),
  }
}

async function untilAnswered(local: LocalRun, work: AskWork, intent: Intent): Promise<WorkOutcome> {
  const { journal, clock, uuid, checkpoints } = local
  const { path, stepId } = work
  const { question, until_ms: timeoutAt } = intent
  const { group, over } = work.group ?? {}
  // This process has no checkpoint store, so it cannot continue the run.
  if (checkpoints === undefined) throw new RunSuspended()
  const close = (state: UnansweredState) => journal.insist(() => checkpoints.close(uuid, path, state))
  try {
    const unasked = await untilDue(local, work, intent)
    if (unasked !== undefined) return unasked
    const asked = { path, stepId, question, group, timeoutAt, onTimeout: work.onTimeout }
    const opened = await journal.insist(() => checkpoints.open(uuid, asked))
    const storeConnection = (connection: string) =>
      journal.insist(() => checkpoints.storeConnection(uuid, path, connection))
    const telling = work.tell(opened.id, question, storeConnection)
    const isLate = opened.state === 'decided' && telling && journal.entry(telling.path) === undefined
    const told = telling && !isLate ? await perform(local, telling) : undefined
    if (told?.state === 'failed') throw new SendingFailed(told)
    if (told?.state === 'completed' && opened.reference === null) {
      await journal.insist(() => checkpoints.asked(uuid, path, told.output))
    }
    const look = async () => {
      const checkpoint = await checkpoints.atPath(uuid, path)
      return checkpoint?.state === 'waiting' ? undefined : checkpoint
    }
    const answered =
      (await untilReminded(local, work, intent, look)) ??
      (await lookUntil(local, work, timeoutAt, look, over))
    const last = answered ?? (await close(clock.now() < timeoutAt ? 'decided' : 'timed_out'))
    if (last.state === 'withdrawn') throw whyWithdrawn(local, work)
    return { ...resultOf(local, work, last), endedAt: endOf(last, clock.now()) }
  } catch (error) {
    const isOver = error instanceof TimeoutError || error instanceof CancelledError
    if (!isOver && !(error instanceof SendingFailed)) throw error
    await close('withdrawn')
    return isOver ? failedOutcome(local, work, error) : error.outcome
  }
}

/** Waits until the reminder is due and starts it. Returns the checkpoint if it is closed before. */
async function untilReminded(
  local: LocalRun,
  work: AskWork,
  { until_ms: timeoutAt, remind_at_ms: remindAt = Infinity }: Intent,
  look: () => Promise<Checkpoint | undefined>,
): Promise<Checkpoint | undefined> {
  if (work.remind === undefined || remindAt >= timeoutAt) return undefined
  const { over } = work.group ?? {}
  const ended = await lookUntil(local, work, remindAt, look, over)
  if (ended !== undefined || local.clock.now() >= timeoutAt || over?.aborted === true) return ended
  const checkpoint = await local.checkpoints?.atPath(local.uuid, work.path)
  if (checkpoint !== undefined) performInBackground(local, work.remind(checkpoint))
  return undefined
}

/** Waits until the person is to be asked. Returns the outcome if the others decide first. */
async function untilDue(
  local: LocalRun,
  work: AskWork,
  { ask_at_ms: askAt, until_ms: timeoutAt }: Intent,
): Promise<WorkOutcome | undefined> {
  const { checkpoints, uuid, clock } = local
  if (work.group === undefined || checkpoints === undefined || askAt === undefined) return undefined
  const { group, over, decided } = work.group
  if ((await checkpoints.atPath(uuid, work.path)) !== undefined) return undefined
  const look = async () =>
    stateOfOthers(group, await checkpoints.inGroup(uuid, group.path)) === openQuestion ? undefined : true
  const isDecided = await lookUntil(local, work, Math.min(askAt, timeoutAt), look, over)
  const now = clock.now()
  if (isDecided === true || over.aborted) return { ...decided(), endedAt: now }
  return now < timeoutAt ? undefined : { ...work.timedOut(timeoutAt), endedAt: Math.max(now, timeoutAt) }
}

/** A timeout is recorded at its own time at least, even if the clock was set back. */
const endOf = ({ state, timeoutAt }: Checkpoint, now: number): number =>
  state === 'timed_out' ? Math.max(now, timeoutAt) : now

/** It was withdrawn by a process that stopped before it recorded the end. */
const whyWithdrawn = (local: LocalRun, { shielded }: AskWork): Error =>
  !shielded && local.cancel.aborted ? cancelled() : new GroupTimeoutError()

class SendingFailed extends Error {
  readonly outcome: WorkOutcome

  constructor(outcome: WorkOutcome) {
    super('could not send the question')
    this.outcome = outcome
  }
}

function resultBy(work: AskWork, checkpoint: Checkpoint): PureResult {
  const { answer, state, timeoutAt } = checkpoint
  if (answer !== null) return work.answered(answer, nameOfAnswerer(checkpoint, answer.by), checkpoint)
  return state === 'decided' && work.group !== undefined ? work.group.decided() : work.timedOut(timeoutAt)
}

function resultOf(local: LocalRun, work: AskWork, checkpoint: Checkpoint): PureResult {
  try {
    const result = resultBy(work, checkpoint)
    return result.state === 'failed' ? result : { state: result.state, output: plainJson(result.output) }
  } catch (error) {
    return failedWith(local, work.path, error)
  }
}
