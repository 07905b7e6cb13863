/** A field, a list index, or the path of a computed index. */
export type PathPart = string | bigint | Path

/** A name and the parts read from it, such as `steps.signin.output.rows[0]` or `rows[index].id`. */
export type Path = readonly PathPart[]

/**
 * What a condition guarantees: a path is `present` (and so are the objects before it), is `not_null` (and
 * present), is or is not one of some strings, or has a certain type by its name in `type(x)`.
 */
export type Fact = { readonly path: Path } & (
  | { readonly is: 'present' | 'not_null' }
  | { readonly is: 'one_of' | 'none_of'; readonly values: readonly string[] }
  | { readonly is: 'of_type' | 'not_of_type'; readonly type: string }
)

/** What holds when a condition is true, and when it is false. */
export interface Facts {
  readonly whenTrue: readonly Fact[]
  readonly whenFalse: readonly Fact[]
}
