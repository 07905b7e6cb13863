/**
 * The sensitive places in a value; `true` means all of it, and places that are not named are not sensitive. A
 * mask depends only on types, never on values, so it is the same on every replay.
 */
export type Mask =
  | true
  | {
      readonly fields?: Readonly<Record<string, Mask>> | undefined
      /** For an object: all fields that `fields` does not name. */
      readonly rest?: Mask | undefined
      /** For a list: every element. */
      readonly items?: Mask | undefined
      /** Fields that are not sensitive, although `rest` says so. */
      readonly open?: readonly string[] | undefined
    }

/** The sensitive places in the journal's record of a step. */
export interface StepMasks {
  readonly input?: Mask | undefined
  readonly output?: Mask | undefined
  /** For a checkpoint: in the output of the skill that asks. */
  readonly reference?: Mask | undefined
}

/** Replaces a sensitive value. */
export const hidden = '[redacted]'

/** A copy with every sensitive place replaced; the value itself if there is none. */
export function hide(mask: Mask | undefined, value: unknown): unknown {
  if (mask === undefined || value === null || value === undefined) return value
  if (mask === true) return hidden
  if (Array.isArray(value))
    return mask.items === undefined ? value : value.map((item) => hide(mask.items, item))
  if (typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, of]) => [key, hide(maskAt(mask, key), of)] as const)
  // fromEntries defines own properties, including `__proto__`.
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

/** Whether the place, or anything around or inside it, is sensitive. */
export function isMasked(mask: Mask | undefined, [field, ...inside]: readonly string[]): boolean {
  if (mask === undefined || mask === true || field === undefined) return mask !== undefined
  return isMasked(maskAt(mask, field) ?? mask.items, inside)
}

/** Whether `outer` covers every sensitive place of `inner`. */
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

/** The union of these masks. */
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

/** Undefined if nothing is sensitive. */
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

/** The mask of an object's field. */
export function maskAt(mask: Mask | undefined, name: string): Mask | undefined {
  if (mask === undefined || mask === true) return mask
  if (mask.fields !== undefined && Object.hasOwn(mask.fields, name)) return mask.fields[name]
  return mask.open?.includes(name) === true ? undefined : mask.rest
}
