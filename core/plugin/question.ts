/** A question that a skill has asked. */
export interface AskedQuestion<In = unknown, Out = unknown> {
  /** What the skill was given when it asked, `checkpoint_id` and `answers` included. */
  readonly input: In
  /** What it answered then. */
  readonly output: Out
}

/** A question that is over. */
export interface SettledQuestion<In = unknown, Out = unknown> extends AskedQuestion<In, Out> {
  readonly outcome: QuestionOutcome
}

/** What became of a question. */
export interface QuestionOutcome {
  /** `withdrawn`: the run stopped waiting, e.g. since it was cancelled. */
  readonly state: 'answered' | 'timed_out' | 'withdrawn'
  /** Of `answered`: one of the answers, or what was filled in. */
  readonly value?: unknown
  /** Of `answered`: who, as the other system knows them, or the name of an API key. */
  readonly by?: string | undefined
  /** Of `answered`: which of both. An API key may have the name of anybody: only a `person` is who was asked. */
  readonly byKind?: 'person' | 'api_key' | undefined
  /** Of `answered`: what they wrote besides. */
  readonly text?: string | undefined
  /** When it was answered, or its time was up; epoch milliseconds. Absent: not known. */
  readonly at?: number | undefined
}

/**
 * Why an answer has no effect: its time was up, or the run no longer waited (`late`); the question was answered before (`second`);
 * another person was asked (`not_asked`); it is none of the answers (`not_an_answer`); several questions wait for this person
 * and it does not say which is meant (`ambiguous`).
 */
export type RefusalReason = 'late' | 'second' | 'not_asked' | 'not_an_answer' | 'ambiguous'

/** An answer that has no effect. */
export interface RefusedAnswer {
  /** Who, as the other system knows them. */
  readonly by: string
  readonly reason: RefusalReason
}
