import * as t from '../../expression/index.ts'
import type { Fact, ObjectType, Property, Type } from '../../expression/index.ts'
import { severities } from '../../plugin/index.ts'
import type { PlaybookState } from '../../state/state.ts'
import type { Span } from '../language/source-text.ts'

const stepStatuses = ['completed', 'failed', 'skipped']

const errorType = t.object({
  code: t.string,
  message: t.string,
  hint: t.optional(t.string),
  details: t.optional(t.dyn),
})

const runType = t.object({
  id: t.string,
  status: t.enumeration(['running', 'completed', 'failed', 'cancelled']),
  url: t.string,
  started_at: t.timestamp,
  dry_run: t.bool,
})

const alertType = (data: Type): Type => t.object(alertFields(data))

const alertFields = (data: Type) =>
  ({
    id: t.string,
    uuid: t.string,
    type: t.string,
    provider: t.string,
    // Contains all of the data.
    content: t.isSensitive(data) ? t.sensitive(t.string) : t.string,
    title: t.nullable(t.isSensitive(data) ? t.sensitive(t.string) : t.string),
    severity: t.nullable(t.enumeration(severities)),
    occurred_at: t.nullable(t.epochMilliseconds),
    source_id: t.nullable(t.isSensitive(data) ? t.sensitive(t.string) : t.string),
    // As in the API: epoch milliseconds, and the unit of the source.
    created_at: t.epochMilliseconds,
    created_at_source: t.nullable(t.integer),
    data,
  }) satisfies Readonly<Record<string, Type>>

/** The `event` of a wait for an alert: without the content, which is in the data. */
export function awaitedAlertType(data: Type): Type {
  const { content: _, ...fields } = alertFields(data)
  return t.object({ ...fields, type: t.nullable(t.string) })
}

const organizationType = t.object({ code: t.string, name: t.string })

/** The inputs that determine the visible names of a playbook. */
export interface Surroundings {
  /** Type of the alert content; undefined if alerts do not start the playbook. */
  readonly alertData: Type | undefined
  /** Undefined if the playbook has no inputs. */
  readonly inputs: Type | undefined
  /** Undefined if the playbook has no state. Default: undefined. */
  readonly state?: Type | undefined
  /** Undefined if no event starts the playbook. */
  readonly trigger?: Type | undefined
}

/** The names visible to steps, besides `steps`. */
export function runNames(surroundings: Surroundings): Readonly<Record<string, Type>> {
  return {
    ...queueNames(surroundings),
    ...(surroundings.state ? { state: surroundings.state } : {}),
    run: runType,
    now: t.timestamp,
    case: t.object({ id: t.string }),
  }
}

/** The names visible before a run starts. */
export function queueNames({ alertData, inputs, trigger }: Surroundings): Readonly<Record<string, Type>> {
  return {
    ...(alertData ? { alert: alertType(alertData) } : {}),
    ...(inputs ? { inputs } : {}),
    ...(trigger ? { trigger } : {}),
    organization: organizationType,
  }
}

/** The names visible only in `finally`: why the run failed, or null. */
export const finallyNames: Readonly<Record<string, Type>> = { error: t.nullable(errorType) }

export const errorNames: Readonly<Record<string, Type>> = { error: errorType }

/** The static result of a step. */
export interface StepResult {
  /** Undefined for groups. */
  readonly output: Type | undefined
  /** The step may be skipped or fail, without a `default`. */
  readonly outputIsOptional: boolean
  /** It may be skipped or fail. */
  readonly mayNotRun: boolean
  readonly isForeach: boolean
}

/** `steps.<id>`. */
export function stepProperty({ output, outputIsOptional, mayNotRun, isForeach }: StepResult): Property {
  const itemOutput = output?.kind === 'list' ? output.element : undefined
  const item = (status: string, has: 'output' | 'error' | undefined) =>
    t.object({
      index: t.integer,
      status: t.enumeration([status]),
      output: { type: itemOutput ?? t.dyn, optional: has !== 'output' || itemOutput === undefined },
      error: { type: errorType, optional: has !== 'error' },
    })
  // Distinguished by status.
  const items = t.union([item('completed', 'output'), item('failed', 'error'), item('skipped', undefined)])
  return {
    type: t.object({
      status: t.enumeration(stepStatuses),
      ok: t.bool,
      ...(output ? { output: { type: output, optional: outputIsOptional } } : {}),
      error: t.optional(errorType),
      ...(isForeach ? { items: { type: t.list(items), optional: mayNotRun } } : {}),
    }),
  }
}

/** The same step, for places where it may not have run. */
function withOptionalOutput(property: Property): Property {
  const { type } = property
  if (type.kind !== 'object') return property
  const properties = new Map(type.properties)
  for (const name of ['output', 'items']) {
    const known = properties.get(name)
    if (known) properties.set(name, { ...known, optional: true })
  }
  return { type: { ...type, properties } }
}

/** A time limit of a scope and its origin. */
export interface TimeLimit {
  readonly ms: number
  /** `run`: the playbook; `end`: its `on_error` and `finally`; `steps`: a group. */
  readonly of: 'run' | 'end' | 'steps'
}

interface Place {
  /** Inside `finally`. */
  readonly isFinally?: boolean | undefined
  /** Before a run, without steps. */
  readonly isBefore?: boolean | undefined
  /** In the condition of a `foreach` step: the names of its items, which are not visible yet. */
  readonly beforeItems?: readonly string[] | undefined
  /** The step that is being read. */
  readonly current?: Span | undefined
  /** The shortest enclosing limit. */
  readonly timeLimit?: TimeLimit | undefined
  /** The declared states. */
  readonly states?: PlaybookState | undefined
}

/** The names visible at a place of a playbook. Steps are added as they are read. */
export class NameScope {
  readonly #base: Readonly<Record<string, Type>>
  /** Shared with the outer scope until something is added. */
  #steps: Map<string, Property>
  #isShared: boolean
  #names: Readonly<Record<string, Type>> | undefined
  #given: readonly Fact[] = []
  /** See {@link hiddenFacts}. */
  #hiddenFacts: readonly Fact[] = []
  readonly place: Place

  /** @param base the names besides `steps` */
  constructor(base: Readonly<Record<string, Type>>, place: Place = {}, around?: NameScope) {
    this.#base = base
    this.#steps = around ? around.#steps : new Map()
    this.#isShared = around !== undefined
    this.place = place
  }

  /**
   * Creates an inner scope. It sees the names visible here; its own additions stay inside until adopted. Do
   * not add to the outer scope while the inner one is in use.
   */
  inside(
    options: Place & {
      readonly names?: Readonly<Record<string, Type>> | undefined
      /** Facts from a condition around it. */
      readonly given?: readonly Fact[] | undefined
    },
  ): NameScope {
    const { names = {}, given = [], isFinally, current, beforeItems, timeLimit } = options
    const around = this.place.timeLimit
    const place = {
      ...this.place,
      isFinally: isFinally ?? this.place.isFinally,
      current: current ?? this.place.current,
      beforeItems,
      timeLimit: timeLimit && !(around && around.ms <= timeLimit.ms) ? timeLimit : around,
    }
    const inner = new NameScope({ ...this.#base, ...names }, place, this)
    // A new declaration hides an outer name, so facts about the outer one do not apply.
    const known = given.length === 0 ? this.#given : [...this.#given, ...given]
    const hidden = options.names ? Object.keys(names) : []
    const isHidden = (fact: Fact) => hidden.some((name) => t.isAbout(fact, name))
    inner.#given = hidden.length === 0 ? known : known.filter((fact) => !isHidden(fact))
    inner.#hiddenFacts =
      hidden.length === 0 ? this.#hiddenFacts : [...this.#hiddenFacts, ...given.filter(isHidden)]
    return inner
  }

  /** The names for an expression. */
  get names(): Readonly<Record<string, Type>> {
    const steps: ObjectType = { kind: 'object', properties: this.#steps, additional: undefined }
    this.#names ??= this.place.isBefore === true ? this.#base : { ...this.#base, steps }
    return this.#names
  }

  /** Facts from conditions around this place. */
  get given(): readonly Fact[] {
    return this.#given
  }

  /**
   * Facts about an outer name that is hidden here: a condition of a `foreach` step is about the outer `item`.
   * Relying on them is a warning (W410).
   */
  get hiddenFacts(): readonly Fact[] {
    return this.#hiddenFacts
  }

  /** Adds facts to this scope. */
  learn(facts: readonly Fact[]): void {
    if (facts.length > 0) this.#given = [...this.#given, ...facts]
  }

  add(id: string, property: Property): void {
    if (this.#isShared) {
      this.#steps = new Map(this.#steps)
      this.#isShared = false
      this.#names = undefined
    }
    this.#steps.set(id, property)
  }

  has(id: string): boolean {
    return this.#steps.has(id)
  }

  get stepIds(): readonly string[] {
    return [...this.#steps.keys()]
  }

  /** Takes over the steps of an inner scope; `maybe` if they may not have run. */
  adopt(inner: NameScope, maybe: boolean): void {
    if (!maybe) this.#learnFrom([inner])
    if (inner.#steps === this.#steps) return
    for (const [id, property] of inner.#steps) {
      if (!this.#steps.has(id)) this.add(id, maybe ? withOptionalOutput(property) : property)
    }
  }

  /**
   * Merges the scopes of branches, exactly one of which runs. Steps after the branches are reached
   * only from the `passable` branches.
   */
  adoptOneOf(passable: readonly NameScope[], all: readonly NameScope[]): void {
    for (const branch of all) this.adopt(branch, passable.length !== 1 || passable[0] !== branch)
    this.#learnFrom(passable)
  }

  /** Learns the facts common to all of these scopes. */
  #learnFrom([first, ...others]: readonly NameScope[]): void {
    // Most inner scopes share the list of facts, which may be long.
    if (first === undefined || first.#given === this.#given) return
    const known = new Set(this.#given)
    const news = first.#given.filter((fact) => !known.has(fact))
    this.learn(news.filter((fact) => others.every((other) => other.#given.includes(fact))))
  }
}
