/** A field, a place in a list, or the path that gives the field or the place. */
export type PathPart = string | bigint | Path

/** A name and what is read from it, such as `steps.signin.output.rows[0]` or `rows[index].id`. */
export type Path = readonly PathPart[]

/**
 * What a condition has made certain: that a path is `present` (then so are the objects on the way to it), that it is
 * `not_null` (then it is present as well), that it is or is not one of a few texts, or which type it has, by the name in `type(x)`.
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
