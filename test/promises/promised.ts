export interface Promised {
  readonly title: string
  /** The exact promise and its limits, as Markdown. */
  readonly exactly: string
  readonly proofs: readonly Proof[]
}

export interface Proof {
  /** Below `test/`. */
  readonly file: string
  /** Beginning of the full titles, without the seed. */
  readonly title: string
  /** Planted bugs that this test detects; see `planted-bugs.ts`. */
  readonly planted?: readonly string[]
}
