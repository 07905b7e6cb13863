import type { CaseAccess } from './case-access.ts'
import type { ConnectionDefinition } from './connection.ts'
import type { HttpClient, SocketClient } from './http.ts'
import type { Implementations } from './interfaces/implementation.ts'
import type { DestructiveClass, ObservableKind } from './interfaces/vocabulary.ts'
import type { Infer, JsonSchema } from './json-schema.ts'
import type { Secret } from './secret.ts'

/**
 * How an interrupted write is handled: `safe` repeats it (same key or upsert), `verify` first asks the other
 * system whether it happened, `never` lets a person decide.
 */
export type Repeat = 'safe' | 'verify' | 'never'

/** Inputs that the engine provides to a skill that asks. */
export const asksInputs = ['checkpoint_id', 'answers', 'form'] as const

/**
 * An input and its output, shown in the documentation and run against the sandbox by the generic plugin test.
 */
export interface SkillExample<In, Out> {
  readonly title: string
  /** Where the answer was recorded, e.g. a page of the vendor. Default: not stated. */
  readonly source?: string
  /** Set if the answer is made up. */
  readonly synthetic?: true
  readonly input: In
  readonly output: Out
}

/** What a running skill can use. */
export interface SkillContext<Settings = unknown> {
  /** Settings of the connection; secrets are Secret values. */
  readonly settings: Settings
  readonly http: HttpClient
  /** For protocols other than HTTP. */
  readonly sockets: SocketClient
  /** See `ConnectionContext`. */
  token(): Promise<Secret>
  /**
   * For a skill that asks: the public address of a webhook of the connection, with its token. Anyone who has
   * it can call the webhook, so data that identifies a person must be signed.
   */
  inboundUrl(route: string): string
  /** Cases of the run's organization. */
  readonly cases: CaseAccess
  /** Start of the call in epoch milliseconds; differs between attempts. */
  readonly nowMs: number
  /**
   * Deadline of the call in epoch milliseconds, or Infinity. A skill that waits for the other system should
   * end before it and say so in its output: an aborted call has no output.
   */
  readonly deadlineMs: number
  /** Aborted when the step's deadline passes or the run is cancelled. */
  readonly signal: AbortSignal
  readonly log: SkillLog
  /** The same for all attempts and restarts of a step: pass it to systems that accept an idempotency key. */
  readonly idempotencyKey: string
  readonly run: { readonly id: string; readonly organization: string }
}

export interface SkillLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

interface SkillDeclaration<In extends JsonSchema, Out extends JsonSchema, S extends JsonSchema, R> {
  /** snake_case verb and noun, unique in the plugin; playbooks use `<plugin>.<name>`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** Deep link to the vendor's documentation of the operation. */
  readonly docs?: string
  /** Permissions that the credentials need for it, as the vendor names them. Default: not stated. */
  readonly permissions?: readonly string[]
  /**
   * Kinds of observable that the skill enriches; generated playbooks use such skills. It must be a read that
   * needs only the inputs `kind` and `value`, and its output must require `risk.score`, a number from 0 to
   * 100 or null, and contain nothing marked `x-sensitive`.
   */
  readonly enriches?: readonly ObservableKind[]
  /** The interfaces that the skill implements, with the mappings of their fields. Default: none. */
  readonly implements?: Implementations<Infer<In>, Infer<Out>>
  /**
   * The skill asks a person and does not wait for the answer: only checkpoints call it. Its input must accept
   * `checkpoint_id` (to return with the answer; only the responder learns it) and `answers`, or `form` (the
   * JSON Schema of a form) in place of `answers`; the engine provides them. Its output identifies the
   * question, such as a message id, and names in `asked` the only person who may answer.
   */
  readonly asks?: true
  readonly connection?: ConnectionDefinition<S>
  /** The skill also works without a connection; it then uses absolute addresses and has no settings. */
  readonly connectionIsOptional?: true
  readonly input: In
  readonly output: Out
  readonly examples: readonly SkillExample<Infer<In>, Infer<Out>>[]
  run(input: Infer<In>, context: SkillContext<Infer<S>>): Promise<R>
  /**
   * For a skill that asks: closes the question, e.g. removes its buttons and shows the outcome. Runs in the
   * background at least once, also after a restart; an error does not affect the run.
   */
  settle?(question: SettledQuestion<Infer<In>, Infer<Out>>, context: SkillContext<Infer<S>>): Promise<void>
  /**
   * For a skill that asks: reminds the responder. Called once, when the duration in the input `remind_after`
   * (e.g. `30m`; absent: never) has passed without an answer.
   */
  remind?(question: AskedQuestion<Infer<In>, Infer<Out>>, context: SkillContext<Infer<S>>): Promise<void>
  /**
   * For a skill that asks: tells a person that their answer has no effect. Called after the webhook was
   * answered, at most once a minute per person and question, without retries.
   */
  refuse?(
    question: AskedQuestion<Infer<In>, Infer<Out>>,
    answer: RefusedAnswer,
    context: SkillContext<Infer<S>>,
  ): Promise<void>
}

interface ReadSkill {
  /** Changes nothing outside; may be repeated. */
  readonly effect: 'read'
}

interface Write<In extends JsonSchema, Out extends JsonSchema> {
  /** Changes something outside; dry runs never call it. */
  readonly effect: 'write'
  /**
   * Set if the skill acts on machines, accounts or protections. Each call is audited before it is made and
   * after it ends, and counts against the hourly limit of its class. Default: not destructive.
   */
  readonly destructive?: DestructiveClass
  /**
   * Whether the output of a destructive skill says that nothing changed, e.g. that a machine was isolated
   * already. Such a call does not count against the limit. Default: every call counts.
   */
  changedNothing?(output: Infer<Out>): boolean
  /**
   * For a destructive skill: the reading skill of the same plugin that follows its effect, for hints to
   * playbook authors; or with its input.
   */
  readonly followWith?: string | RelatedCall<Infer<In>, Infer<Out>>
  /** The call of a writing skill of the same plugin that undoes this one. Default: none. */
  readonly undoneBy?: RelatedCall<Infer<In>, Infer<Out>>
  /** For a destructive skill that nothing undoes: why, such as `ended sessions cannot be restored`. */
  readonly irreversible?: string
  /** Set if a destructive skill ends a containment or a block, such as one that releases a machine. Default: it does not. */
  readonly restores?: true
  /**
   * For a destructive skill with `undoneBy`: how to read whether it is still in effect. The server reads this regularly, to notice
   * when somebody undid the action in the other system. Default: not stated.
   */
  readonly stateBy?: StateCall<Infer<In>, Infer<Out>>
  /** For a destructive skill with `undoneBy` whose state cannot be read: why. */
  readonly stateUnreadable?: string
}

/** A call of another skill of the same plugin. */
export interface RelatedCall<In = unknown, Out = unknown> {
  readonly skill: string
  /** The input of that call. */
  input(input: In, output: Out): Readonly<Record<string, unknown>>
}

/**
 * A call of a reading skill of the same plugin that tells whether an action is still in effect. If both functions are false, the
 * answer is unclear, e.g. while the other system is still working on it. `output` is undefined if the action has an unknown outcome.
 */
export interface StateCall<In = unknown, Out = unknown> extends RelatedCall<In, Out> {
  /** Whether the action is in effect; `state` is the output of the reading skill. */
  contained(state: unknown, input: In, output: Out): boolean
  /** Whether it is no longer in effect. */
  released(state: unknown, input: In, output: Out): boolean
}

interface WriteSkill<In extends JsonSchema, Out extends JsonSchema> extends Write<In, Out> {
  readonly repeat: 'safe' | 'never'
}

interface VerifiedWriteSkill<
  In extends JsonSchema,
  Out extends JsonSchema,
  S extends JsonSchema,
> extends Write<In, Out> {
  readonly repeat: 'verify'
  /**
   * Asks the other system whether an interrupted attempt took effect: returns its output, or `undefined` if
   * it did not. For a destructive skill, also called before a first attempt that needs approval or that
   * `repeat` makes again: an output means that the effect exists, so nothing is called.
   */
  verify(input: Infer<In>, context: SkillContext<Infer<S>>): Promise<Infer<Out> | undefined>
}

/** One typed operation of a plugin. */
export type SkillDefinition<
  In extends JsonSchema = JsonSchema,
  Out extends JsonSchema = JsonSchema,
  S extends JsonSchema = JsonSchema,
  R extends Infer<Out> = Infer<Out>,
> = SkillDeclaration<In, Out, S, R> & (ReadSkill | WriteSkill<In, Out> | VerifiedWriteSkill<In, Out, S>)

/** A skill without its types, as the registry holds it. */
// eslint-disable-next-line typescript/no-explicit-any -- parameters are contravariant: only `any` accepts every skill
export type AnySkill = SkillDefinition<any, any, any, any>

/**
 * Declares a skill. The types of `input`, `output` and `settings` follow from the schemas; the object is
 * returned unchanged.
 *
 * @example
 * export const getQuote = defineSkill({
 *   name: 'get_quote', title: 'Get Quote', description: 'One quote.', effect: 'read', connection,
 *   input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
 *   output: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
 *   examples: [{ title: 'A quote', input: { id: '7' }, output: { text: 'Ring the bell.' } }],
 *   async run({ id }, { http }) {
 *     const answer = (await http.get(['quotes', id])).json() as { text: string }
 *     return { text: answer.text }
 *   }, })
 */
export function defineSkill<
  const In extends JsonSchema,
  const Out extends JsonSchema,
  // Inferred from the return value of `run`, as narrowly as possible: `{ level: 'high' }` then fits an
  // enum.
  const R extends Infer<Out>,
  const S extends JsonSchema = JsonSchema,
>(definition: SkillDefinition<In, Out, S, R>): SkillDefinition<In, Out, S, R> {
  return definition
}

/** A question that a skill asked. */
export interface AskedQuestion<In = unknown, Out = unknown> {
  /** Input of the call that asked, including `checkpoint_id` and `answers`. */
  readonly input: In
  /** Output of that call. */
  readonly output: Out
}

/** A closed question. */
export interface SettledQuestion<In = unknown, Out = unknown> extends AskedQuestion<In, Out> {
  readonly outcome: QuestionOutcome
}

/** The outcome of a question. */
export interface QuestionOutcome {
  /**
   * `withdrawn`: the run stopped waiting, e.g. because it was cancelled. `decided`: the answers of other people, who were
   * asked the same, decided first.
   */
  readonly state: 'answered' | 'timed_out' | 'withdrawn' | 'decided'
  /** If answered: one of the answers, or the filled-in form. */
  readonly value?: unknown
  /** If answered: the responder as the other system names them, or the name of an account or API key. */
  readonly by?: string | undefined
  /** If answered: whether `by` is a person of the other system, a person with an account of Tocsin, or an API key, which may have any name. */
  readonly byKind?: 'person' | 'account' | 'api_key' | undefined
  /** If answered: additional text of the responder. */
  readonly text?: string | undefined
  /** When it was answered or timed out, in epoch milliseconds; absent if unknown. */
  readonly at?: number | undefined
}

/**
 * Why an answer has no effect: it came after the timeout or the end of the wait (`late`), after another
 * answer (`second`), after the answers of other people decided (`decided`), from a person who had answered for another of
 * the people asked (`same_person`), from another person (`not_asked`), is not one of the answers (`not_an_answer`), or does
 * not say which of several questions it means (`ambiguous`).
 */
export type RefusalReason =
  'late' | 'second' | 'decided' | 'same_person' | 'not_asked' | 'not_an_answer' | 'ambiguous'

/** An answer without effect. */
export interface RefusedAnswer {
  /** The person, as the other system names them. */
  readonly by: string
  readonly reason: RefusalReason
}
