import type { CaseAccess } from './case-access.ts'
import type { ConnectionDefinition } from './connection.ts'
import type { HttpClient } from './http.ts'
import type { Infer, JsonSchema } from './json-schema.ts'

/**
 * What may be done about a write that a crash interrupted: `safe` do it again (same key or upsert), `verify` ask the other
 * system first whether it happened, `never` let a person decide.
 */
export type Repeat = 'safe' | 'verify' | 'never'

/**
 * What a destructive skill does: `containment` cuts off or restores a machine, an account or a session; `blocking` blocks or allows a value;
 * `deletion` removes data; `execution` runs something on a machine, such as a scan or a script. Each has a limit of its own.
 */
export const destructiveClasses = ['containment', 'blocking', 'deletion', 'execution'] as const
export type DestructiveClass = (typeof destructiveClasses)[number]

/** Inputs of a skill that asks which the engine gives. */
export const asksInputs = ['checkpoint_id', 'answers', 'form'] as const

/** One input and its output, shown in the documentation and run against the plugin's sandbox by the generic plugin test. */
export interface SkillExample<In, Out> {
  readonly title: string
  readonly input: In
  readonly output: Out
}

/** What a skill sees while it runs. */
export interface SkillContext<Settings = unknown> {
  /** Of the connection the step names; secrets are Secret values. */
  readonly settings: Settings
  readonly http: HttpClient
  /** Cases of the run's organization. */
  readonly cases: CaseAccess
  /** When the call began, in epoch milliseconds; another time on a retry. */
  readonly nowMs: number
  /**
   * When the call's time is up, in epoch milliseconds; Infinity: never. What waits for the other system ends before, and says so in its
   * output: what is aborted has no output.
   */
  readonly deadlineMs: number
  /** Aborted when the step's deadline passes or the run is cancelled. */
  readonly signal: AbortSignal
  readonly log: SkillLog
  /** Stable over retries and restarts of the same step: hand it to systems that accept an idempotency key. */
  readonly idempotencyKey: string
  readonly run: { readonly id: string; readonly organization: string }
}

export interface SkillLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

interface SkillDeclaration<In extends JsonSchema, Out extends JsonSchema, S extends JsonSchema, R> {
  /** snake_case verb and noun, unique within the plugin; a playbook uses it as `<plugin>.<name>`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** Deep link to the vendor's page about the operation. */
  readonly docs?: string
  /**
   * Kinds of observable this skill knows something about; investigators are composed from such skills. The skill must
   * then be a read that accepts the inputs `kind` and `value` alone, and its output must require `risk.score`, a number from 0
   * to 100 or null, and hold nothing marked `x-sensitive`.
   */
  readonly enriches?: readonly ObservableKind[]
  /**
   * The skill asks a person something and does not wait for the answer: only checkpoints call it. Its input must take
   * `checkpoint_id` (a text to give back with the answer, known to nobody else) and `answers` (the words to choose from), both
   * given by the engine; where it has `form`, the JSON Schema of a form may stand instead of `answers`, which is then not
   * given. Its output refers to the question, such as the id of a message, and says in `asked` (a text) who alone may answer, as
   * the other system knows them.
   */
  readonly asks?: true
  readonly connection?: ConnectionDefinition<S>
  /** The skill also works without a connection; it then gives absolute addresses to `http` and sees no settings. */
  readonly connectionIsOptional?: true
  readonly input: In
  readonly output: Out
  readonly examples: readonly SkillExample<Infer<In>, Infer<Out>>[]
  run(input: Infer<In>, context: SkillContext<Infer<S>>): Promise<R>
  /**
   * Of a skill that asks: the question is over, so take its buttons away and show what became of it. Called at least once, beside
   * the run, also when the process stopped in between; what it throws is recorded and changes nothing for the run.
   */
  settle?(question: SettledQuestion<Infer<In>, Infer<Out>>, context: SkillContext<Infer<S>>): Promise<void>
  /**
   * Of a skill that asks: nobody has answered yet. Called once, when the time that `remind_after` in its input says (a duration such as
   * `30m`; absent: never) has passed since it asked.
   */
  remind?(question: AskedQuestion<Infer<In>, Infer<Out>>, context: SkillContext<Infer<S>>): Promise<void>
  /**
   * Of a skill that asks: a polite word to somebody whose answer has no effect. Called after the other system got its reply, at
   * most once a minute for a person and a question; nothing is tried again.
   */
  refuse?(
    question: AskedQuestion<Infer<In>, Infer<Out>>,
    answer: RefusedAnswer,
    context: SkillContext<Infer<S>>,
  ): Promise<void>
}

interface ReadSkill {
  /** Changes nothing outside; may be repeated at will. */
  readonly effect: 'read'
}

interface Write<Out extends JsonSchema> {
  /** Changes something outside; dry runs never call it. */
  readonly effect: 'write'
  /**
   * It acts on machines, accounts or protections, where a mistake does harm: each call goes into the audit log before it is made, with its
   * input, and again with how it ended, and counts against the hourly limit of its class. Default: it is not destructive.
   */
  readonly destructive?: DestructiveClass
  /**
   * Of a destructive skill: whether the output says that this call changed nothing, such as an isolation of a machine that is isolated
   * already. Such a call does not count against the limit. Default: every call counts.
   */
  changedNothing?(output: Infer<Out>): boolean
  /** Of a destructive skill: name of the skill of the same plugin that reads how its effect goes on, for hints to authors of playbooks. */
  readonly followWith?: string
}

interface WriteSkill<Out extends JsonSchema> extends Write<Out> {
  readonly repeat: 'safe' | 'never'
}

interface VerifiedWriteSkill<
  In extends JsonSchema,
  Out extends JsonSchema,
  S extends JsonSchema,
> extends Write<Out> {
  readonly repeat: 'verify'
  /**
   * Asks the other system whether an interrupted attempt took effect: its output if so, `undefined` if not. Of a destructive skill it is
   * also called before a first attempt that would wait for an approval, or that `repeat` makes again: an output then means that the effect
   * is there already, and nothing is called.
   */
  verify(input: Infer<In>, context: SkillContext<Infer<S>>): Promise<Infer<Out> | undefined>
}

/** One typed operation of a plugin. */
export type SkillDefinition<
  In extends JsonSchema = JsonSchema,
  Out extends JsonSchema = JsonSchema,
  S extends JsonSchema = JsonSchema,
  R extends Infer<Out> = Infer<Out>,
> = SkillDeclaration<In, Out, S, R> & (ReadSkill | WriteSkill<Out> | VerifiedWriteSkill<In, Out, S>)

/** A skill whose types have been forgotten, as the registry holds it. */
// eslint-disable-next-line typescript/no-explicit-any -- parameters are contravariant: only `any` accepts every skill
export type AnySkill = SkillDefinition<any, any, any, any>

/**
 * Declares a skill. The types of `input`, `output` and `settings` follow from the schemas; the object comes back as it is.
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
 *   },
 * })
 */
export function defineSkill<
  const In extends JsonSchema,
  const Out extends JsonSchema,
  // Inferred from what `run` returns, as narrowly as it is written: `{ level: 'high' }` then fits an enum.
  const R extends Infer<Out>,
  const S extends JsonSchema = JsonSchema,
>(definition: SkillDefinition<In, Out, S, R>): SkillDefinition<In, Out, S, R> {
  return definition
}

/** The kinds of observable that can be found in an alert and that a skill can declare to enrich. */
export const observableKinds = [
  'ip',
  'domain',
  'url',
  'hash',
  'email',
  'host',
  'user',
  'vulnerability',
  'company',
] as const

/**
 * `ip` IPv4 or IPv6 address · `domain` registrable or deeper DNS name · `url` absolute http(s)/ftp address · `hash` MD5, SHA-1,
 * SHA-256 or SHA-512 in hex · `email` address · `host` machine name · `user` account name · `vulnerability` CVE id ·
 * `company` company name or id.
 */
export type ObservableKind = (typeof observableKinds)[number]

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
