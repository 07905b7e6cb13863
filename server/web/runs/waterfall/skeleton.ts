/** The parts of a JSON schema that say what a value looks like. */
export interface Shape {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
}

/** Stands for what has to be entered: nothing that is JSON, so that nobody says what they did not enter. */
const blank = '…'

/** JSON with all that a schema requires, to be filled in: only what can be nothing else is there. */
export const skeletonText = (shape: Shape): string =>
  shape.required === undefined
    ? '{}'
    : JSON.stringify(skeletonOf(shape), undefined, 2).replaceAll(`"${blank}"`, blank)

function skeletonOf({ const: only, type, required, properties }: Shape): unknown {
  if (only !== undefined) return only
  if (type === 'null') return null
  const isObject = type === 'object' || (Array.isArray(type) && type[0] === 'object')
  if (!isObject || required === undefined) return blank
  return Object.fromEntries(required.map((name) => [name, skeletonOf(properties?.[name] ?? {})]))
}
