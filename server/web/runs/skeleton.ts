/** The parts of a JSON schema that say what a value looks like. */
export interface Shape {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
}

const empty: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  array: [],
  null: null,
}

/** A value with all that a schema requires, to be filled in: texts are empty, numbers 0. */
export function skeletonOf(shape: Shape): unknown {
  if (shape.const !== undefined) return shape.const
  if (shape.enum !== undefined) return shape.enum[0]
  const [first] = shape.anyOf ?? shape.oneOf ?? []
  if (first !== undefined) return skeletonOf(first)
  const type = typeof shape.type === 'string' ? shape.type : shape.type?.[0]
  if (type !== undefined && type !== 'object') return empty[type] ?? null
  return Object.fromEntries(
    (shape.required ?? []).map((name) => [name, skeletonOf(shape.properties?.[name] ?? {})]),
  )
}
