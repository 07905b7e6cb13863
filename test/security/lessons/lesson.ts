/** A file below the root, and the beginning of the titles of its tests. */
export type Proof = readonly [file: string, ...titles: readonly string[]]

export interface Lesson {
  readonly promise: string
  /** Between the promise and its proofs, in Markdown. */
  readonly text?: string
  readonly proofs: readonly Proof[]
}

export interface Chapter {
  readonly title: string
  /** Before the promises, in Markdown. */
  readonly text?: string
  readonly lessons: readonly Lesson[]
}

export const http = (file: string, ...titles: readonly string[]): Proof => [
  `test/http/${file}.test.ts`,
  ...titles,
]
