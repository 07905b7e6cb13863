/** Maximum number of values that a path with `[]` collects. */
const maxValues = 50
/** Maximum number of list items read. */
const maxItems = 100

type Scalar = string | number | boolean

/**
 * Reads fields of a JSON value by path. Log pipelines change the case of names, so it is ignored if no name fits exactly, and flatten
 * objects, so a path may also be the name of one field. Never throws.
 */
export class AlertFields {
  readonly #root: unknown
  readonly #rootNames: ReadonlyMap<string, unknown>
  readonly #lowered = new Map<object, ReadonlyMap<string, unknown>>()

  constructor(root: unknown) {
    this.#root = root
    this.#rootNames = isObject(root) ? byLowerName(root) : new Map()
    if (isObject(root)) this.#lowered.set(root, this.#rootNames)
  }

  /** The texts, numbers and flags at the path, in their order; empty if there is none. */
  all(path: string): readonly Scalar[] {
    const { whole, steps } = pathOf(path)
    if (!this.#mayHave(whole, steps)) return []
    const flat = this.#field(this.#root, whole)
    if (isScalar(flat)) return [flat]
    const found: Scalar[] = []
    this.#follow(this.#root, steps, 0, found)
    return found
  }

  first(path: string): Scalar | undefined {
    return this.all(path)[0]
  }

  /** The value at the path, if there is exactly one: one list item must not stand for the others. */
  only(path: string): Scalar | undefined {
    const found = this.all(path)
    return found.length === 1 ? found[0] : undefined
  }

  /** Whether the path has any value, including an object, a list or an empty string. */
  has(path: string): boolean {
    const { whole, steps } = pathOf(path)
    if (!this.#mayHave(whole, steps)) return false
    if (isThere(this.#field(this.#root, whole))) return true
    let at = this.#root
    for (const [index, step] of steps.entries()) {
      at = this.#field(index > 0 && Array.isArray(at) ? at[0] : at, step)
      if (!isThere(at)) return false
    }
    return true
  }

  /** A fast check that skips the paths of other products. */
  #mayHave(whole: Name, [first]: readonly Step[]): boolean {
    return (first !== undefined && this.#rootNames.has(first.lower)) || this.#rootNames.has(whole.lower)
  }

  /** @param value what is at `steps[index]` */
  #collect(value: unknown, steps: readonly Step[], index: number, found: Scalar[]): void {
    if (found.length >= maxValues) return
    if (steps[index]!.isList) {
      for (const item of Array.isArray(value) ? value.slice(0, maxItems) : [])
        this.#follow(item, steps, index + 1, found)
    } else this.#follow(value, steps, index + 1, found)
  }

  #follow(value: unknown, steps: readonly Step[], index: number, found: Scalar[]): void {
    const step = steps[index]
    if (step !== undefined) this.#collect(this.#field(value, step), steps, index, found)
    else if (isScalar(value)) found.push(value)
  }

  /** A field whose name fits exactly wins: an attacker can choose names of some fields, such as those of log lines in Splunk. */
  #field(value: unknown, { exact, lower }: Name): unknown {
    if (!isObject(value)) return undefined
    let named = this.#lowered.get(value)
    if (named === undefined) {
      named = byLowerName(value)
      this.#lowered.set(value, named)
    }
    const found = named.get(lower)
    return found !== undefined && Object.hasOwn(value, exact)
      ? (value as Readonly<Record<string, unknown>>)[exact]
      : found
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isThere = (value: unknown): boolean => value !== undefined && value !== null

function byLowerName(value: object): ReadonlyMap<string, unknown> {
  const named = new Map<string, unknown>()
  for (const [name, field] of Object.entries(value)) named.set(name.toLowerCase(), field)
  return named
}

interface Name {
  readonly exact: string
  readonly lower: string
}

interface Step extends Name {
  readonly isList: boolean
}

interface Path {
  /** The whole path as the name of a single field. */
  readonly whole: Name
  readonly steps: readonly Step[]
}

const known = new Map<string, Path>()

const nameOf = (exact: string): Name => ({ exact, lower: exact.toLowerCase() })

/** Paths come from the sources of this folder, so the map stays small. */
function pathOf(path: string): Path {
  let read = known.get(path)
  if (read === undefined) {
    const steps = path.split('.').map((word) => {
      const isList = word.endsWith('[]')
      return { ...nameOf(isList ? word.slice(0, -2) : word), isList }
    })
    read = { whole: nameOf(path), steps }
    known.set(path, read)
  }
  return read
}

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value.trim() !== '') ||
  typeof value === 'number' ||
  typeof value === 'boolean'
