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
  readonly #root: unknown
  readonly #named = new Map<object, ReadonlyMap<string, unknown>>()

  constructor(root: unknown) {
    this.#root = root
  }

  /** The texts, numbers and flags at the path, in their order; empty if there is none. */
  all(path: string): readonly Scalar[] {
    const found: Scalar[] = []
    const flat = this.#flat(path)
    if (isScalar(flat)) return [flat]
    this.#collect(this.#root, stepsOf(path), 0, found)
    return found
  }

  first(path: string): Scalar | undefined {
    return this.all(path)[0]
  }

  /** Whether there is anything at the path, also an object, a list or an empty text. */
  has(path: string): boolean {
    const flat = this.#flat(path)
    if (flat !== undefined && flat !== null) return true
    let at = this.#root
    for (const { name } of stepsOf(path)) {
      if (Array.isArray(at)) at = at[0]
      at = this.#field(at, name)
      if (at === undefined || at === null) return false
    }
    return true
  }

  #flat(path: string): unknown {
    return this.#field(this.#root, path.toLowerCase())
  }

  #collect(value: unknown, steps: readonly Step[], index: number, found: Scalar[]): void {
    if (found.length >= maxValues) return
    const step = steps[index]
    if (step === undefined) {
      if (isScalar(value)) found.push(value)
      return
    }
    const next = this.#field(value, step.name)
    if (!step.isList) return this.#collect(next, steps, index + 1, found)
    for (const item of Array.isArray(next) ? next.slice(0, maxItems) : [])
      this.#collect(item, steps, index + 1, found)
  }

  #field(value: unknown, name: string): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    let named = this.#named.get(value)
    if (named === undefined) {
      named = new Map(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field]))
      this.#named.set(value, named)
    }
    return named.get(name)
  }
}

interface Step {
  readonly name: string
  readonly isList: boolean
}

const known = new Map<string, readonly Step[]>()

/** Paths come from the sources of this folder, so the map stays small. */
function stepsOf(path: string): readonly Step[] {
  let steps = known.get(path)
  if (steps === undefined) {
    steps = path
      .toLowerCase()
      .split('.')
      .map((word) =>
        word.endsWith('[]') ? { name: word.slice(0, -2), isList: true } : { name: word, isList: false },
      )
    known.set(path, steps)
  }
  return steps
}

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value.trim() !== '') ||
  typeof value === 'number' ||
  typeof value === 'boolean'
