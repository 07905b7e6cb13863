/** Organizations a caller may see; `'all'` is for the runtime itself and for keys that are not scoped. */
export type Scope = 'all' | readonly string[]

/** One page of a list. */
export interface PageRequest {
  /** 1 to 200. */
  readonly limit: number
  /** What the page before gave as `nextCursor`; absent for the first. */
  readonly cursor?: string | undefined
  /** Where a list is sorted by nothing else. Default: newest first. */
  readonly oldestFirst?: boolean | undefined
}

export interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  readonly total: number
}

/** Of what is about to be edited, the revision that whoever edits it has seen; undefined: whichever it is. */
export type SeenRevision = number | undefined
