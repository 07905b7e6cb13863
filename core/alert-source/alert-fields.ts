/** Maximum number of values that a path with `[]` collects. */
const maxValues = 50
/** Maximum number of items of a list that are read. */
const maxItems = 100

type Scalar = string | number | boolean

/**
 * Reads fields of a JSON value by path. Log pipelines change the case of names, so it is ignored, and flatten objects, so a path may
 * also be the name of one field. Never throws.
 */
export class AlertFields {
  readonly #root: ReadonlyMap<string, unknown>
  readonly #inner = new Map<object, ReadonlyMap<string, unknown>>()

  constructor(root: unknown) {
    this.#root = isObject(root) ? byLowerName(root) : new Map()
  }

  /** The texts, numbers and flags at the path, in their order; empty if there is none. */
  all(path: string): readonly Scalar[] {
    const { name, steps } = pathOf(path)
    const flat = this.#root.get(name)
    if (isScalar(flat)) return [flat]
    const found: Scalar[] = []
    const [first] = steps
    // Most paths belong to other products.
    if (first !== undefined && this.#root.has(first.name))
      this.#collect(this.#root.get(first.name), steps, 0, found)
    return found
  }

  first(path: string): Scalar | undefined {
    return this.all(path)[0]
  }

  /** The value at the path if it is the only one: an item of a list does not speak for the others. */
  only(path: string): Scalar | undefined {
    const found = this.all(path)
    return found.length === 1 ? found[0] : undefined
  }

  /** Whether there is anything at the path, also an object, a list or an empty text. */
  has(path: string): boolean {
    const { name, steps } = pathOf(path)
    if (isThere(this.#root.get(name))) return true
    let at: unknown
    for (const [index, step] of steps.entries()) {
      at = index === 0 ? this.#root.get(step.name) : this.#field(Array.isArray(at) ? at[0] : at, step.name)
      if (!isThere(at)) return false
    }
    return true
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
    if (step !== undefined) this.#collect(this.#field(value, step.name), steps, index, found)
    else if (isScalar(value)) found.push(value)
  }

  #field(value: unknown, name: string): unknown {
    if (!isObject(value)) return undefined
    let named = this.#inner.get(value)
    if (named === undefined) {
      named = byLowerName(value)
      this.#inner.set(value, named)
    }
    return named.get(name)
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

interface Step {
  readonly name: string
  readonly isList: boolean
}

interface Path {
  /** The whole path, in lower case. */
  readonly name: string
  readonly steps: readonly Step[]
}

const known = new Map<string, Path>()

/** Paths come from the sources of this folder, so the map stays small. */
function pathOf(path: string): Path {
  let read = known.get(path)
  if (read === undefined) {
    const name = path.toLowerCase()
    const steps = name
      .split('.')
      .map((word) =>
        word.endsWith('[]') ? { name: word.slice(0, -2), isList: true } : { name: word, isList: false },
      )
    read = { name, steps }
    known.set(path, read)
  }
  return read
}

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value.trim() !== '') ||
  typeof value === 'number' ||
  typeof value === 'boolean'
