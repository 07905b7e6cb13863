import { canonicalJson } from '../audit/canonical-json.ts'
import type { Question } from '../domain/checkpoint.ts'
import type { FailedAttempt, JournalEntry, StoredError } from '../domain/run.ts'
import { askPath, isApprovalPath } from '../engine/journal/paths.ts'
import type { ChosenCall } from '../interface/choose-calls.ts'
import { withoutTimes } from '../playbook-test/run/tries-before.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { withDefaults } from '../schema/index.ts'
import { notApproved } from './decision.ts'
import type { RecordedAlert } from './recording.ts'

/** The reply to one attempt of a call. */
export type RecordedReply = { readonly tookMs: number } & (
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly error: StoredError; readonly mayRetry: boolean }
  /** No answer within the timeout. */
  | { readonly kind: 'timeout' }
)

/** A call with a reply for each attempt. */
export interface RecordedCall {
  readonly path: string
  readonly skill: string
  readonly replies: readonly RecordedReply[]
}

/** How a question ended. */
export type RecordedAnswer =
  | { readonly kind: 'timeout' }
  /** The message could not be sent. */
  | { readonly kind: 'not_asked'; readonly error: StoredError }
  | {
      readonly kind: 'answer'
      readonly answer: unknown
      readonly by: string
      readonly byKind: unknown
      readonly byName: unknown
      readonly text: unknown
      readonly delayMs: number
      readonly isSensitive: boolean
    }

/** A wait for an event. */
export interface RecordedEvent {
  readonly filter: unknown
  /** The event as expressions see it. Undefined if no event arrived. */
  readonly event: ReceivedEvent | ReceivedChange | undefined
  readonly delayMs: number
}

export interface ReceivedChange {
  /** ISO 8601. */
  readonly at: string
  readonly case: unknown
}

export interface ReceivedEvent {
  readonly type: string | null
  readonly provider: string
  readonly id: string
  readonly uuid: string
  readonly created_at: number
  readonly data: unknown
}

interface AskedBefore {
  readonly path: string
  readonly answer: RecordedAnswer
}

/** The place of a call or question in the replay. */
export interface CallPlace {
  readonly path: string
  readonly skill: string
  readonly input: unknown
}

/**
 * What other systems and people replied in a recorded run, by skill and input. Inputs are compared in the form that the journal
 * stores, in memory only.
 */
export class RecordedReplies {
  readonly #byPath = new Map<string, RecordedCall>()
  readonly #byInput = new Map<string, RecordedCall[]>()
  /** Uses that a person did not approve: they have no input. */
  readonly #refused = new Map<string, RecordedCall>()
  readonly #answers = new Map<string, AskedBefore>()
  readonly #answersByQuestion = new Map<string, AskedBefore[]>()
  readonly #events = new Map<string, RecordedEvent>()
  readonly #choices = new Map<string, RecordedChoice>()
  readonly #catalogue: Pick<Catalogue, 'skill'>

  constructor(
    recording: Pick<RecordedAlert, 'entries' | 'failedAttempts'>,
    catalogue: Pick<Catalogue, 'skill'>,
  ) {
    this.#catalogue = catalogue
    const { entries, failedAttempts } = recording
    const byPath = new Map(entries.map((entry) => [entry.path, entry]))
    for (const entry of entries) {
      if (entry.path.endsWith('/@choice')) this.#choices.set(entry.path, choiceIn(entry))
      else if (entry.kind === 'event') this.#events.set(entry.path, eventIn(entry))
      else if (entry.kind === 'checkpoint') this.#addAnswer(entry, byPath)
      else this.#addCall(entry, failedAttempts.get(entry.path) ?? [])
    }
  }

  /** The recorded call of this step, whatever its input is. */
  atPath({ path, skill }: CallPlace): RecordedCall | undefined {
    const found = this.#byPath.get(path) ?? this.#refused.get(path)
    return found?.skill === skill ? found : undefined
  }

  /** A use that a person did not approve: of this step, or of any if none of the skill was approved. */
  refused({ path, skill }: CallPlace): RecordedCall | undefined {
    const found = this.#refused.get(path)
    if (found !== undefined) return found.skill === skill ? found : undefined
    const wasApproved = this.#byPath.values().some((call) => call.skill === skill)
    return wasApproved ? undefined : this.#refused.values().find((call) => call.skill === skill)
  }

  /** A recorded call of the same skill with the same input: of the same step, or else the `turn`-th one. */
  withInput(place: CallPlace, turn: number): RecordedCall | undefined {
    const calls = this.#byInput.get(this.inputKey(place)) ?? []
    const step = withoutTimes(place.path)
    const own = calls.filter(({ path }) => withoutTimes(path) === step)
    return (
      calls.find(({ path }) => path === place.path) ?? own.at(-1) ?? calls[Math.min(turn, calls.length - 1)]
    )
  }

  /** Also finds the call under this input, which differs from the recorded one only by the clock of the replay. */
  alsoKnownAs(call: RecordedCall, place: CallPlace): void {
    const key = this.inputKey(place)
    const known = this.#byInput.get(key) ?? []
    if (!known.includes(call)) this.#byInput.set(key, [...known, call])
  }

  /** Skill and input as a key, with the defaults of the skill. Contains sensitive values. */
  inputKey({ skill, input }: Pick<CallPlace, 'skill' | 'input'>): string {
    const schema = this.#catalogue.skill(skill)?.skill.input
    return `${skill} ${canonicalJson(schema === undefined ? (input ?? null) : withDefaults(schema, input))}`
  }

  /** How the question of this step ended. */
  answerAt(path: string): RecordedAnswer | undefined {
    return this.#answers.get(path)?.answer
  }

  /** How the same question ended: at this path, or else elsewhere. */
  answerTo(path: string, question: Question): RecordedAnswer | undefined {
    const asked = this.#answersByQuestion.get(questionKey(question)) ?? []
    return (asked.find((each) => each.path === path) ?? asked[0])?.answer
  }

  questionAlsoKnownAs(path: string, question: Question): void {
    const asked = this.#answers.get(path)
    if (asked !== undefined) this.#addQuestion(asked, question)
  }

  eventAt(path: string): RecordedEvent | undefined {
    return this.#events.get(path)
  }

  /** The connections that an interface used: of this step, or of all steps that used it the same way. */
  choice(path: string, of: string): RecordedChoice | undefined {
    const own = this.#choices.get(`${path}/@choice`)
    if (own !== undefined && (own.of === of || own.error !== null)) return own
    const others = [...this.#choices.values()].filter((each) => each.of === of)
    const [first] = others
    return others.every((each) => canonicalJson(each.calls ?? null) === canonicalJson(first?.calls ?? null))
      ? first
      : undefined
  }

  #addCall(entry: JournalEntry, failed: readonly FailedAttempt[]): void {
    const { path, kind: skill, state, input, error } = entry
    if (!skill.includes('.') || (state !== 'completed' && state !== 'failed')) return
    if (input === null || input === undefined) {
      if (error === null || !notApproved.has(error.code)) return
      this.#refused.set(path, {
        path,
        skill,
        replies: [{ kind: 'error', error, mayRetry: false, tookMs: 0 }],
      })
      return
    }
    const call = { path, skill, replies: repliesOf(entry, failed) }
    this.#byPath.set(path, call)
    const key = this.inputKey({ skill, input })
    this.#byInput.set(key, [...(this.#byInput.get(key) ?? []), call])
  }

  #addAnswer(entry: JournalEntry, byPath: ReadonlyMap<string, JournalEntry>): void {
    const question = (entry.input as { readonly question?: Question } | null)?.question
    if (question === undefined || isApprovalPath(entry.path)) return
    const answer = answerIn(entry, byPath.get(askPath(entry.path)))
    if (answer === undefined) return
    const asked = { path: entry.path, answer }
    this.#answers.set(entry.path, asked)
    this.#addQuestion(asked, question)
  }

  #addQuestion(asked: AskedBefore, question: Question): void {
    const key = questionKey(question)
    const known = this.#answersByQuestion.get(key) ?? []
    if (!known.includes(asked)) this.#answersByQuestion.set(key, [...known, asked])
  }
}

export interface RecordedChoice {
  readonly of: string
  /** Undefined: no connection could be chosen. */
  readonly calls: readonly ChosenCall[] | undefined
  readonly error: StoredError | null
}

function choiceIn({ output, error }: JournalEntry): RecordedChoice {
  const found = output as { readonly interface?: string; readonly calls?: readonly ChosenCall[] } | null
  return { of: found?.interface ?? '', calls: found?.calls, error }
}

function eventIn({ input, output, startedAt, endedAt }: JournalEntry): RecordedEvent {
  const filter = (input as { readonly for?: unknown } | null)?.for ?? null
  const event = (output as { readonly event?: ReceivedEvent } | null)?.event
  return { filter, event, delayMs: Math.max(0, (endedAt ?? startedAt) - startedAt) }
}

const questionKey = ({ via, input, answers, form }: Question): string =>
  canonicalJson([via, input ?? null, answers, form])

const timeouts: ReadonlySet<string> = new Set(['step_timeout', 'run_timeout'])

function repliesOf(entry: JournalEntry, failed: readonly FailedAttempt[]): readonly RecordedReply[] {
  const { state, output, error, startedAt, endedAt, resolution } = entry
  const tries = failed
    .filter((each) => each.error.code !== 'step_interrupted')
    .filter((each) => resolution === undefined || each.error.details?.['effect'] !== 'unknown')
    .map((each) => errorReply(each.error, true, each.endedAt - each.startedAt))
  const begun = Math.max(startedAt, failed.at(-1)?.retryAt ?? startedAt)
  const tookMs = Math.max(0, (endedAt ?? begun) - begun)
  const last: RecordedReply =
    state === 'failed' && error !== null
      ? errorReply(
          error,
          failed.some((each) => each.error.code === error.code),
          tookMs,
        )
      : { kind: 'output', output: output ?? null, tookMs: resolution === undefined ? tookMs : 0 }
  return [...tries, last]
}

function errorReply(error: StoredError, mayRetry: boolean, tookMs: number): RecordedReply {
  return timeouts.has(error.code) ? { kind: 'timeout', tookMs } : { kind: 'error', error, mayRetry, tookMs }
}

function answerIn(entry: JournalEntry, told: JournalEntry | undefined): RecordedAnswer | undefined {
  const { state, input, output, error, startedAt, endedAt } = entry
  if (state === 'failed') {
    return told?.state === 'failed' && error !== null ? { kind: 'not_asked', error } : { kind: 'timeout' }
  }
  // A person whose answer was no longer needed, because others had decided.
  if (state === 'skipped') return { kind: 'timeout' }
  if (state !== 'completed') return undefined
  const {
    answer,
    by,
    by_kind: byKind,
    by_name: byName,
    text,
  } = (output ?? {}) as Readonly<Record<string, unknown>>
  if (typeof by !== 'string') return { kind: 'timeout' }
  const { ask_at_ms: from = startedAt } = input as { readonly ask_at_ms?: number }
  return {
    kind: 'answer',
    answer,
    by,
    byKind,
    byName,
    text,
    delayMs: Math.max(0, (endedAt ?? from) - from),
    isSensitive: entry.sensitive?.output !== undefined,
  }
}
