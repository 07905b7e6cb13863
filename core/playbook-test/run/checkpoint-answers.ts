import { personOf, type Actor } from '../../domain/audit.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { viaOperator } from '../../playbook/language/constants.ts'
import type { WakeUps } from '../../engine/journal/wake-ups.ts'
import type { Clock } from '../../ports/clock.ts'
import { compareValues } from '../read/compare.ts'
import { createMemoryCheckpoints, type MemoryCheckpoints } from './memory-checkpoints.ts'
import { stepReplies, type Places, type Unmocked } from './mocked-skills.ts'
import type { MockAnswer, MockReply, Mocks } from '../read/playbook-test.ts'

/** The outcome of a question: an answer, or a timeout. */
export type AnswerChoice =
  { readonly answer: unknown } | { readonly answers: readonly OneAnswer[] } | 'timeout'

/** The answer of one of several people. */
export type OneAnswer = Exclude<AnswerChoice, { readonly answers: unknown }>

/** The outcome of this question: the n-th person gives the n-th of several answers, the others none. */
export function answerOfPerson(choice: AnswerChoice, { group }: Pick<Checkpoint, 'group'>): OneAnswer {
  if (choice === 'timeout' || 'answer' in choice) return choice
  return choice.answers[group?.place ?? 0] ?? 'timeout'
}

/** The choice for a question: for it alone, or for all people of its step. */
export function choiceFor(
  choices: ReadonlyMap<string, AnswerChoice> | undefined,
  { path, group }: Pick<Checkpoint, 'path' | 'group'>,
  name: string,
): AnswerChoice | undefined {
  return choices?.get(path) ?? (group === null ? undefined : choices?.get(group.path)) ?? choices?.get(name)
}

export interface CheckpointAnswersOptions extends Places {
  readonly mocks: Mocks
  readonly clock: Clock
  readonly wakeUps: WakeUps
  /** Takes precedence over mocks. */
  readonly choose?: (checkpoint: Checkpoint, name: string) => AnswerChoice | undefined
  /** Default: from the mocks. */
  readonly reply?: (checkpoint: Checkpoint) => AnswerReply | undefined
  /** Called for a question without an answer in the test. */
  readonly onUnanswered: (checkpoint: Checkpoint, name: string) => void
}

/** An answer after a delay; a reply of another kind answers nothing. */
export type AnswerReply = { readonly delayMs: number } & (
  ({ readonly kind: 'answer' } & MockAnswer) | { readonly kind: Exclude<MockReply['kind'], 'answer'> }
)

const organizationUuid = '00000000-0000-4000-8000-00000000000a'
const nothingStops = new AbortController().signal

/** Checkpoints answered by the mocks of their steps, after a delay or never. */
export function createCheckpointAnswers(options: CheckpointAnswersOptions): MemoryCheckpoints {
  const { mocks, clock, wakeUps } = options
  const checkpoints = createMemoryCheckpoints(clock, organizationUuid, (checkpoint) => {
    const name = options.nameOf(checkpoint.path)
    const choice = options.choose?.(checkpoint, name)
    const chosen = choice && answerOfPerson(choice, checkpoint)
    if (chosen === 'timeout') return
    if (chosen !== undefined) return void answerLater(checkpoint, { ...nobodyElse, ...chosen }, 0)
    const reply = options.reply
      ? options.reply(checkpoint)
      : replyTo(mocks, checkpoint, name, options.triesBefore(checkpoint.path))
    if (reply === undefined) options.onUnanswered(checkpoint, name)
    else if (reply.kind === 'answer') void answerLater(checkpoint, reply, reply.delayMs)
  })

  async function answerLater(
    { id, runUuid, path, question, group }: Checkpoint,
    { by: named, ...mock }: MockAnswer,
    delayMs: number,
  ): Promise<void> {
    const { answer, byName, text } = mock
    // People differ, and each counts once.
    const by = named ?? (group === null ? 'analyst' : `analyst ${group.place + 1}`)
    // Even without a delay, the question is asked first, because a responder reads it.
    await clock.sleep(delayMs, nothingStops)
    if (byName !== undefined) await checkpoints.store.asked(runUuid, path, { asked: by, asked_name: byName })
    await checkpoints.store.answer(
      id,
      { value: answer, text: text ?? null },
      answererOf({ ...mock, by }, question.via),
    )
    wakeUps.wake()
  }
  return checkpoints
}

const nobodyElse = { by: undefined, byKind: undefined, byName: undefined, text: undefined }

function answererOf({ by, byKind, byName }: MockAnswer & { readonly by: string }, via: string): Actor {
  const isKey = byKind === undefined ? via === viaOperator && byName === undefined : byKind === 'api_key'
  return isKey ? { ...personOf(by), kind: 'api_key' } : personOf(by)
}

/** Answers to this question before those to any; the last one repeats. The n-th person gives the n-th. */
function replyTo(mocks: Mocks, { path, question, group }: Checkpoint, name: string, triesBefore: number) {
  const replies = stepReplies(mocks, path, name) ?? []
  const fits = (given: unknown) => given !== undefined && compareValues(given, question.input).length === 0
  const own = replies.filter((reply) => fits(reply.with))
  const usable = own.length > 0 ? own : replies.filter((reply) => reply.with === undefined)
  const turn = group === null ? triesBefore : group.place
  return usable[Math.min(turn, usable.length - 1)]
}

/** The failure of a test without an answer to the question. */
export function unanswered({ path, question }: Checkpoint, name: string): Unmocked {
  const answers = question.answers === null ? '{ … }' : question.answers.join(' | ')
  return {
    path,
    message: `step '${path}' asks a person, but the test has no answer`,
    hint: `add to mocks: steps.${name}: { answer: ${answers} } (or timeout)`,
  }
}
