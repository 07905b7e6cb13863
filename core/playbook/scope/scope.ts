import * as t from '../../expression/index.ts'
import type { Fact, ObjectType, Property, Type } from '../../expression/index.ts'
import type { TimeLimit } from './check-times.ts'
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

const alertType = (data: Type): Type =>
  t.object({
    id: t.string,
    uuid: t.string,
    type: t.string,
    provider: t.string,
    // Holds all of the data.
    content: t.isSensitive(data) ? t.sensitive(t.string) : t.string,
    // As the API has them: epoch milliseconds, and whatever unit the source uses.
    created_at: t.epochMilliseconds,
    created_at_source: t.nullable(t.integer),
    data,
  })

const organizationType = t.object({ code: t.string, name: t.string })

/** What decides about the names of a playbook. */
export interface Surroundings {
  /** Type of the content of its alerts; undefined where alerts do not start the playbook, so that there is no `alert`. */
  readonly alertData: Type | undefined
  /** Undefined where the playbook takes none. */
  readonly inputs: Type | undefined
}

/** What expressions of steps see besides `steps`. */
export function runNames(surroundings: Surroundings): Readonly<Record<string, Type>> {
  return {
    ...queueNames(surroundings),
    run: runType,
    now: t.timestamp,
    case: t.object({ id: t.string }),
  }
}

/** What is known of a run before it begins, when it is queued. */
export function queueNames({ alertData, inputs }: Surroundings): Readonly<Record<string, Type>> {
  return {
    ...(alertData ? { alert: alertType(alertData) } : {}),
    ...(inputs ? { inputs } : {}),
    organization: organizationType,
  }
}

/** What `finally` sees besides: why the run failed, or null. */
export const finallyNames: Readonly<Record<string, Type>> = { error: t.nullable(errorType) }

export const errorNames: Readonly<Record<string, Type>> = { error: errorType }

/** What is known about the result of a step. */
export interface StepResult {
  /** Undefined for groups, which have none. */
  readonly output: Type | undefined
  /** The step may have been skipped, or have failed, without a `default`. */
  readonly outputIsOptional: boolean
  /** It may have been skipped, or have failed. */
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
  // Told apart by their status.
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

/** The same step, seen from where it may not have run. */
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

interface Place {
  /** Inside `finally`, where the end of the run is decided already. */
  readonly isFinally?: boolean | undefined
  /** Before a run, so that there are no steps. */
  readonly isBefore?: boolean | undefined
  /** In the condition of a foreach, which is asked once: the names that only its items will have. */
  readonly beforeItems?: readonly string[] | undefined
  /** The step that is being read. */
  readonly current?: Span | undefined
  /** The shortest of those around. */
  readonly timeLimit?: TimeLimit | undefined
}

/** Names that are visible at one place of a playbook. Steps are added as they are read, in their order. */
export class Scope {
  readonly #base: Readonly<Record<string, Type>>
  /** Shared with the scope around it until something is added: most scopes add nothing. */
  #steps: Map<string, Property>
  #isShared: boolean
  #names: Readonly<Record<string, Type>> | undefined
  #given: readonly Fact[] = []
  /** What a condition said of names that are hidden here; see {@link misread}. */
  #misread: readonly Fact[] = []
  readonly place: Place

  /** @param base the names besides `steps` */
  constructor(base: Readonly<Record<string, Type>>, place: Place = {}, around?: Scope) {
    this.#base = base
    this.#steps = around ? around.#steps : new Map()
    this.#isShared = around !== undefined
    this.place = place
  }

  /**
   * A scope for something inside: it sees what is visible here now; what it adds is its own until it is adopted. Nothing may
   * be added here while the inner scope is in use.
   */
  inside(
    options: Place & {
      readonly names?: Readonly<Record<string, Type>> | undefined
      /** What a condition around it has made certain. */
      readonly given?: readonly Fact[] | undefined
    },
  ): Scope {
    const { names = {}, given = [], isFinally, current, beforeItems, timeLimit } = options
    const around = this.place.timeLimit
    const place = {
      ...this.place,
      isFinally: isFinally ?? this.place.isFinally,
      current: current ?? this.place.current,
      beforeItems,
      timeLimit: timeLimit && !(around && around.ms <= timeLimit.ms) ? timeLimit : around,
    }
    const inner = new Scope({ ...this.#base, ...names }, place, this)
    // A name that is declared anew hides the one that something was known about; so it does for the condition of the step that declares it.
    const known = given.length === 0 ? this.#given : [...this.#given, ...given]
    const hidden = options.names ? Object.keys(names) : []
    const isHidden = (fact: Fact) => hidden.some((name) => t.isAbout(fact, name))
    inner.#given = hidden.length === 0 ? known : known.filter((fact) => !isHidden(fact))
    inner.#misread = hidden.length === 0 ? this.#misread : [...this.#misread, ...given.filter(isHidden)]
    return inner
  }

  /** The names for an expression. */
  get names(): Readonly<Record<string, Type>> {
    const steps: ObjectType = { kind: 'object', properties: this.#steps, additional: undefined }
    this.#names ??= this.place.isBefore === true ? this.#base : { ...this.#base, steps }
    return this.#names
  }

  /** What conditions have made certain here. */
  get given(): readonly Fact[] {
    return this.#given
  }

  /**
   * What earlier versions took for certain here, though the condition was about another value of the same name: the item outside of
   * a foreach, where the one inside is meant.
   */
  get misread(): readonly Fact[] {
    return this.#misread
  }

  /** From here on, in this scope, these are certain. */
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

  /** Makes visible here what became visible inside; `maybe` when the inside may not have run, or not to its end. */
  adopt(inner: Scope, maybe: boolean): void {
    if (!maybe) this.#learnFrom([inner])
    if (inner.#steps === this.#steps) return
    for (const [id, property] of inner.#steps) {
      if (!this.#steps.has(id)) this.add(id, maybe ? withOptionalOutput(property) : property)
    }
  }

  /** Adopts branches of which one ran; whatever comes next came through one of those that are `passable`. */
  adoptOneOf(passable: readonly Scope[], all: readonly Scope[]): void {
    for (const branch of all) this.adopt(branch, passable.length !== 1 || passable[0] !== branch)
    this.#learnFrom(passable)
  }

  /** Learns what is certain in each of these scopes. */
  #learnFrom([first, ...others]: readonly Scope[]): void {
    // Most scopes inside know what is known around them, which may be thousands of facts.
    if (first === undefined || first.#given === this.#given) return
    const known = new Set(this.#given)
    const news = first.#given.filter((fact) => !known.has(fact))
    this.learn(news.filter((fact) => others.every((other) => other.#given.includes(fact))))
  }
}
