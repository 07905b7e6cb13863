/** A file below the root, and what its tests are called (the beginning of the title is enough). */
export type Proof = readonly [file: string, ...titles: readonly string[]]

export interface Lesson {
  readonly promise: string
  /** Between the promise and its proofs, in Markdown. */
  readonly text?: string
  readonly proofs: readonly Proof[]
}

export interface Chapter {
  readonly title: string
  /** In front of the promises, in Markdown. */
  readonly text?: string
  readonly lessons: readonly Lesson[]
}

export const http = (file: string, ...titles: readonly string[]): Proof => [
  `test/http/${file}.test.ts`,
  ...titles,
]
