/**
 * The places in a value at which something sensitive stands: `true` is all of it. A place that is not named is not sensitive. A mask
 * follows from types, never from values, so that it is the same on every replay.
 */
export type Mask =
  | true
  | {
      readonly fields?: Readonly<Record<string, Mask>> | undefined
      /** Of an object: all fields that `fields` does not name. */
      readonly rest?: Mask | undefined
      /** Of a list: every element. */
      readonly items?: Mask | undefined
      /** Fields that are not sensitive, although `rest` says so. */
      readonly open?: readonly string[] | undefined
    }

/** Where something sensitive stands in what the journal keeps of a step. */
export interface StepMasks {
  readonly input?: Mask | undefined
  readonly output?: Mask | undefined
  /** Of a checkpoint: in what the skill that asks answered. */
  readonly reference?: Mask | undefined
}

/** What stands in place of a sensitive value. */
export const hidden = '[redacted]'

/** A copy with every sensitive place replaced, however short the value there is; the value itself where there is none. */
export function hide(mask: Mask | undefined, value: unknown): unknown {
  if (mask === undefined || value === null || value === undefined) return value
  if (mask === true) return hidden
  if (Array.isArray(value))
    return mask.items === undefined ? value : value.map((item) => hide(mask.items, item))
  if (typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, of]) => [key, hide(maskAt(mask, key), of)] as const)
  // fromEntries defines properties: `__proto__` is a key like any other.
  return Object.fromEntries(entries)
}

/** The values at sensitive places. */
export function sensitiveParts(mask: Mask | undefined, value: unknown): readonly unknown[] {
  if (mask === undefined || value === null || value === undefined) return []
  if (mask === true) return [value]
  if (Array.isArray(value))
    return mask.items === undefined ? [] : value.flatMap((item) => sensitiveParts(mask.items, item))
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, of]) => sensitiveParts(maskAt(mask, key), of))
}

/** Whether something sensitive stands at the place, around it or inside of it. */
export function isMasked(mask: Mask | undefined, [field, ...inside]: readonly string[]): boolean {
  if (mask === undefined || mask === true || field === undefined) return mask !== undefined
  return isMasked(maskAt(mask, field) ?? mask.items, inside)
}

/** Whether all that is sensitive by `inner` is sensitive by `outer` too. */
export function covers(outer: Mask | undefined, inner: Mask | undefined): boolean {
  if (inner === undefined || outer === true) return true
  if (inner === true || outer === undefined) return false
  const names = [
    ...Object.keys(inner.fields ?? {}),
    ...Object.keys(outer.fields ?? {}),
    ...(outer.open ?? []),
  ]
  return (
    covers(outer.items, inner.items) &&
    covers(outer.rest, inner.rest) &&
    names.every((name) => covers(maskAt(outer, name), maskAt(inner, name)))
  )
}

/** What is sensitive by any of these. */
export function merged(...masks: readonly (Mask | undefined)[]): Mask | undefined {
  const known = masks.filter((mask) => mask !== undefined)
  const parts = known.filter((mask) => mask !== true)
  if (parts.length < known.length) return true
  if (parts.length < 2) return parts[0]
  const names = new Set(parts.flatMap((part) => [...Object.keys(part.fields ?? {}), ...(part.open ?? [])]))
  const fields = Array.from(
    names,
    (name) => [name, merged(...parts.map((part) => maskAt(part, name)))] as const,
  )
  return maskOf(fields, merged(...parts.map(({ rest }) => rest)), merged(...parts.map(({ items }) => items)))
}

/** Undefined where nothing is sensitive. */
export function maskOf(
  fields: readonly (readonly [string, Mask | undefined])[],
  rest?: Mask,
  items?: Mask,
): Mask | undefined {
  const marked = fields.filter((field): field is readonly [string, Mask] => field[1] !== undefined)
  const open = rest === undefined ? [] : fields.flatMap(([name, mask]) => (mask === undefined ? [name] : []))
  if (marked.length === 0 && rest === undefined && items === undefined) return undefined
  return {
    ...(marked.length > 0 && { fields: Object.fromEntries(marked) }),
    ...(rest !== undefined && { rest }),
    ...(open.length > 0 && { open }),
    ...(items !== undefined && { items }),
  }
}

/** Of a field of an object. */
export function maskAt(mask: Mask | undefined, name: string): Mask | undefined {
  if (mask === undefined || mask === true) return mask
  if (mask.fields !== undefined && Object.hasOwn(mask.fields, name)) return mask.fields[name]
  return mask.open?.includes(name) === true ? undefined : mask.rest
}
